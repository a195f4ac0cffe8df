"""The files in /dev/shm that workers leave behind, and who still needs them."""

import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from pipedoctor.collect.machine import MAX_TEXT_BYTES, read_or_default
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import Segment
from pipedoctor.runtime import regular_file
from pipedoctor.runtime.lanes import Announce

MAX_SEGMENTS = 4096
SCAN_TIMEOUT = 2.0
"""Seconds for looking through all processes."""
SLEEPER_TIMEOUT = 1.0
"""Seconds of these for those that sleep in the kernel, once the others are read."""
_POLL_INTERVAL = 0.02

_SEGMENT_NAME = re.compile(
    r"torch_(?P<pid>[1-9][0-9]{0,8})_[A-Za-z0-9_.-]+|(torch_|psm_|sem\.|mp-|nccl-).*"
)
_USERS = re.compile(r"^Uid:((?:\s+\d+)+)$", re.MULTILINE)
_KERNEL_THREAD = 0x00200000
"""include/linux/sched.h: PF_KTHREAD, in the ninth field of /proc/PID/stat."""
_FLAGS_FIELD = 6
"""The ninth field of stat is the seventh behind the name."""
_ENDED_STATES = {"gone", "Z", "X"}


@dataclass
class _ProcessScan:
    """File names found in /proc, and whether every process could be read."""

    names: set[str] = field(default_factory=set[str])
    complete: bool = True
    """Is everything of these processes seen, but for those of `hidden`?"""
    hidden: set[int] = field(default_factory=set[int])
    """Users of processes that cannot be read."""
    foreign: bool = False

    def shows(self, segment: Segment) -> bool:
        """Could every process be read that may open this file?"""
        return not ({segment.uid} & self.hidden if segment.private else self.hidden)


@dataclass(frozen=True, kw_only=True)
class SegmentScan:
    """The candidates, how many more there are, and whether others share the mount."""

    segments: tuple[Segment, ...] = ()
    left_out: int = 0
    foreign: bool = False
    """Does a process of another PID namespace have the same mount?"""


def scan_segments(
    folder: Path, proc: Path, announce: Announce, *, initial: bool, private: bool
) -> SegmentScan:
    """
    List what looks like a segment and find out who owns and who holds it.

    `initial`: `proc` shows every process of the machine, by the numbers that names
    carry. `private`: it shows all that can reach `folder`. Only with one of them
    can anybody say that nobody holds a file.
    """
    announce(f"listing {folder}")
    candidates = dict(_list_candidates(folder))
    found = sorted(candidates.values(), key=lambda seg: (-seg.size, seg.path))
    if not found:
        return SegmentScan()
    initial = initial and (proc / "1").exists()  # else some are hidden from us
    sight = _scan_processes(proc, folder, announce, frozenset(candidates), initial=initial)
    held = {candidates[name].path for name in sight.names}
    whole = sight.complete and (initial or private)
    kept = found[:MAX_SEGMENTS]
    judged = tuple(
        replace(
            one,
            held=True if one.path in held else False if whole and sight.shows(one) else None,
            owner_alive=_is_alive(proc, one.pid) if initial and one.pid else None,
        )
        for one in kept
    )
    left_out = len(found) - len(kept)
    return SegmentScan(segments=judged, left_out=left_out, foreign=sight.foreign)


