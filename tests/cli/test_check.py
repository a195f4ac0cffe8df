"""`pipedoctor check`: options, records, formats and exit codes."""

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.report.json import build_schema
from tests.cli.conftest import Run


def test_a_machine_is_judged(run: Run) -> None:
    result = run("check", "--quick", "--format", "json")

    assert result.exit_code in (0, 1), result.stderr
    report = json.loads(result.stdout)
    jsonschema.validate(report, build_schema())
    assert report["recorded"] == ""
    assert "site" in report["facts"]["known"]


def test_every_check_is_in_one_place_only(run: Run) -> None:
    report = json.loads(run("check", "--quick", "--format", "json").stdout)
    listed = json.loads(run("list", "--format", "json").stdout)

    found = {entry["code"] for entry in report["findings"]}
    places = [*found, *report["healthy"], *(s["code"] for s in report["skipped"])]

    assert sorted(places) == sorted(check["code"] for check in listed["checks"])


def test_a_record_of_another_machine(run: Run, record: str, snapshot: SnapshotAssertion) -> None:
    result = run("check", "--from", record, "--select", "shm-too-small")

    assert result.exit_code == 1
    first, second, *_ = result.stdout.splitlines()
    assert first == snapshot
    assert second == snapshot
    assert "1  BREAKS  " in result.stdout
    assert result.stdout == snapshot


def test_a_record_from_stdin_says_the_same(run: Run, record: str) -> None:
    by_name = run("check", "-q", "--from", record)
    by_stdin = run("check", "-q", "--from", "-", stdin=Path(record).read_bytes())

    assert by_stdin.stdout == by_name.stdout != ""


def test_the_text_of_a_ticket(run: Run, snapshot: SnapshotAssertion) -> None:
    text = (
        b"```\r\nPyTorch version: 2.11.0+cu130\r\nOS: Ubuntu 24.04 LTS (x86_64)\r\n"
        b"Is CUDA available: False\r\nGPU 0: NVIDIA A100 80GB PCIe\r\n"
        b"Nvidia driver version: 535.183.01\r\n```\r\n"
    )

    result = run("check", "-v", "--from", "-", stdin=text)

    assert result.exit_code == 1
    first, second, *rest = result.stdout.splitlines()
    assert first == snapshot
    assert second == snapshot
    assert any("needs driver 580" in line for line in rest)
    assert any(line.endswith("shm: not in this text") for line in rest)


def test_a_report_judged_again_finds_the_same(run: Run, record: str, tmp_path: Path) -> None:
    first = run("check", "--from", record, "--format", "json")
    again = tmp_path / "again.json"
    again.write_text(first.stdout)

    second = run("check", "--from", str(again), "--format", "json")

    one, two = json.loads(first.stdout), json.loads(second.stdout)
    for key in ("facts", "findings", "healthy", "skipped", "summary"):
        assert one[key] == two[key], key


def test_a_record_is_redacted_too(run: Run, record: str) -> None:
    facts = json.loads(run("check", "--from", record, "--format", "json").stdout)
    real = run("check", "--from", record, "--format", "json", "--no-redact").stdout

    assert "nas01" not in facts["facts"]["unknown"]["gpu"]
    assert "carol@nas01" in real


def test_the_job_of_a_record_can_be_told(run: Run, record: str) -> None:
    small = run("check", "--from", record, "--batch-bytes", "1M", "--select", "shm-too-small")
    none = run("check", "--from", record, "--workers", "0", "--select", "shm-too-small")

    assert (small.exit_code, none.exit_code) == (0, 0)


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("breaks", 1), ("risks", 1), ("slows", 1), ("note", 1), ("never", 0)],
)
def test_fail_on(run: Run, record: str, fail_on: str, code: int) -> None:
    args = ("--from", record, "--select", "shm-too-small", "--fail-on", fail_on)

    assert run("check", *args).exit_code == code


def test_what_is_below_fail_on_is_no_failure(run: Run, record: str) -> None:
    args = ("check", "--from", record, "--select", "shm-too-small")
    tight = (*args, "--batch-bytes", "3200K")  # 56 MiB of 64, headroom wants 70

    assert run(*tight).exit_code == 0
    assert run(*tight, "--fail-on", "risks").exit_code == 1


def test_nothing_judged_is_no_health(run: Run, record: str, snapshot: SnapshotAssertion) -> None:
    result = run("check", "--from", record, "--select", "slow-storage")

    assert result.exit_code == 3
    assert result.stdout == snapshot


def test_what_is_not_selected_is_skipped(run: Run, record: str) -> None:
    result = run(
        "check",
        "--from",
        record,
        "--format",
        "json",
        "--select",
        "pdr70,slow_storage",
        "--ignore",
        "PDR702",
    )

    skipped = {s["code"]: s["reason"] for s in json.loads(result.stdout)["skipped"]}
    assert skipped["PDR702"] == "not selected"
    assert skipped["PDR712"] == "not selected"
    assert skipped["PDR710"] != "not selected"
    assert "PDR701" not in skipped


def test_quiet_is_a_line_a_finding(run: Run, record: str, snapshot: SnapshotAssertion) -> None:
    result = run("check", "-q", "--from", record, "--select", "shm-too-small")

    assert result.stdout == snapshot
    assert result.stdout.count("\n") == 1


def test_verbose_says_why(run: Run, record: str) -> None:
    result = run("check", "-v", "--from", record, "--select", "shm-too-small")

    assert "why here: breaks: it will crash the job" in result.stdout
    assert "PDR710" not in result.stdout, "it was not selected"


def test_markdown(run: Run, record: str) -> None:
    result = run("check", "--from", record, "--format", "markdown")

    assert result.stdout.startswith("# pipedoctor: ")


def test_a_running_process_is_judged(run: Run) -> None:
    sleeper = subprocess.Popen(["sleep", "60"], env={"OMP_NUM_THREADS": "63", "HOME": "/"})
    try:
        args = ("check", "--quick", "--pid", str(sleeper.pid), "--format", "json")
        report = json.loads(run(*args).stdout)
    finally:
        sleeper.kill()
        sleeper.wait()

    assert report["facts"]["known"]["threads"]["asked"] == {"OMP_NUM_THREADS": 63}
