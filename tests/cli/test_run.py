"""`pipedoctor run`: everything passes through; a death is explained."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.cli.terminal.passthrough import OutputTail

Start = Callable[..., "subprocess.CompletedProcess[bytes]"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX only")
DIES = "import sys; print('one'); sys.exit('RuntimeError: received 0 items of ancdata')"


def test_output_and_exit_code(start: Start) -> None:
    done = start("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7")

    assert done.returncode == 7
    assert done.stdout == b"out\n"
    assert done.stderr.startswith(b"err\n")


def test_success_is_silent(start: Start) -> None:
    done = start("run", "--", "sh", "-c", "echo RuntimeError: Too many open files")

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_death_is_explained(start: Start) -> None:
    done = start("run", "--", sys.executable, "-c", DIES)

    assert done.returncode == 1
    assert done.stdout == b"one\n"
    assert b"\nfd-limit-exhausted: " in done.stderr


def test_killed_by_a_signal(start: Start) -> None:
    done = start("run", "--", "sh", "-c", "kill -9 $$")

    assert done.returncode == 128 + signal.SIGKILL
    assert b"killed by SIGKILL; no sign of the OOM killer here" in done.stderr
    assert b"worker-oom-killed" not in done.stderr


def test_ctrl_c_is_not_explained(start: Start) -> None:
    done = start("run", "--", sys.executable, "-c", "raise KeyboardInterrupt")

    assert done.returncode == 130
    assert done.stderr.endswith(b"\nKeyboardInterrupt\n")


def test_what_the_command_leaves_behind_keeps_nobody_waiting(start: Start) -> None:
    began = time.monotonic()

    done = start("run", "--", "sh", "-c", "sleep 60 & echo late; exit 3")

    assert (done.returncode, done.stdout) == (3, b"late\n")
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(("name", "code"), [("/no/such/program", 127), ("/etc", 126)])
def test_what_cannot_be_started(start: Start, name: str, code: int) -> None:
    done = start("run", "--", name)

    assert done.returncode == code
    assert done.stderr.startswith(f"pipedoctor run: {name}: ".encode())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("--budget", b"pipedoctor run: No such option '--budget'.\n"),
        ("", b"pipedoctor run: CMD is empty.\n"),
    ],
)
def test_what_is_no_command(start: Start, name: str, said: bytes) -> None:
    done = start("run", name, "1", "--", "echo")

    assert (done.returncode, done.stdout, done.stderr) == (2, b"", said)


def test_a_strange_name_is_written_out(start: Start) -> None:
    done = start("run", "--", "no\x1b[31m")

    assert done.stderr == b"pipedoctor run: no\\x1b[31m: No such file or directory\n"


def test_signals_are_handed_on(tmp_path: Path) -> None:
    script = "trap 'echo told; exit 5' TERM; echo ready; while :; do sleep 0.1; done"
    argv = [sys.executable, "-m", "pipedoctor", "run", "--", "sh", "-c", script]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGTERM)

        assert process.stdout.read() == b"told\n"
        assert process.wait(20) == 5


def test_a_terminal_stays_one(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    script = "test -t 0 && test -t 1 && echo terminal; read line; echo got $line; exit 4"
    argv = [sys.executable, "-m", "pipedoctor", "run", "--", "sh", "-c", script]
    with subprocess.Popen(
        argv, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path
    ) as process:
        os.close(theirs)
        os.write(ours, b"hello\n")
        said = everything(ours)
        assert process.wait(20) == 4
    os.close(ours)

    assert b"terminal" in said
    assert b"got hello" in said


def everything(terminal: int) -> bytes:
    """Until the other side is closed, or half a minute has passed."""
    said = b""
    while select.select([terminal], [], [], 30)[0]:
        piece = read(terminal)
        if not piece:
            break
        said += piece
    return said


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_only_the_end_is_kept() -> None:
    tail = OutputTail(most=10)
    for letter in b"abcdefgh":
        tail.add(bytes([letter]) * 4)

    assert tail.read() == b"ffffgggghhhh"
