"""Before any command begins: help into a full disk, Ctrl-C in the middle of imports."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion


@pytest.mark.parametrize("args", [("--help",), ("--version",), ("check", "--help")])
def test_help_that_cannot_be_written_is_told_in_a_line(
    args: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "pipedoctor", *args],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert ended.returncode == 2
    assert ended.stderr == snapshot


IMPATIENT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
"""


def test_ctrl_c_while_modules_are_imported_leaves_no_traceback() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", f"{IMPATIENT}from pipedoctor.cli import main"],
        capture_output=True,
        check=False,
    )

    assert ended.returncode == -signal.SIGINT
    assert ended.stderr == b""


def test_then_it_is_an_exception_again() -> None:
    code = (
        "import signal; from pipedoctor.cli import main;"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    )
    thread = (
        "import threading; f = lambda: __import__('pipedoctor.cli');"
        "t = threading.Thread(target=f); t.start(); t.join()"
    )
    for text in (code, thread):
        ended = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, b"")


def test_who_has_ctrl_c_keeps_it() -> None:
    code = "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    after = "assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN"
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{IMPATIENT}{code}from pipedoctor.cli import main\n{after}",
        ],
        capture_output=True,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, b"")
