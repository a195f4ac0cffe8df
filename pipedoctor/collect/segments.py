"""The files in /dev/shm that workers leave behind, and who still needs them."""

import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import read_or
from pipedoctor.collect.mounts import legible
from pipedoctor.facts import Segment

MOST = 4096
LONGEST = 2.0
"""Seconds for looking through all processes."""
PATIENCE = 1.0
"""Seconds of these for those that sleep in the kernel, once the others are read."""
_NAP = 0.02

_OURS = re.compile(
    r"torch_(?P<pid>[1-9][0-9]{0,8})_[A-Za-z0-9_.-]+|(torch_|psm_|sem\.|mp-|nccl-).*"
)
_KERNEL_THREAD = 0x00200000
"""include/linux/sched.h: PF_KTHREAD, in the ninth field of /proc/PID/stat."""
_FLAGS = 6
"""The ninth field of stat is the seventh behind the name."""
_GONE = {"gone", "Z", "X"}
_LAST = re.compile(r"([^/\n]+)$", re.MULTILINE)


@dataclass
class _Sight:
    """What a walk through /proc has shown."""

    names: set[str] = field(default_factory=set[str])
    whole: bool = True
    foreign: bool = False


@dataclass(frozen=True, kw_only=True)
class Census:
    """The candidates, how many more there are, and whether others share the mount."""

    segments: tuple[Segment, ...] = ()
    left_out: int = 0
    foreign: bool = False
    """Does a process of another PID namespace have the same mount?"""


def census(
    folder: Path, proc: Path, announce: Announce, *, initial: bool, private: bool
) -> Census:
    """
    List what looks like a segment and find out who owns and who holds it.

    `initial`: `proc` shows every process of the machine, by the numbers that names
    carry. `private`: it shows all that can reach `folder`. Only with one of them
    can anybody say that nobody holds a file.
    """
    announce(f"listing {folder}")
    found = sorted(_candidates(folder), key=lambda seg: (-seg.size, seg.path))
    if not found:
        return Census()
    initial = initial and (proc / "1").exists()  # else some are hidden from us
    sight = _look(proc, folder, announce, initial=initial)
    unseen = False if sight.whole and (initial or private) else None
    kept = found[:MOST]
    judged = tuple(
        replace(
            one,
            held=True if one.path.rpartition("/")[2] in sight.names else unseen,
            owner_alive=_alive(proc, one.pid) if initial and one.pid else None,
        )
        for one in kept
    )
    left_out = len(found) - len(kept)
    return Census(segments=judged, left_out=left_out, foreign=sight.foreign)


def _candidates(folder: Path) -> Iterator[Segment]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        name = legible(entry.name)
        match = _OURS.fullmatch(name)
        if not match:
            continue
        try:
            seen = entry.stat(follow_symlinks=False)
        except OSError:  # gone meanwhile
            continue
        if stat.S_ISREG(seen.st_mode):
            yield Segment(
                path=f"/dev/shm/{name}",
                size=seen.st_blocks * 512,
                uid=seen.st_uid,
                pid=int(match["pid"]) if match["pid"] else None,
            )


def _alive(proc: Path, pid: int) -> bool:
    """A zombie lives no more: it has let go of all it had."""
    return _state(proc / str(pid))[0] not in _GONE


def _state(process: Path) -> tuple[str, int]:
    """
    State and flags, after a name that may hold blanks and brackets itself.

    ``gone`` when there is no such process, ``?`` when it hides or tells nonsense.
    """
    try:
        text = (process / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return "gone", 0
    except OSError:
        return "?", 0
    words = text.rpartition(")")[2].split()
    told = len(words) > _FLAGS and words[_FLAGS].isdecimal()
    return (words[0], int(words[_FLAGS])) if told else ("?", 0)


def _look(proc: Path, folder: Path, announce: Announce, *, initial: bool) -> _Sight:
    """
    Names of all files that any process maps or has open.

    By name, not by inode: a file of that name in another mount counts as held,
    which errs on the safe side. The machine's own first process is no DataLoader's;
    some sandboxes hide it from root, too.
    """
    sight = _Sight(whole=(proc / "1").exists())
    own, device = _link(proc / "self/ns/pid"), _device(folder)
    spaces: set[str] = set()
    for process in _readable(proc, sight):
        announce(f"reading {process}/maps")
        excused = initial and process.name == "1"
        sight.whole &= _add(process, sight.names) or excused
        if _link(process / "ns/pid") not in {own, ""}:
            space = _link(process / "ns/mnt")
            sight.foreign |= space not in spaces and _mounts(process, device)
            spaces.add(space)
    return sight


def _readable(proc: Path, sight: _Sight) -> Iterator[Path]:
    """
    The processes whose maps can be read at once.

    Reading those of one that sleeps in the kernel could take as long as it sleeps,
    mostly some milliseconds on a disk: they come last, when they have woken.
    """
    until = end = time.monotonic() + LONGEST
    waiting = [one for one in proc.iterdir() if one.name.isdecimal()]
    while waiting:
        asleep: list[Path] = []
        for process in waiting:
            state, flags = _state(process)
            if state == "D" or time.monotonic() > until:
                asleep.append(process)
            elif state not in _GONE and not flags & _KERNEL_THREAD:
                yield process
        if time.monotonic() > until:
            break
        until = min(until, time.monotonic() + PATIENCE) if until == end else until
        waiting = asleep
        time.sleep(_NAP if asleep else 0)
    sight.whole &= not waiting


def _add(process: Path, names: set[str]) -> bool:
    """Add what this process holds; False when that cannot be seen."""
    try:
        text = (process / "maps").read_text(encoding="utf-8", errors="backslashreplace")
        names.update(match[1] for match in _LAST.finditer(text))
        for entry in os.scandir(process / "fd"):
            names.add(legible(_link(Path(entry.path)).rpartition("/")[2]))
    except (FileNotFoundError, ProcessLookupError):
        return True  # it ended
    except OSError:
        return False
    return True


def strangers(proc: Path, folder: Path, uid: int) -> bool:
    """
    May processes of this user in another PID namespace put files into `folder`?

    Numbers in names of files are theirs, then, not those of `proc`. One that hides its
    namespace may be one of them.
    """
    own, device = _link(proc / "self/ns/pid"), _device(folder)
    for process in proc.iterdir():
        if process.name == "1" or _owner(process) != uid:  # the first one is never one
            continue
        space = _link(process / "ns/pid")
        state, flags = _state(process)
        if space == own or state in _GONE or flags & _KERNEL_THREAD:
            continue
        if not space or _mounts(process, device):
            return True
    return False


def _owner(process: Path) -> int:
    """The user of a process; -1: it is none, or has ended."""
    try:
        return process.stat().st_uid if process.name.isdecimal() else -1
    except OSError:
        return -1


def _mounts(process: Path, device: str) -> bool:
    text = read_or(process / "mountinfo")
    return any(line.split(" ", 3)[2:3] == [device] for line in text.splitlines())


def _device(folder: Path) -> str:
    number = folder.stat().st_dev
    return f"{os.major(number)}:{os.minor(number)}"


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""
