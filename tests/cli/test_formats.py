"""Formats change what is written, never what is judged or how it ends."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

Run = Callable[..., Result]
FOR_CI = ("sarif", "junit", "github")
WRITERS = ("text", "json", "markdown", "html", "sarif", "junit", "github")


@pytest.mark.parametrize("form", FOR_CI)
@pytest.mark.parametrize(("fail_on", "code"), [("breaks", 1), ("never", 0)])
def test_exit_codes(run: Run, record: str, form: str, fail_on: str, code: int) -> None:
    args = ("--from", record, "--select", "shm-too-small", "--fail-on", fail_on)

    assert run("check", *args, "--format", form).exit_code == code


@pytest.mark.parametrize("form", FOR_CI)
def test_nothing_judged(run: Run, record: str, form: str) -> None:
    args = ("--from", record, "--select", "slow-storage", "--format", form)

    assert run("check", *args).exit_code == 3


def test_sarif_knows_how_it_ends(run: Run, record: str) -> None:
    args = ("check", "--from", record, "--select", "shm-too-small", "--format", "sarif")

    for fail_on, code in (("breaks", 1), ("never", 0)):
        log = json.loads(run(*args, "--fail-on", fail_on).stdout)
        assert log["runs"][0]["invocations"][0]["exitCode"] == code


def test_junit_has_every_check(run: Run, record: str) -> None:
    listed = json.loads(run("list", "--format", "json").stdout)["checks"]
    top = ET.fromstring(run("check", "--from", record, "--format", "junit").stdout)

    names = [case.get("name") for case in top.iter("testcase")]
    assert names == [f"{check['code']} {check['name']}" for check in listed]


def test_annotations(run: Run, record: str, snapshot: SnapshotAssertion) -> None:
    args = ("check", "--from", record, "--select", "shm-too-small")

    said = run(*args, "--format", "github").stdout

    assert said == snapshot
    assert said.count("\n") == 1


@pytest.mark.parametrize("form", FOR_CI)
def test_they_are_written_to_a_file(run: Run, record: str, tmp_path: Path, form: str) -> None:
    args = ("check", "--from", record, "--format", form)

    result = run(*args, "-o", "report")

    assert result.stdout == ""
    lines = run(*args).stdout.splitlines()
    assert len((tmp_path / "report").read_text("utf-8").splitlines()) == len(lines)


@pytest.mark.parametrize("form", WRITERS)
def test_a_dash_is_stdout(run: Run, record: str, form: str) -> None:
    args = ("check", "--from", record, "--format", form)

    result = run(*args, "-o", "-")

    assert not Path("-").exists()
    assert result.stdout.splitlines()[0] == run(*args).stdout.splitlines()[0]


@pytest.mark.parametrize("form", FOR_CI)
def test_only_the_one_that_is_asked_for_is_loaded(record: str, form: str) -> None:
    program = (
        "import sys\n"
        "from pipedoctor.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    pass\n"
        "print('\\n' + ' '.join(sys.modules))"
    )
    args = ("check", "--from", record, "--format", form)
    done = subprocess.run(
        [sys.executable, "-c", program, *args],
        capture_output=True,
        text=True,
        check=True,
    )

    modules = set(done.stdout.splitlines()[-1].split())
    loaded = {name for name in WRITERS if f"pipedoctor.report.{name}" in modules}
    assert loaded == {form, "json"}, "records are read by the module json"
    assert not modules & {"rich", "jinja2", "torch", "numpy"}