def _list_candidates(folder: Path) -> Iterator[tuple[str, Segment]]:
    """What looks like a segment, by its name as the system has it."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        name = escape_path(entry.name)
        match = _SEGMENT_NAME.fullmatch(name)
        if not match:
            continue
        try:
            seen = entry.stat(follow_symlinks=False)
        except OSError:  # gone meanwhile
            continue
        if stat.S_ISREG(seen.st_mode):
            segment = Segment(
                path=f"/dev/shm/{name}",
                size=seen.st_blocks * 512,
                uid=seen.st_uid,
                pid=int(match["pid"]) if match["pid"] else None,
                private=not seen.st_mode & (stat.S_IRWXG | stat.S_IRWXO),
                own=seen.st_uid == os.geteuid(),
            )
            yield entry.name, segment


def _is_alive(proc: Path, pid: int) -> bool:
    """Is the process alive? A zombie is not: it holds nothing any more."""
    return _read_state(proc / str(pid))[0] not in _ENDED_STATES


def _read_state(process: Path) -> tuple[str, int]:
    """
    State and flags, after a name that may hold blanks and brackets itself.

    ``gone`` when there is no such process, ``?`` when it hides or tells nonsense.
    """
    try:
        text = regular_file.read_text(process / "stat", MAX_TEXT_BYTES)
    except (FileNotFoundError, ProcessLookupError):
        return "gone", 0
    except OSError:
        return "?", 0
    words = text.rpartition(")")[2].split()
    told = len(words) > _FLAGS_FIELD and words[_FLAGS_FIELD].isdecimal()
    return (words[0], int(words[_FLAGS_FIELD])) if told else ("?", 0)


def _scan_processes(
    proc: Path, folder: Path, announce: Announce, candidates: frozenset[str], *, initial: bool
) -> _ProcessScan:
    """
    Which of the wanted names any process maps or has open.

    By name, not by inode: a file of that name in another mount counts as held,
    which errs on the safe side. The machine's own first process is no DataLoader's;
    some sandboxes hide it from root, too.
    """
    sight = _ProcessScan(complete=(proc / "1").exists())
    own, device = _read_link(proc / "self/ns/pid"), _get_device(folder)
    spaces: set[str] = set()
    for process in _iter_readable(proc, sight):
        announce(f"reading {process}/maps")
        excused = initial and process.name == "1"
        if not _add_held_names(str(process), candidates, sight.names) and not excused:
            users = _read_users(process)
            sight.hidden |= users
            sight.complete &= bool(users)
        if _read_link(process / "ns/pid") not in {own, ""}:
            space = _read_link(process / "ns/mnt")
            sight.foreign |= space not in spaces and _has_mount(process, device)
            spaces.add(space)
    return sight


def _iter_readable(proc: Path, scan: _ProcessScan) -> Iterator[Path]:
    """
    The processes whose maps can be read at once.

    Reading those of one that sleeps in the kernel could take as long as it sleeps,
    mostly some milliseconds on a disk: they come last, when they have woken.
    """
    until = end = time.monotonic() + SCAN_TIMEOUT
    waiting = [one for one in proc.iterdir() if one.name.isdecimal()]
    while waiting:
        asleep: list[Path] = []
        for process in waiting:
            state, flags = _read_state(process)
            if state == "D" or time.monotonic() > until:
                asleep.append(process)
            elif state not in _ENDED_STATES and not flags & _KERNEL_THREAD:
                yield process
        if time.monotonic() > until:
            break
        until = min(until, time.monotonic() + SLEEPER_TIMEOUT) if until == end else until
        waiting = asleep
        time.sleep(_POLL_INTERVAL if asleep else 0)
    scan.complete &= not waiting


def _add_held_names(process: str, candidates: frozenset[str], names: set[str]) -> bool:
    """Add those of the wanted that it holds; False when that cannot be seen."""
    missing = candidates - names
    if not missing:
        return True
    try:
        text = regular_file.read_start(f"{process}/maps", MAX_TEXT_BYTES)
        mapped = {line[line.rfind(b"/") + 1 :] for line in text.split(b"\n")[:-1]}
        names.update(name for name in missing if _format_mapped(name) in mapped)
        names.update(_iter_open_names(process, missing))
    except (FileNotFoundError, ProcessLookupError):
        return True  # it ended
    except OSError:
        return False
    return True


def _format_mapped(name: str) -> bytes:
    """How the kernel writes the name of a mapped file."""
    return os.fsencode(name).replace(b"\n", rb"\012")


def _iter_open_names(process: str, candidates: frozenset[str]) -> Iterator[str]:
    """
    Which of these names a process has open.

    Others may have thousands of files open: each costs one call, and no more.
    """
    folder = os.open(f"{process}/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for number in os.listdir(folder):  # noqa: PTH208  (names suffice)
            try:
                target = os.readlink(number, dir_fd=folder)
            except OSError:  # closed meanwhile
                continue
            name = target[target.rfind("/") + 1 :]
            if name in candidates:
                yield name
    finally:
        os.close(folder)


def has_foreign_processes(proc: Path, folder: Path, uid: int) -> bool:
    """
    May processes of this user in another PID namespace put files into `folder`?

    Numbers in names of files are theirs, then, not those of `proc`. One that hides its
    namespace may be one of them.
    """
    own, device = _read_link(proc / "self/ns/pid"), _get_device(folder)
    for process in proc.iterdir():
        if process.name == "1" or _get_owner(process) != uid:  # the first one is never one
            continue
        space = _read_link(process / "ns/pid")
        state, flags = _read_state(process)
        if space == own or state in _ENDED_STATES or flags & _KERNEL_THREAD:
            continue
        if not space or _has_mount(process, device):
            return True
    return False


def _read_users(process: Path) -> set[int]:
    """
    The users that it runs as; empty: nobody can say.

    The folder of one that hides itself belongs to root, whoever started it.
    """
    match = _USERS.search(read_or_default(process / "status"))
    return {int(number) for number in match[1].split()} if match else set()


def _get_owner(process: Path) -> int:
    """The user of a process; -1: it is none, or has ended."""
    try:
        return process.stat().st_uid if process.name.isdecimal() else -1
    except OSError:
        return -1


def _has_mount(process: Path, device: str) -> bool:
    text = read_or_default(process / "mountinfo")
    return any(line.split(" ", 3)[2:3] == [device] for line in text.splitlines())


def _get_device(folder: Path) -> str:
    number = folder.stat().st_dev
    return f"{os.major(number)}:{os.minor(number)}"


def _read_link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""
