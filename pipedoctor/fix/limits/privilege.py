"""The sudo line that works as it stands, whatever sudo thinks of PATH."""

import os
import shlex
import sys
from pathlib import Path

import pipedoctor
from pipedoctor.runtime.state_dir import is_root

CAP_SYS_ADMIN = 21
"""Capability to mount (linux/capability.h)."""
CAP_SYS_RESOURCE = 24
"""Capability to raise hard limits."""


def has_capability(capability: int) -> bool:
    """Is it ours, or, for those who are not root, to be had with sudo?"""
    row = "CapEff:" if is_root() else "CapBnd:"
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith(row))
    return bool(int(line.split()[1], 16) >> capability & 1)


def find_program() -> tuple[str, ...]:
    """The very program that runs, so that another environment's PATH finds it too."""
    called = Path(sys.argv[0])
    if called.name != "__main__.py" and called.is_file() and os.access(called, os.X_OK):
        return (str(called.absolute()),)
    return (sys.executable, "-m", "pipedoctor")


def format_sudo_command(*args: str) -> str:
    """Run this program as root, with these arguments and the same journal."""
    return shlex.join(("sudo", *_list_environment(), *find_program(), *args))


def repeat_as_root() -> str:
    """The command line that was typed, as root."""
    return format_sudo_command(*sys.argv[1:])


def _list_environment() -> tuple[str, ...]:
    """What sudo would drop, but we need: where the journal is, where we are."""
    kept = {"XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME", "")}
    home = str(Path(pipedoctor.__file__).parent.parent)
    path = os.environ.get("PYTHONPATH", "")
    if home in {os.path.realpath(entry) for entry in path.split(os.pathsep) if entry}:
        kept["PYTHONPATH"] = path
    pairs = tuple(f"{name}={value}" for name, value in kept.items() if value)
    return ("env", *pairs) if pairs else ()
