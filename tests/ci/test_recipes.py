"""What docs/how-to/use-in-ci.md tells people to copy works as it stands."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "use-in-ci.md"
TEXT = PAGE.read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def script(name: str) -> str:
    (found,) = [block for block in blocks("sh") if f"# {name}\n" in block]
    return found


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with a pipedoctor that exits as $CODE says, first on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    fake = folder / "pipedoctor"
    fake.write_text('#!/bin/sh\necho "asked: $*"\nexit "$CODE"\n')
    fake.chmod(0o755)
    return folder


def start(
    text: str, programs: Path, code: int, *words: str, **env: str
) -> "subprocess.CompletedProcess[str]":
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-c", text, "entrypoint.sh", *words],
        env=os.environ | {"PATH": path, "CODE": str(code)} | env,
        cwd=programs.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("number", range(len(blocks("sh"))))
def test_scripts_are_shell(shell: str, number: int) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    argv = [shell, "-n", "-c", blocks("sh")[number]]
    done = subprocess.run(argv, check=False, capture_output=True)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("block", blocks("yaml"), ids=lambda text: text.split("\n")[0])
def test_manifests_are_yaml(block: str) -> None:
    assert isinstance(yaml.safe_load(block), dict)


def test_the_workflow_is_one_as_github_has_them(tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema")
    (text,) = [block for block in blocks("yaml") if "pull_request" in block]
    file = tmp_path / "workflow.yml"
    file.write_text(text)
    schema = ["--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run(
        ["check-jsonschema", *schema, str(file)],
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout


def test_a_healthy_machine_starts_the_job_with_its_arguments(programs: Path) -> None:
    job = ("sh", "-c", 'echo "job: $1"; exit 7', "x", "a b")
    done = start(script("entrypoint.sh"), programs, 0, *job)

    assert (done.returncode, done.stdout) == (7, "job: a b\n")
    assert done.stderr == "asked: check --fail-on breaks\n"


def test_what_breaks_the_job_stops_it(programs: Path) -> None:
    done = start(script("entrypoint.sh"), programs, 1, "echo", "job")

    assert (done.returncode, done.stdout) == (1, "")
    assert "not started" in done.stderr


@pytest.mark.parametrize("code", [2, 3, 130])
def test_a_doctor_who_cannot_judge_stops_nobody(programs: Path, code: int) -> None:
    done = start(script("entrypoint.sh"), programs, code, "echo", "job")

    assert (done.returncode, done.stdout) == (0, "job\n")
    assert f"could not judge ({code})" in done.stderr


def test_the_threshold_is_the_users(programs: Path) -> None:
    done = start(script("entrypoint.sh"), programs, 0, "true", PIPEDOCTOR_FAIL_ON="risks")

    assert done.stderr == "asked: check --fail-on risks\n"


def test_the_job_takes_the_place_of_the_script(programs: Path) -> None:
    """So it gets the signals that a container's first process gets."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    program = subprocess.Popen(
        ["sh", "-c", script("entrypoint.sh"), "x", "sh", "-c", "echo $$; exit 0"],
        env=os.environ | {"PATH": path, "CODE": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    out, _ = program.communicate(timeout=20)

    assert int(out) == program.pid


def test_one_line_starts_nothing_unless_all_is_well(programs: Path) -> None:
    (line,) = [b for b in blocks("sh") if b.startswith("pipedoctor check") and "&&" in b]
    torchrun = programs / "torchrun"
    torchrun.write_text('#!/bin/sh\necho "run: $*"\n')
    torchrun.chmod(0o755)

    assert "run: --nproc-per-node=gpu train.py" in start(line, programs, 0).stdout
    for code in (1, 2, 3):
        done = start(line, programs, code)
        assert (done.returncode, "run:" in done.stdout) == (code, False)


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_prolog_never_fails(programs: Path, code: int) -> None:
    done = start(script("prolog.sh"), programs, code)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_batch_script_asks_before_it_starts(programs: Path) -> None:
    (batch,) = [block for block in blocks("sh") if "#SBATCH" in block]
    srun = programs / "srun"
    srun.write_text('#!/bin/sh\necho "srun: $1"\nexec "$@"\n')
    torchrun = programs / "torchrun"
    torchrun.write_text("#!/bin/sh\n")
    for program in (srun, torchrun):
        program.chmod(0o755)

    ill = start(batch, programs, 1)
    well = start(batch, programs, 0)

    assert (ill.returncode, "torchrun" in ill.stdout) == (1, False)
    assert (well.returncode, "srun: torchrun" in well.stdout) == (0, True)


def test_both_containers_of_the_pod_have_the_same_limits() -> None:
    (text,) = [block for block in blocks("yaml") if "kind: Pod" in block]
    spec = yaml.safe_load(text)["spec"]
    (first,), (job,) = spec["initContainers"], spec["containers"]

    for key in ("image", "resources", "volumeMounts"):
        assert first[key] == job[key]
