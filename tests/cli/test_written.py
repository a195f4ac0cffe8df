"""What `pipedoctor check` writes, where to, and when that goes wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipedoctor.cli.actions.watch_sinks import open_recorder
from pipedoctor.cli.request.requests_watch import WatchRequest
from pipedoctor.facts import Facts
from tests.cli.conftest import Run, Start


def test_a_report_is_written_whole_and_redacted(run: Run, record: str, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_text("old")
    target.chmod(0o640)

    result = run("check", "--from", record, "--format", "json", "-o", str(target))

    assert result.stdout == ""
    assert json.loads(target.read_text())["schema"] == "pipedoctor.report/1"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["record.json", "report.json"]


def test_a_device_is_written_to_not_replaced(run: Run, record: str) -> None:
    assert run("check", "--from", record, "-o", "/dev/null").exit_code == 1
    assert Path("/dev/null").is_char_device()


def test_a_link_keeps_its_target(run: Run, record: str, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "report.txt"
    link.symlink_to("real/report.txt")

    run("check", "--from", record, "-o", str(link))

    assert link.is_symlink()
    assert "BREAKS" in (tmp_path / "real" / "report.txt").read_text()


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, record: str) -> None:
    for command in (["check", "--from", record, "-v"], ["list"], ["explain", "pdr701"]):
        program = subprocess.Popen(
            [sys.executable, "-m", "pipedoctor", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
        )
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""
        program.stderr.close()
        assert program.wait(60) == (1 if command[0] == "check" else 0)


def test_a_full_disk_is_told(start: Start, record: str) -> None:
    with Path("/dev/full").open("wb") as full:
        result = start("check", "--from", record, stdout=full)

    assert result.returncode == 2
    assert result.stderr == (
        b"pipedoctor check: stdout: cannot be written: No space left on device\n"
    )


def test_a_full_disk_ends_a_recording_and_not_the_watch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with open_recorder(WatchRequest(record="/dev/full")) as record:
        record(Facts(), whole=True)
        record(Facts(), whole=True)

    assert capsys.readouterr().err == "pipedoctor: --record /dev/full: No space left on device\n"


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_full_disk_is_told_of_the_history_too(start: Start, form: str) -> None:
    with Path("/dev/full").open("wb") as full:
        result = start("fix", "--history", "--format", form, stdout=full)

    assert result.returncode == 2
    assert result.stderr == (
        b"pipedoctor fix: stdout: cannot be written: No space left on device\n"
    )


def test_a_plan_that_nobody_can_see_is_not_carried_out(start: Start, tmp_path: Path) -> None:
    code = tmp_path / "train.py"
    text = (
        "from torch.utils.data import DataLoader\n"
        "def main(data):\n"
        "    loader = DataLoader(data, num_workers=0, persistent_workers=True)\n"
        "    return loader\n"
    )
    code.write_text(text)

    with Path("/dev/full").open("wb") as full:
        result = start("fix", "--code", "--unsafe", "--yes", str(code), stdout=full)

    assert result.returncode == 1
    assert code.read_text() == text
    assert result.stderr.splitlines() == [
        b"refused: nothing was changed: the plan could not be shown",
        b"pipedoctor fix: stdout: cannot be written: No space left on device",
    ]


def test_ctrl_c_ends_it_without_a_traceback(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    program = subprocess.Popen(
        [sys.executable, "-m", "pipedoctor", "check", "--from", "-"],
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    os.close(reader)
    wait_channel = Path(f"/proc/{program.pid}/wchan")
    until = time.monotonic() + 30
    while "pipe" not in wait_channel.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=30)
    os.close(writer)

    assert program.returncode == 130
    assert out == b""
    assert err.strip() == b""


@pytest.mark.slow
@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "utf-16"},
    ],
    ids=["C locale", "ascii", "latin-1", "utf-16"],
)
def test_no_locale_stops_it(start: Start, record: str, env: dict[str, str]) -> None:
    for form in ("text", "json", "markdown"):
        result = start("check", "--from", record, "--format", form, env=env)

        assert result.returncode == 1, result.stderr
        assert result.stderr == b""
        if form == "json":
            json.loads(result.stdout.decode("utf-8"))


def test_a_name_that_is_no_text_is_written_out(tmp_path: Path, start: Start) -> None:
    folder = tmp_path / os.fsdecode(b"d\xff\x1b[31m")
    folder.mkdir()

    result = start("check", "--quick", "--data", str(folder), "--format", "json")

    assert result.returncode in (0, 1), result.stderr
    report = json.loads(result.stdout)
    (place,) = [p for p in report["facts"]["known"]["paths"]["entries"] if p["role"] == "data"]
    assert place["path"].endswith("/d\\xff\x1b[31m")


def test_names_of_this_machine_stay_at_home(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home" / "canary.smith"
    (home / "data").mkdir(parents=True)
    env = {
        "HOME": str(home),
        "USER": "canary.smith",
        "HOSTNAME": "canaryhost",
        "HF_HOME": str(home / ".cache" / "canaryhost"),
        "HF_TOKEN": "hf_canarycanarycanary",
    }
    args = ("check", "--data", str(home / "data"), "--workers", "4")

    for form in (("json",), ("text", "--quick"), ("markdown", "--quick")):
        text = start(*args, "--format", *form, env=env).stdout
        assert b"/home/<user-1>/data" in text or form[0] == "text"
        assert b"canary" not in text
    bare = start(*args, "--quick", "--format", "json", "--no-redact", env=env).stdout
    assert b"canary.smith" in bare


def test_as_root_nothing_is_called_user(run: Run) -> None:
    text = run("check", "--quick", "--format", "json").stdout

    assert "canonical_<user" not in text
    assert "/root" not in os.environ.get("HOME", "") or "<user" not in text
