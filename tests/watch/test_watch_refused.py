"""What `pipedoctor watch` refuses or cannot judge: options, recordings, other processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.output.recording import WatchRecorder, read_recording
from tests.watch.conftest import pipedoctor

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Linux only"),
]


# --- what may go wrong


def test_usage_in_one_line(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    for words, says in (
        ((), "give one of PID, --all and --replay FILE"),
        (("1", "--all"), "give one of PID, --all and --replay FILE"),
        (("4194304000",), "no process has the PID 4194304000"),
        (("x",), "'x' is not a valid integer"),
        (("--replay", str(empty)), "it is empty"),
        (("--replay", str(tmp_path / "none")), "No such file"),
        (("--replay", str(tmp_path)), "not a regular file"),
        ((str(os.getpid()), "--record", "/proc/none"), "cannot be written"),
        ((str(os.getpid()), "--seconds", "nan"), "is not a number"),
    ):
        done = pipedoctor("watch", *words)
        assert done.returncode == 2, words
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stdout == ""


def test_a_pipe_that_nobody_reads_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="No such device"):
        WatchRecorder(str(tmp_path / "pipe"))


def test_a_damaged_recording_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "damaged"
    for text in ("{", "[]\n", '{"schema": "x/1", "sample": {}}\n', "\xff\n"):
        file.write_text(text)
        done = pipedoctor("watch", "--replay", str(file))
        assert done.returncode == 2
        assert "line 1: " in done.stderr


def test_a_process_without_python_cannot_be_judged() -> None:
    with subprocess.Popen(["sleep", "30"]) as process:
        done = pipedoctor("watch", str(process.pid), "--seconds", "1.5")
        process.kill()

    assert done.returncode == 3
    assert "no CPython among its mappings" in done.stdout


def test_a_process_that_ends_meanwhile() -> None:
    code = "import time; time.sleep(2)"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        done = pipedoctor("watch", str(process.pid), "--seconds", "30", "-q")

    assert done.returncode in {0, 3}
    assert "Traceback" not in done.stderr


def test_processes_that_vanish_between_two_looks() -> None:
    code = (
        "import os, time\n"
        "end = time.time() + 4\n"
        "while time.time() < end:\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(0.01); os._exit(0)\n"
        "    time.sleep(0.02)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        time.sleep(0.3)
        session = WatchSession(process.pid)
        session.run(2.0)
        assert session.seconds >= 2.0
        session.close()
        process.kill()


def test_a_zombie_is_no_process() -> None:
    with subprocess.Popen(["true"]) as process:
        time.sleep(0.3)
        try:
            session = WatchSession(process.pid)
        except UnreadableError:
            return
        session.run(1.0)
        assert not session.is_alive


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_recording_may_begin_with_a_byte_order_mark(encoding: str, tmp_path: Path) -> None:
    """As editors and PowerShell save it; reports are read so as well."""
    file = tmp_path / "x.jsonl"
    with WatchRecorder(str(file)) as recorder:
        recorder.add({"seconds": 1.0, "name": "Größe"})
        recorder.add({"seconds": 2.0})
    text = file.read_text("utf-8").replace("\n", "\r\n")
    file.write_bytes(text.encode(encoding))

    assert [line["seconds"] for line, _ in read_recording(str(file))] == [1.0, 2.0]
