"""The images to decode: the user's own, or made here."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipedoctor.bench.decoder import build_command
from pipedoctor.bench.sampling import sample_evenly
from pipedoctor.collect.storage.dataset_walk import walk_dataset
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files
from pipedoctor.runtime.captured_process import LateProcessError, run_captured
from pipedoctor.runtime.probe import Announce

MAX_IMAGES = 16
"""Images; more would leave no time to see each of them several times."""
MAX_TOTAL_BYTES = 48 << 20
MAX_IMAGE_BYTES = 32 << 20
IMAGE_SUFFIXES = frozenset(
    ".jpg .jpeg .jpe .jfif .png .webp .bmp .gif .tif .tiff .avif .heic".split()  # noqa: SIM905
)
GENERATED_COUNT = 8
_LENGTH = struct.Struct("<I")
_WALK_SECONDS = 2.0


@dataclass
class ImageSet:
    """Names with their contents, and what could not be read."""

    data: dict[str, bytes] = field(default_factory=dict[str, bytes])
    unreadable: dict[str, str] = field(default_factory=dict[str, str])
    generated: bool = False


def load_images(paths: Sequence[str]) -> ImageSet:
    """
    Read files, and a few of each folder, spread over it; bounded.

    Raises UnreadableError where a path is not there or a folder holds no image.
    """
    image_set = ImageSet()
    chosen = [name for path in paths for name in _list_images(path)]
    for name in sample_evenly(chosen, MAX_IMAGES):
        if sum(map(len, image_set.data.values())) > MAX_TOTAL_BYTES:
            break
        try:
            data = files.load_file(name, MAX_IMAGE_BYTES + 1)
        except UnreadableError as error:
            image_set.unreadable[name] = str(error)
            continue
        if not data:
            image_set.unreadable[name] = "it is empty"
        elif len(data) > MAX_IMAGE_BYTES:
            image_set.unreadable[name] = f"larger than {MAX_IMAGE_BYTES >> 20} MiB"
        else:
            image_set.data[name] = data
    return image_set


def generate_images(
    executable: str,
    environ: Mapping[str, str],
    size: tuple[int, int],
    patience: float,
    count: int = GENERATED_COUNT,
) -> ImageSet:
    """Let the examined interpreter make images; raises UnreadableError where none can."""
    line = build_command(executable, "photos.py", *map(str, size), str(count))
    try:
        done = run_captured(line, environ=environ, timeout=round(patience, 1))
    except LateProcessError as error:
        message = f"no test images: their program {error}"
        raise UnreadableError(message) from None
    except OSError as error:
        message = f"{executable} cannot be started: {error.strerror}"
        raise UnreadableError(message) from error
    if done.returncode:
        message = f"no library in {executable} can write a JPEG: pass your own images"
        raise UnreadableError(message)
    data = dict(enumerate(_split_frames(done.stdout)))
    return ImageSet(
        data={f"generated {number}": body for number, body in data.items()},
        generated=True,
    )


def _list_images(path: str) -> list[str]:
    """The file itself, or the images of a folder; raises UnreadableError."""

    def look(announce: Announce) -> Any:
        announce(f"stat {path}")
        place = Path(path)
        if not place.exists():
            message = "no such file or directory"
            raise UnreadableError(message)
        if not place.is_dir():
            return [path]
        seen = walk_dataset(place, announce, timeout=_WALK_SECONDS / 2)
        names = [str(p) for p, size in seen.files if size and _is_image(p)]
        return sample_evenly(names, MAX_IMAGES)

    try:
        names: list[str] = files.run_with_timeout(path, look, timeout=_WALK_SECONDS)
    except UnreadableError as error:
        message = f"{path}: {error}"
        raise UnreadableError(message) from None
    if not names:
        message = f"{path}: contains no image ({', '.join(sorted(IMAGE_SUFFIXES))})"
        raise UnreadableError(message)
    return names


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in IMAGE_SUFFIXES


def _split_frames(data: bytes) -> list[bytes]:
    frames: list[bytes] = []
    at = 0
    while at + _LENGTH.size <= len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        frames.append(data[at : at + length])
        at += length
    return frames
