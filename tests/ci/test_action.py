"""The GitHub action: each step is run as GitHub would, with inputs of any kind."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
DEFAULTS = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
CODE = """\
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, index):
        print(index)
        return index


DataLoader(Images(), num_workers=2)
"""

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="no bash")


class Job:
    """A job on a runner that has pipedoctor installed already."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temp = folder / "temp dir"
        self.output = folder / "output"
        self.outputs: dict[str, str] = {}
        program = self.temp / "pipedoctor" / "bin" / "pipedoctor"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m pipedoctor "$@"\n')
        program.chmod(0o755)
        (folder / "work").mkdir()
        (folder / "work" / "train.py").write_text(CODE)

    def run(self, name: str, **given: str) -> "subprocess.CompletedProcess[str]":
        """Run a step by its name, with inputs by theirs (``_`` for ``-``)."""
        (step,) = [step for step in STEPS if step["name"] == name]
        inputs = DEFAULTS | {key.replace("_", "-"): v for key, v in given.items()}
        env = {key: self._value(text, inputs) for key, text in step["env"].items()}
        self.output.write_text("")
        done = subprocess.run(
            [
                "bash",
                "--noprofile",
                "--norc",
                "-e",
                "-o",
                "pipefail",
                "-c",
                step["run"],
            ],
            cwd=self.folder / "work",
            env=os.environ | {"GITHUB_OUTPUT": str(self.output)} | env,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        for line in self.output.read_text().splitlines():
            key, _, value = line.partition("=")
            self.outputs[key] = value
        return done

    def _value(self, text: str, inputs: dict[str, str]) -> str:
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {f"steps.check.outputs.{k}": v for k, v in self.outputs.items()}
        known |= {"github.action_path": str(ROOT), "runner.temp": str(self.temp)}
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda m: known.get(m[1], ""), text)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def test_it_is_an_action_as_github_has_them(tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema"),
            *("--builtin-schema", "vendor.github-actions", str(ROOT / "action.yml")),
        ],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("step", [s for s in STEPS if "run" in s], ids=lambda s: s["name"])
def test_no_input_is_part_of_a_script(step: dict[str, Any]) -> None:
    assert "${{" not in step["run"]
    assert step["shell"] == "bash"
    done = subprocess.run(["bash", "-n", "-c", step["run"]], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="no shellcheck")
@pytest.mark.parametrize("step", [s for s in STEPS if "run" in s], ids=lambda s: s["name"])
def test_shellcheck_has_nothing_to_say(step: dict[str, Any]) -> None:
    done = subprocess.run(
        ["shellcheck", "--shell=bash", "-"],
        input=step["run"].encode(),
        check=False,
        capture_output=True,
    )
    assert done.stdout == b""


def test_every_input_is_used() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")

    for name in ACTION["inputs"]:
        assert f"inputs.{name} " in text, name


def test_what_is_found_is_written_annotated_and_fails_the_job(job: Job) -> None:
    done = job.run("Check", fail_on="slows")

    assert done.returncode == 0, "the report has to be uploaded before the job fails"
    assert job.outputs == {"exit-code": "1", "sarif-file": "pipedoctor.sarif"}
    log = json.loads((job.folder / "work" / "pipedoctor.sarif").read_text())
    assert "PDR201" in {r["ruleId"] for r in log["runs"][0]["results"]}
    assert "::warning file=train.py,line=9," in done.stdout
    assert job.run("Result").returncode == 1


def test_nothing_at_fail_on_is_fine(job: Job) -> None:
    done = job.run("Check", fail_on="never", annotate="false", select="print-in-item")

    assert (done.returncode, done.stdout) == (0, "")
    assert job.outputs["exit-code"] == "0"
    assert job.run("Result").returncode == 0


def test_wrong_usage_fails_at_once(job: Job) -> None:
    done = job.run("Check", paths="none.py")

    assert done.returncode == 2
    assert "PATHS: none.py: No such file or directory" in done.stderr
    assert job.outputs == {"exit-code": "2"}


@pytest.mark.extended
def test_several_paths_are_lines(job: Job) -> None:
    work = job.folder / "work"
    (work / "a b.py").write_text(CODE)

    job.run("Check", paths="train.py\n\na b.py\n", sarif_file="out/x y.sarif")
    assert job.outputs == {"exit-code": "2"}, "no such folder"
    done = job.run("Check", paths="train.py\n\na b.py\n", sarif_file="x y.sarif")

    assert "file=a b.py" in done.stdout
    assert (work / "x y.sarif").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fail_on": "most"}, "fail-on must be breaks, risks, slows, note or never"),
        ({"annotate": "yes"}, "annotate must be true or false"),
        ({"upload_sarif": ""}, "upload-sarif must be true or false"),
        ({"sarif_file": ""}, "sarif-file must name one file"),
        ({"sarif_file": "a\nexit-code=0"}, "sarif-file must name one file"),
        ({"paths": "\n"}, "paths must name a file or folder"),
    ],
)
def test_inputs_are_looked_at(job: Job, given: dict[str, str], message: str) -> None:
    done = job.run("Check", **given)

    assert done.returncode == 2
    assert done.stderr == f"pipedoctor action: {message}\n"
    assert job.outputs == {}


EVIL = "$(touch pwned)`touch pwned`'\"; touch pwned #"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("paths", "select", "ignore", "fail_on", "baseline", "diff", "config"),
        *("annotate", "sarif_file", "upload_sarif"),
    ],
)
def test_no_input_is_obeyed(job: Job, name: str) -> None:
    job.run("Check", **{name: EVIL})
    job.run("Check", **{name: "--no-redact\n-o\npwned"})

    assert not (job.folder / "work" / "pwned").exists()


def install(job: Job, **given: str) -> "tuple[subprocess.CompletedProcess[str], str]":
    """Run the step with a Python that only writes down how it was called."""
    log = job.folder / "log"
    fake = job.folder / "python"
    fake.write_text(f'#!/bin/sh\nprintf "[%s]" "$@" >>"{log}"\necho >>"{log}"\n')
    fake.chmod(0o755)
    shutil.copy(fake, job.temp / "pipedoctor" / "bin" / "python")
    done = job.run("Install pipedoctor", python=str(fake), **given)
    return done, log.read_text() if log.exists() else ""


def test_it_installs_itself_or_the_version_that_is_asked_for(job: Job) -> None:
    _, own = install(job)
    _, other = install(job, version="1.2.3")

    venv, pip = own.splitlines()
    assert venv == f"[-m][venv][{job.temp}/pipedoctor]"
    assert pip == f"[-m][pip][install][--quiet][{ROOT}]"
    assert other.splitlines()[-1] == "[-m][pip][install][--quiet][pipedoctor==1.2.3]"


@pytest.mark.parametrize("version", ["1 --index-url=x", "-r/etc/passwd", EVIL, "@ x"])
def test_a_version_is_nothing_else(job: Job, version: str) -> None:
    done, log = install(job, version=version)

    assert (done.returncode, log) == (2, "")
    assert done.stderr == "pipedoctor action: version must be like 1.2.3\n"


@pytest.mark.parametrize("python", [EVIL, "python3; touch pwned", "", "-c", "a\nb"])
def test_a_python_is_one_program(job: Job, python: str) -> None:
    done = job.run("Install pipedoctor", python=python)

    assert done.returncode != 0
    assert not (job.folder / "work" / "pwned").exists()
