"""What commands do not do unless they are asked to: write, run code, talk to anybody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOOKED = """
import sys

def watch(event, args):
    address = args[1] if event in ("socket.connect", "socket.sendto") else args[:1]
    if event == "socket.getaddrinfo" or (event.startswith("socket.") and type(address) is tuple
                                         and len(address) > 1):
        with open({seen!r}, "a") as file:
            file.write(f"{{event}} {{args[1:]}}\\n")

sys.addaudithook(watch)
from pipedoctor.cli import main
main()
"""
"""The program with a hook that notes every address and name of a host, in its children too."""
BOOBY_TRAP = "import pathlib\npathlib.Path({ran!r}).touch()\n"
CODE = "import torch\nloader = torch.utils.data.DataLoader([1], num_workers=4)\n"
LOG = "RuntimeError: DataLoader worker (pid 12) is killed by signal: Bus error.\n"
COMMANDS = {
    "check": ("check", "--quick", "--no-cache", "--fail-on", "never", "."),
    "explain": ("explain", "train.log"),
    "explain NAME": ("explain", "shm-too-small"),
    "list": ("list",),
    "report": ("report", "--quick", "--no-cache", "--copy", "--no-keep", "--no-redact", "."),
    "fix --dry-run": ("fix", "--shm", "1G", "--dry-run"),
    "fix --code": ("fix", "--code", "--dry-run", "."),
    "fix --history": ("fix", "--history"),
    "diff": ("diff", "a.txt", "b.txt"),
}
IN_CI = ("check", "fix --code")
every_command = pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in IN_CI else pytest.mark.extended) for n in COMMANDS],
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose every file says when it is run."""
    folder = tmp_path / "project"
    folder.mkdir()
    trap = BOOBY_TRAP.format(ran=str(tmp_path / "ran"))
    for name in ("train.py", "setup.py", "conftest.py", "sitecustomize.py", "torch.py", "click.py"):
        (folder / name).write_text(trap + CODE)
    (folder / "train.log").write_text(LOG)
    for name, version in (("a.txt", "2.5.0"), ("b.txt", "2.6.0")):
        (folder / name).write_text(f"torch=={version}\n")
    return folder


def run(name: str, project: Path) -> str:
    """The addresses and hosts that a command was after."""
    seen, home = project.parent / "seen", project.parent / "home"
    home.mkdir(exist_ok=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-I", "-c", HOOKED.format(seen=str(seen)), *COMMANDS[name]],
        cwd=project,
        env={**environ, "VIRTUAL_ENV": sys.prefix},
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in {0, 1}, done.stderr
    return seen.read_text() if seen.exists() else ""


def list_files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything in it, with its content and the time of its last change."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


@every_command
def test_no_connection_is_opened(name: str, project: Path) -> None:
    assert run(name, project) == ""


def test_the_hook_sees_a_connection(project: Path) -> None:
    code = HOOKED.format(seen=str(project / "seen")).replace(
        "from pipedoctor.cli import main\nmain()",
        "import socket\nsocket.socket().connect_ex(('127.0.0.1', 9))",
    )

    subprocess.run([sys.executable, "-I", "-c", code], check=True)

    assert (project / "seen").read_text() == "socket.connect (('127.0.0.1', 9),)\n"


@every_command
def test_nothing_is_written_unasked(name: str, project: Path) -> None:
    before = list_files(project)

    run(name, project)

    assert list_files(project) == before
    assert list_files(project.parent / "home") == {}


@every_command
def test_code_that_is_examined_is_not_run(name: str, project: Path) -> None:
    run(name, project)

    assert not (project.parent / "ran").exists()
