"""What `pipedoctor check` cannot do is told in one line."""

import os
import subprocess
import time
from pathlib import Path

import click
import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli import main
from pipedoctor.cli.formats import Subject, list_formats
from tests.cli.conftest import Run, complaint


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--data", "none"),
            "--data: none: No such file or directory; expected a dataset",
        ),
        (
            ("none.py",),
            ("PATHS: none.py: No such file or directory; expected a file or folder of code"),
        ),
        (
            ("--select", "shm-to-small"),
            (
                "'shm-to-small' is not the name, code or code prefix of a check;"
                " did you mean `shm-too-small`?"
            ),
        ),
        (
            ("--ignore", "x\x1b[31m"),
            "'x\\x1b[31m' is not the name, code or code prefix of a check",
        ),
        (
            ("--python", "a", "--env", "b"),
            "--python and --env cannot be combined",
        ),
        (
            ("--deadline", "nan"),
            "Invalid value for '--deadline': 'nan' is not a number of seconds",
        ),
        (
            ("--deadline", "inf"),
            "Invalid value for '--deadline': 'inf' is not a number of seconds",
        ),
        (
            ("--step-seconds", "nan"),
            "Invalid value for '--step-seconds': 'nan' is not a number of seconds",
        ),
        (
            ("--jobs", "9" * 20),
            (f"Invalid value for '-j' / '--jobs': {'9' * 20} is not in the range 1<=x<=65536."),
        ),
        (
            ("--workers", "65537"),
            "Invalid value for '--workers': 65537 is not in the range 0<=x<=65536.",
        ),
        (
            ("--workers", "65536", "--ranks", "65536", "--batch-bytes", "1G"),
            "so many batches of this size exceed the memory of any machine",
        ),
        (("--from", "none"), "--from none: cannot be read: No such file or directory"),
        (("--config", "none"), "none: No such file or directory"),
        (
            ("--batch-bytes", "many"),
            (
                "Invalid value for '--batch-bytes': 'many' is not a size:"
                " write 5G, 512M, 64MiB or a number of bytes"
            ),
        ),
        (
            ("--format", "pdf"),
            (
                "Invalid value for '--format': 'pdf' is not one of "
                f"{', '.join(map(repr, list_formats(Subject.REPORT)))}."
            ),
        ),
        (
            ("-o", "none/x"),
            "none/x: cannot be written: No such file or directory",
        ),
        (("-o", "."), ".: cannot be written: Is a directory"),
    ],
)
def test_mistakes_are_told_in_a_line(run: Run, args: tuple[str, ...], message: str) -> None:
    assert complaint(run("check", "--quick", *args)) == message


NAMING = ["FILE", "FILE|-", "DIR", "EXE", "PREFIX", "TARGET", "MODULE:CALLABLE"]


@pytest.mark.parametrize("command", ["check", "report", "diff", "fix", "tune", "whatif"])
def test_a_variable_that_was_never_set_names_nothing(run: Run, command: str) -> None:
    found = main.get_command(click.Context(main), command)
    assert found is not None
    for option in (p for p in found.params if isinstance(p, click.Option)):
        if option.metavar in NAMING:
            name = option.opts[-1]
            given = f"{' / '.join(map(repr, option.opts))}"
            said = run(command, name, "").stderr
            told = f"pipedoctor {command}: Invalid value for {given}: it is empty\n"
            assert said == told


@pytest.mark.parametrize(
    "args",
    [("x.py",), ("--data", "x"), ("--pid", "1"), ("--python", "x"), ("--env", "x")],
)
def test_a_record_is_judged_and_nothing_of_this_machine(
    run: Run, record: str, args: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert complaint(run("check", "--from", record, *args)) == snapshot


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"{", "Input data was truncated"),
        (
            b"# pipedoctor: no problems found\n",
            "a Markdown report does not contain all facts",
        ),
        (b"\x00\xff", "binary data"),
        (b"[" * 100_000, "no output of torch.utils.collect_env or its like in it"),
        (b'{"x":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_record_is_refused(run: Run, data: bytes, message: str) -> None:
    assert complaint(run("check", "--from", "-", stdin=data)) == (
        "--from -: expected a report of `pipedoctor check` as JSON, HTML or .zip, or "
        "the text of `python -m torch.utils.collect_env`: " + message
    )


def test_endless_input_is_refused_at_once(run: Run, snapshot: SnapshotAssertion) -> None:
    began = time.monotonic()

    message = complaint(run("check", "--from", "/dev/zero"))

    assert message == snapshot
    assert time.monotonic() - began < 10


def test_a_process_that_is_gone_is_told(run: Run) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()

    assert complaint(run("check", "--pid", str(gone.pid))) == (
        f"--pid {gone.pid}: no such process is running on this machine (No such file or directory)"
    )


def test_a_thread_of_the_kernel_is_told(run: Run) -> None:
    comm = Path("/proc/2/comm")
    if not comm.exists() or comm.read_text() != "kthreadd\n":
        pytest.skip("no kernel thread is to be seen from here")

    assert complaint(run("check", "--pid", "2")) == (
        "--pid 2: has ended already, or is a kernel thread"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_process_of_somebody_else_is_told(run: Run) -> None:
    run("check", "--help")  # what is imported later may be out of reach
    os.seteuid(65534)
    try:
        result = run("check", "--no-config", "--pid", str(os.getppid()))
    finally:
        os.seteuid(0)

    assert complaint(result).endswith(
        ": belongs to another user: its limits, mounts and environment cannot be read;"
        " run this as that user or with sudo"
    )
