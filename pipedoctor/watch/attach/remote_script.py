"""
Run a script in another Python, by `sys.remote_exec` (PEP 768, CPython 3.14 and newer).

The call is made by a Python of the same version: this one, or the program of the job.
"""

import os
import sys
from pathlib import Path

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.captured_process import LateProcessError, run_captured

OLDEST = (3, 14)
_TIMEOUT_SECONDS = 10.0
_MAX_REASON = 200
_CALL = "import sys; sys.remote_exec(int(sys.argv[1]), sys.argv[2])"


def refuse_injection(pid: int, version: tuple[int, int] | None, proc: Path) -> None:
    """Raise UnreadableError where a script cannot, or must not, be run there."""
    if version is None:
        message = f"PID {pid}: which Python it is cannot be read"
        raise UnreadableError(message)
    if version < OLDEST:
        message = f"PID {pid} runs CPython {version[0]}.{version[1]}: 3.14 or newer is needed"
        raise UnreadableError(message)
    try:
        elsewhere = not os.path.samestat((proc / "root").stat(), Path("/").stat())
    except OSError as error:
        message = f"PID {pid}: {error.strerror}"
        raise UnreadableError(message) from None
    if elsewhere:
        message = f"PID {pid} has other files than this process: start pipedoctor in its container"
        raise UnreadableError(message)


def send_script(pid: int, version: tuple[int, int], script: Path, proc: Path) -> None:
    """Let the main thread of that process run a file soon; raises UnreadableError."""
    call = getattr(sys, "remote_exec", None)
    if call is not None and sys.version_info[:2] == version:
        try:
            call(pid, os.fspath(script))
        except (OSError, RuntimeError) as error:
            message = f"PID {pid}: {error}"
            raise UnreadableError(message[:_MAX_REASON]) from None
        return
    command = [_find_program(pid, proc), "-I", "-S", "-c", _CALL, str(pid), os.fspath(script)]
    try:
        done = run_captured(command, timeout=_TIMEOUT_SECONDS)
    except (OSError, LateProcessError) as error:
        message = f"PID {pid}: its Python {error}"
        raise UnreadableError(message[:_MAX_REASON]) from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").split("\n")
        words = next((line for line in reversed(lines) if line.strip()), "its Python does not say")
        message = f"PID {pid}: {words}"
        raise UnreadableError(message[:_MAX_REASON])


def _find_program(pid: int, proc: Path) -> str:
    """The Python of the job, where it is one and runs as the user that asks."""
    try:
        program, owner = os.readlink(proc / "exe"), proc.stat().st_uid  # noqa: PTH115
    except OSError as error:
        message = f"PID {pid}: {error.strerror}"
        raise UnreadableError(message) from None
    if owner != os.geteuid():
        message = f"PID {pid} belongs to another user: use pipedoctor on the Python that it runs"
        raise UnreadableError(message)
    if not program.rpartition("/")[2].startswith("python"):
        message = f"PID {pid}: its program is no python: use pipedoctor on the Python that it runs"
        raise UnreadableError(message)
    return program
