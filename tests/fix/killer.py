"""
Kill a fix at every step it takes, and let the next one find what is left.

Runs inside a ward: ``python killer.py FSTAB -- COMMAND -- KILLED -- NEXT``, each
the arguments of `pipedoctor fix`. COMMAND prepares (may be empty, may itself be
killed at the step FATAL_TO_THE_FIRST). Every run is a
fork of this process, killed at its n-th step, n = 1, 2, ... (or further apart, by STRIDE)
until one lives. A line
of JSON for each: what it was about to do, how NEXT ended, and what there is then.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from pipedoctor.cli import main
from pipedoctor.fix.history.undo_request import undo_fix
from pipedoctor.fix.machine.apply import apply_fixes
from pipedoctor.fix.request.request import FixRequest

JOURNAL = Path("/var/lib/pipedoctor/journal")
STEPS = {
    "open",
    "os.mkdir",
    "os.rename",
    "os.link",
    "os.remove",
    "os.rmdir",
    "os.chmod",
    "os.chown",
    "os.truncate",
    "subprocess.Popen",
}
PLACES = ("/var/lib/pipedoctor", "/etc/", "/dev/shm", "mount")


def is_step(event: str, args: tuple[Any, ...]) -> bool:
    """Does it change something that is ours, or may it?"""
    name = args[0] if args else ""
    relative = isinstance(name, str) and "/" not in name  # to an open folder of ours
    if event not in STEPS or not (relative or any(place in repr(args) for place in PLACES)):
        return False
    return event != "open" or bool(args[2] & (os.O_WRONLY | os.O_RDWR))


def fix(args: list[str], fatal: int = 0) -> tuple[int, str]:
    """Run it in a fork that dies before its `fatal`-th step; -9 says that it did."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        steps = 0

        def count(event: str, args: tuple[Any, ...]) -> None:
            nonlocal steps
            if is_step(event, args):
                steps += 1
                if steps == fatal:
                    os.write(writer, f"{event} {args!r:.120}".encode())
                    os.kill(os.getpid(), signal.SIGKILL)

        if fatal:
            sys.addaudithook(count)
        sys.argv = ["pipedoctor", "fix", *args]
        code = 70
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        about = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), about


LOADED = (apply_fixes, undo_fix)  # once, for all forks


def nothing_else(self: FixRequest) -> list[str]:  # noqa: ARG001  (a method)
    """What else is wrong is said after the last step, and takes its time."""
    return []


FixRequest.list_remaining_findings = nothing_else  # type: ignore[method-assign]


def reset(fstab: str, prepare: list[str]) -> None:
    shutil.rmtree(JOURNAL, ignore_errors=True)
    Path("/etc/fstab").write_text(fstab)
    subprocess.run(["mount", "-o", "remount,size=64m", "/dev/shm"], check=True)
    if prepare:
        fix(prepare, int(os.environ.get("FATAL_TO_THE_FIRST", "0")))


def found() -> dict[str, Any]:
    """What there is now, as anybody can see it."""
    seen = os.statvfs("/dev/shm")
    entries = [json.loads(f.read_text()) for f in JOURNAL.glob("[0-9]*/entry.json")]
    return {
        "shm": (seen.f_blocks * seen.f_frsize) >> 20,
        "fstab": Path("/etc/fstab").read_text(),
        "states": [entry["state"] for entry in sorted(entries, key=lambda e: e["id"])],
        "left": [p.name for p in Path("/etc").glob(".*pipedoctor*")],
    }


def every_step() -> None:
    fstab, prepare, killed, then = " ".join(sys.argv[1:]).split(" -- ")
    for fatal in range(1, 1000, int(os.environ.get("STRIDE", "1"))):
        reset(Path(fstab).read_text(), prepare.split())
        code, about = fix(killed.split(), fatal)
        if code != -signal.SIGKILL:
            return
        history = fix(["--history"])[0]
        code = fix(then.split())[0]
        print(  # noqa: T201  (this is its output)
            json.dumps({"about": about, "code": code, "history": history, **found()}),
            flush=True,
        )


if __name__ == "__main__":
    every_step()
