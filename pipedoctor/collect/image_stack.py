"""Read which libraries decode images, and whether Pillow's two halves fit."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.elf import read
from pipedoctor.collect.extension import fitting
from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.libraries import linker
from pipedoctor.collect.library_version import jpeg
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.mounts import legible
from pipedoctor.collect.packages import installed
from pipedoctor.collect.prefix import Chosen
from pipedoctor.facts import (
    Decoder,
    Distribution,
    ImageStack,
    Interpreter,
    Unreadable,
)

_DECODERS = frozenset(
    (
        "accimage",
        "imagecodecs",
        "jpeg4py",
        "kornia-rs",
        "nvidia-dali-cuda110",
        "nvidia-dali-cuda120",
        "nvidia-dali-cuda130",
        "opencv-contrib-python",
        "opencv-contrib-python-headless",
        "opencv-python",
        "opencv-python-headless",
        "pillow",
        "pillow-simd",
        "pyturbojpeg",
        "simplejpeg",
        "torchcodec",
        "torchvision",
    )
)
_FORKS = ("pillow", "pillow-simd")
_VERSION = re.compile(r"^__version__\s*=\s*[\"']([^\"']+)[\"']", re.MULTILINE)
_SCANNED = 16 << 20
_VEX_256 = b"\xc4\xe2\x7d"
_ENOUGH = 50


def image_stack(machine: Machine, chosen: Chosen, announce: Announce) -> ImageStack:
    """Join the metadata of decoders with the files of Pillow."""
    here = interpreter(machine, chosen, announce)
    found = list(installed(here, announce, only=_DECODERS))
    home = next((f for f in map(Path, here.path) if (f / "PIL").is_dir()), None)
    if home is None:
        return ImageStack(decoders=tuple(_decoder(copy) for copy in found))
    announce(f"reading {home / 'PIL'}")
    version = _VERSION.search(read_or(home / "PIL/_version.py"))
    said = version[1] if version else ""
    files = sorted((home / "PIL").glob("_imaging.*"))
    binary = fitting(files, here.version)
    library = _libjpeg(machine, here, binary) if binary else None
    return ImageStack(
        decoders=tuple(
            _decoder(copy, library, binary)
            if _last_written(copy, said)
            else _decoder(copy)
            for copy in found
        ),
        pillow_version=said,
        pillow_binary=legible(str(binary)) if binary else "",
        pillow_broken=_broken(binary, files, said, here.version),
    )


def _last_written(copy: Distribution, said: str) -> bool:
    return copy.name in _FORKS and copy.version == said


def _decoder(
    copy: Distribution, library: Path | None = None, binary: Path | None = None
) -> Decoder:
    kind, _, version = (jpeg(library) if library else "").partition(" ")
    fork = copy.name == "pillow-simd"
    return Decoder(
        name=copy.name,
        version=copy.version,
        libjpeg_turbo=version,
        libjpeg=legible(str(library)) if library else "",
        libjpeg_kind=kind,
        simd="avx2" if fork and binary is not None and _uses_avx2(binary) else "",
        installer=copy.installer,
        location=copy.location,
    )


def _libjpeg(machine: Machine, here: Interpreter, binary: Path) -> Path | None:
    """The JPEG library that Pillow's binary would load; None where nobody can say."""
    try:
        process = linker(machine, here)
    except Unreadable:
        return None
    opened = read(binary)
    names = opened.needed if opened else ()
    for search in process.load(binary) if "libjpeg" in " ".join(names) else ():
        if search.name.startswith("libjpeg") and search.candidates:
            found = search.candidates[0].path
            return Path(os.path.normpath(found)) if found.exists() else None
    return None


def _broken(binary: Path | None, files: list[Path], said: str, python: str) -> str:
    """Why an import would fail, as far as files tell; empty: no reason is seen."""
    if binary is None:
        others = ", ".join(_names(files))
        if not others:
            return "its binary part PIL/_imaging is not there"
        return f"its binary part is for another Python: {others}" if python else ""
    if said and binary.suffix == ".so" and not _built_for(binary, said):
        return f"its binary part is not of version {said}, as its Python part is"
    return ""


def _names(files: list[Path]) -> Iterator[str]:
    return (legible(file.name) for file in files if file.suffix in {".so", ".pyd"})


def _built_for(binary: Path, version: str) -> bool:
    """
    Does the version stand in it? Pillow compares both at import (PIL/Image.py).

    A file that cannot be read whole says nothing.
    """
    data = _content(binary)
    return data is None or version.encode() in data


def _uses_avx2(binary: Path) -> bool:
    """
    Was it compiled for AVX2? Pillow-SIMD chooses no code at run time.

    Counts the prefix of integer instructions on 256 bits (VEX.256.66.0F38): version
    12.1.1.post0 has 1036 of them with `-mavx2` and none with `-msse4`; 2 to 7 MB of
    other programs have none either.
    """
    return (_content(binary) or b"").count(_VEX_256) >= _ENOUGH


def _content(binary: Path) -> bytes | None:
    """All of it; None where it cannot be read or is absurdly large."""
    try:
        with binary.open("rb") as file:
            data = file.read(_SCANNED + 1)
    except OSError:
        return None
    return data if len(data) <= _SCANNED else None
