"""The images to decode: the user's own, or made here."""

import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipedoctor.bench.decoder import program
from pipedoctor.collect import files
from pipedoctor.collect.probe import Announce
from pipedoctor.collect.sample import walk
from pipedoctor.facts import Unreadable

MOST = 16
"""Images; more would leave no time to see each of them several times."""
MOST_BYTES = 48 << 20
MOST_OF_ONE = 32 << 20
SUFFIXES = frozenset(
    ".jpg .jpeg .jpe .jfif .png .webp .bmp .gif .tif .tiff .avif .heic".split()  # noqa: SIM905
)
GENERATED = 8
_LENGTH = struct.Struct("<I")
_WALK = 2.0


@dataclass
class Pictures:
    """Names with their contents, and what could not be read."""

    data: dict[str, bytes] = field(default_factory=dict[str, bytes])
    unreadable: dict[str, str] = field(default_factory=dict[str, str])
    generated: bool = False


def load(paths: Sequence[str]) -> Pictures:
    """
    Read files, and a few of each folder, spread over it; bounded.

    Raises Unreadable where a path is not there or a folder holds no image.
    """
    found = Pictures()
    chosen = [name for path in paths for name in _named(path)]
    for name in _spread(chosen, MOST):
        if sum(map(len, found.data.values())) > MOST_BYTES:
            break
        try:
            data = files.load(name, MOST_OF_ONE + 1)
        except Unreadable as error:
            found.unreadable[name] = str(error)
            continue
        if not data:
            found.unreadable[name] = "it is empty"
        elif len(data) > MOST_OF_ONE:
            found.unreadable[name] = f"larger than {MOST_OF_ONE >> 20} MiB"
        else:
            found.data[name] = data
    return found


def generate(
    executable: str,
    environ: Mapping[str, str],
    size: tuple[int, int],
    patience: float,
    count: int = GENERATED,
) -> Pictures:
    """Have them made in the examined interpreter; raises Unreadable where none can."""
    line = program(executable, "photos.py", *map(str, size), str(count))
    try:
        done = subprocess.run(
            line,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"no test images after {patience:.0f} s"
        raise Unreadable(message) from None
    except OSError as error:
        message = f"{executable} cannot be started: {error.strerror}"
        raise Unreadable(message) from error
    if done.returncode:
        message = (
            f"no library in {executable} can write a JPEG: give images of your own"
        )
        raise Unreadable(message)
    data = dict(enumerate(_frames(done.stdout)))
    return Pictures(
        data={f"generated {number}": body for number, body in data.items()},
        generated=True,
    )


def _named(path: str) -> list[str]:
    """The file itself, or the images of a folder; raises Unreadable."""

    def look(announce: Announce) -> Any:
        announce(f"stat {path}")
        place = Path(path)
        if not place.exists():
            message = "no such file or directory"
            raise Unreadable(message)
        if not place.is_dir():
            return [path]
        seen = walk(place, announce, patience=_WALK / 2)
        names = [str(p) for p, size in seen.files if size and _is_image(p)]
        return _spread(names, MOST)

    try:
        names: list[str] = files.patiently(path, look, patience=_WALK)
    except Unreadable as error:
        message = f"{path}: {error}"
        raise Unreadable(message) from None
    if not names:
        message = f"{path}: no image in it ({', '.join(sorted(SUFFIXES))})"
        raise Unreadable(message)
    return names


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES


def _spread(names: list[str], most: int) -> list[str]:
    """Every n-th, so that neighbours in a folder do not speak for all."""
    if len(names) <= most:
        return names
    return [names[number * len(names) // most] for number in range(most)]


def _frames(data: bytes) -> list[bytes]:
    found: list[bytes] = []
    at = 0
    while at + _LENGTH.size <= len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        found.append(data[at : at + length])
        at += length
    return found
