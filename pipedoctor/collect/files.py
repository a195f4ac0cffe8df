"""
Touch the user's files: each in a child that can be abandoned, for any may hang.

Where no child can be started they are touched here: the report is worth the risk.
"""

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipedoctor.collect import lanes
from pipedoctor.collect.probe import Announce, Outcome, Probe, Work
from pipedoctor.facts import Unreadable

PATIENCE = 2.0
OWN = ("/dev/fd/", "/dev/std", "/proc/self/fd/")
"""Names of this process's own descriptors; no child of ours holds them."""


class Silent(Unreadable):
    """A file that did not answer in time."""


def patiently(name: str, work: Work, *, patience: float = PATIENCE) -> Any:
    """What `work` returns, from a lane; raises `Silent` late, `Unreadable` if not."""
    probe = Probe(name=name, work=work, patience=patience, steady=True)
    return _value(_all([probe], patience)[name])


def load(path: str, most: int) -> bytes:
    """The first `most` bytes of a file; raises Unreadable."""
    if path.startswith(OWN):
        return _bytes(path, most)
    data = patiently(path, lambda _: _bytes(path, most))
    assert isinstance(data, bytes)  # noqa: S101  (what _bytes returns)
    return data


def store(path: str, data: bytes) -> None:
    """
    Put `data` into a file, whole or not at all; raises Unreadable.

    Devices and pipes are written to, not replaced; a link keeps pointing at its
    target; mode and owner of a file that was there stay.
    """
    if path.startswith(OWN):
        _write(path, data)
    else:
        patiently(path, lambda _: _write(path, data))


def create(path: str, data: bytes) -> bool:
    """Put `data` into a new file; False where one is there; raises Unreadable."""
    return bool(patiently(path, lambda _: _create(path, data)))


def missing(paths: Iterable[str], *, patience: float = PATIENCE) -> dict[str, str]:
    """Those of the paths that say that they cannot be reached, and why."""
    probes = [
        Probe(name=path, work=_stat(path), lane=path, patience=patience, steady=True)
        for path in dict.fromkeys(paths)
    ]
    return {
        name: outcome.reason
        for name, outcome in _all(probes, patience).items()
        if outcome.reason and not outcome.hung
    }


def why(error: OSError) -> str:
    """Say an error of the system in its own words: ``No such file or directory``."""
    return error.strerror or str(error)


def _all(probes: list[Probe], patience: float = PATIENCE) -> dict[str, Outcome]:
    if lanes.CAN_FORK:
        run = lanes.run
    else:
        from pipedoctor.collect.unforked import run  # noqa: PLC0415  (elsewhere)
    return run(probes, until=time.monotonic() + patience + 1)


def _value(outcome: Outcome) -> Any:
    if outcome.hung:
        raise Silent(outcome.reason)
    if outcome.reason:
        raise Unreadable(outcome.reason)
    return outcome.value


def _stat(path: str) -> Work:
    def work(announce: Announce) -> bool:
        announce(f"stat {path}")
        try:
            os.stat(path)  # noqa: PTH116  (Path would cost its import in each lane)
        except OSError as error:
            raise Unreadable(why(error)) from error
        return True

    return work


def _bytes(path: str, most: int) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  (also /dev/fd/3)
            return file.read(most)
    except OSError as error:
        raise Unreadable(why(error)) from error


def _write(path: str, data: bytes) -> None:
    try:
        target = os.path.realpath(path)
        there = _there(target)
        if path.startswith(OWN) or (there and not stat.S_ISREG(there.st_mode)):
            with open(path, "wb") as file:  # noqa: PTH123
                file.write(data)
        else:
            _replace(Path(target), data, there)
    except OSError as error:
        raise Unreadable(why(error)) from error


def _create(path: str, data: bytes) -> bool:
    try:
        with open(path, "xb") as file:  # noqa: PTH123
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                os.unlink(path)  # noqa: PTH108
                raise
    except FileExistsError:
        return False
    except OSError as error:
        raise Unreadable(why(error)) from error
    return True


def _there(path: str) -> os.stat_result | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return found


def _replace(target: Path, data: bytes, there: os.stat_result | None) -> None:
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if there is not None:
            draft.chmod(stat.S_IMODE(there.st_mode))
            if sys.platform != "win32":
                with contextlib.suppress(PermissionError):
                    os.chown(draft, there.st_uid, there.st_gid)
        draft.replace(target)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
