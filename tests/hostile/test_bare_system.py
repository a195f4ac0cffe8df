"""A system that lacks what every program takes for granted: room, /dev/null, descriptors."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

PROGRAM = (sys.executable, "-m", "pipedoctor")
QUICK = ("check", "--quick", "--no-config", "--select", "shm-too-small", "--fail-on", "never")


def run(
    *argv: str, environ: Mapping[str, str], stderr: str = ""
) -> "subprocess.CompletedProcess[bytes]":
    """Run to the end; with `stderr`, that goes to a file of this name."""
    if not stderr:
        return subprocess.run(argv, env=dict(environ), check=False, capture_output=True, timeout=60)
    with Path(stderr).open("wb") as file:
        return subprocess.run(
            argv, env=dict(environ), check=False, stdout=subprocess.PIPE, stderr=file, timeout=60
        )


@pytest.mark.parametrize(
    "args",
    [
        ("check", "--bogus"),
        pytest.param(("nosuch",), marks=pytest.mark.extended),
        pytest.param(("check", "--from", "nothing"), marks=pytest.mark.extended),
        pytest.param(("fix", "--bogus"), marks=pytest.mark.extended),
        pytest.param(("diff",), marks=pytest.mark.extended),
    ],
)
def test_a_usage_error_is_one_whether_it_can_be_said_or_not(
    environ: Mapping[str, str], args: tuple[str, ...]
) -> None:
    assert run(*PROGRAM, *args, environ=environ, stderr="/dev/full").returncode == 2


def test_what_is_not_obeyed_costs_no_report(environ: Mapping[str, str], project: Path) -> None:
    (project / "pipedoctor.toml").write_text('python = "x"\n')
    script = f'cd {project} && exec 2>/dev/full && exec "$@"'

    done = run(
        "sh",
        "-c",
        script,
        "sh",
        *PROGRAM,
        *(a for a in QUICK if a != "--no-config"),
        environ=environ,
    )

    assert done.returncode == 0
    assert b"not obeyed" in b" ".join(done.stdout.split())


@pytest.mark.parametrize(
    "most", [5, *(pytest.param(n, marks=pytest.mark.extended) for n in (6, 7, 8, 9))]
)
def test_few_descriptors_are_enough(environ: Mapping[str, str], most: int) -> None:
    done = run("prlimit", f"--nofile={most}", *PROGRAM, *QUICK, environ=environ)

    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.root
def test_no_devices_at_all(environ: Mapping[str, str]) -> None:
    """A bare root folder, as a container without /dev has it."""
    script = 'mount -t tmpfs tmpfs /dev && exec "$@"'
    bare = ("unshare", "-m", "sh", "-c", script, "sh")

    done = run(*bare, *PROGRAM, *QUICK[:-4], "--fail-on", "never", environ=environ)
    closed = run("sh", "-c", 'exec "$@" >&-', "sh", *bare, *PROGRAM, *QUICK, environ=environ)

    assert done.returncode == 0, done.stderr
    assert b"without an answer" not in done.stdout
    assert closed.returncode == 2
    assert closed.stderr == b"pipedoctor: /dev/null: No such file or directory\n"


@pytest.mark.extended
def test_names_that_are_no_text(environ: Mapping[str, str], project: Path) -> None:
    """Bytes that are no UTF-8, and signs that turn a line around."""
    odd = os.fsencode(project) + b"/\xff\xe2\x80\xae.py"
    Path(os.fsdecode(odd)).write_text("import torch\ntorch.utils.data.DataLoader(1, 2)\n")
    for form in ("json", "sarif", "text"):
        argv = (*PROGRAM, "check", "--quick", "--no-config", "--format", form, "--fail-on", "never")
        done = run(*argv, os.fsdecode(odd), environ=environ)

        assert done.returncode == 0, done.stderr
        assert b"\xff" not in done.stdout
        assert "\u202e".encode() not in done.stdout


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_reports_in_other_encodings(
    environ: Mapping[str, str], project: Path, encoding: str
) -> None:
    whole = run(*PROGRAM, *QUICK, "--format", "json", environ=environ).stdout
    (project / "r.json").write_bytes(whole.decode().encode(encoding))

    again = run(*PROGRAM, "check", "--from", str(project / "r.json"), *QUICK[2:], environ=environ)

    assert again.returncode in {0, 3}, again.stderr
