"""The sudo line that works as it stands, whatever sudo thinks of PATH."""

import os
import shlex
import sys
from pathlib import Path

import pipedoctor


def program() -> tuple[str, ...]:
    """This very program, so that another environment's PATH finds it too."""
    called = Path(sys.argv[0])
    if called.name != "__main__.py" and called.is_file() and os.access(called, os.X_OK):
        return (str(called.absolute()),)
    return (sys.executable, "-m", "pipedoctor")


def own_line(*args: str) -> str:
    """Run this program as root, with these arguments and the same journal."""
    return shlex.join(("sudo", *_environment(), *program(), *args))


def same_again() -> str:
    """The command line that was typed, as root."""
    return own_line(*sys.argv[1:])


def _environment() -> tuple[str, ...]:
    """What sudo would drop, but we need: where the journal is, where we are."""
    kept = {"XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME", "")}
    home = str(Path(pipedoctor.__file__).parent.parent)
    path = os.environ.get("PYTHONPATH", "")
    if home in {os.path.realpath(entry) for entry in path.split(os.pathsep) if entry}:
        kept["PYTHONPATH"] = path
    pairs = tuple(f"{name}={value}" for name, value in kept.items() if value)
    return ("env", *pairs) if pairs else ()


def is_root() -> bool:
    """May this process do what needs root?"""
    return os.geteuid() == 0
