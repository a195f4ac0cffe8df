"""Read which libraries decode images, and whether Pillow's two halves fit."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.environment.extension import pick_extension
from pipedoctor.collect.environment.interpreter import interpreter
from pipedoctor.collect.environment.packages import list_installed
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.mounts import escape_path
from pipedoctor.collect.shared_libraries.elf import read_binary
from pipedoctor.collect.shared_libraries.libraries import create_linker
from pipedoctor.collect.shared_libraries.library_version import identify_jpeg
from pipedoctor.facts import (
    Decoder,
    Distribution,
    ImageStack,
    Interpreter,
    UnreadableError,
)
from pipedoctor.runtime import regular_file
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.path_kind import is_folder

_DECODER_PACKAGES = frozenset(
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
_PILLOW_FORKS = ("pillow", "pillow-simd")
_VERSION_LINE = re.compile(r"^__version__\s*=\s*[\"']([^\"']+)[\"']", re.MULTILINE)
_MAX_SCAN_BYTES = 16 << 20
_VEX_256_PREFIX = b"\xc4\xe2\x7d"
_MIN_VEX_COUNT = 50


def image_stack(machine: Machine, choice: EnvironmentChoice, announce: Announce) -> ImageStack:
    """List the installed image decoders and check Pillow's binary part."""
    here = interpreter(machine, choice, announce)
    found = list(list_installed(here, announce, only=_DECODER_PACKAGES))
    home = next((f for f in map(Path, here.path) if is_folder(f / "PIL")), None)
    if home is None:
        return ImageStack(decoders=tuple(_describe_decoder(copy) for copy in found))
    announce(f"reading {home / 'PIL'}")
    version = _VERSION_LINE.search(read_or_default(home / "PIL/_version.py"))
    recorded_version = version[1] if version else ""
    files = sorted((home / "PIL").glob("_imaging.*"))
    binary = pick_extension(files, here.version)
    library = _find_libjpeg(machine, here, binary) if binary else None
    return ImageStack(
        decoders=tuple(
            _describe_decoder(copy, library, binary)
            if _is_imported_fork(copy, recorded_version)
            else _describe_decoder(copy)
            for copy in found
        ),
        pillow_version=recorded_version,
        pillow_binary=escape_path(str(binary)) if binary else "",
        pillow_broken=_explain_breakage(binary, files, recorded_version, here.version),
    )


def _is_imported_fork(copy: Distribution, version: str) -> bool:
    return copy.name in _PILLOW_FORKS and copy.version == version


def _describe_decoder(
    copy: Distribution, library: Path | None = None, binary: Path | None = None
) -> Decoder:
    kind, _, version = (identify_jpeg(library) if library else "").partition(" ")
    fork = copy.name == "pillow-simd"
    return Decoder(
        name=copy.name,
        version=copy.version,
        libjpeg_turbo=version,
        libjpeg=escape_path(str(library)) if library else "",
        libjpeg_kind=kind,
        simd="avx2" if fork and binary is not None and _uses_avx2(binary) else "",
        installer=copy.installer,
        location=copy.location,
    )


def _find_libjpeg(machine: Machine, interpreter: Interpreter, binary: Path) -> Path | None:
    """The JPEG library that Pillow's binary would load; None where nobody can say."""
    try:
        process = create_linker(machine, interpreter)
    except UnreadableError:
        return None
    opened = read_binary(binary)
    names = opened.needed if opened else ()
    for search in process.load(binary) if "libjpeg" in " ".join(names) else ():
        if search.name.startswith("libjpeg") and search.candidates:
            found = search.candidates[0].path
            return Path(os.path.normpath(found)) if found.exists() else None
    return None


def _explain_breakage(binary: Path | None, files: list[Path], version: str, python: str) -> str:
    """Why an import would fail, as far as files tell; empty: no reason is seen."""
    if binary is None:
        others = ", ".join(_list_binaries(files))
        if not others:
            return "its binary part PIL/_imaging is not there"
        return f"its binary part is for another Python: {others}" if python else ""
    if version and binary.suffix == ".so" and not _contains_version(binary, version):
        return f"its binary part is not of version {version}, as its Python part is"
    return ""


def _list_binaries(files: list[Path]) -> Iterator[str]:
    return (escape_path(file.name) for file in files if file.suffix in {".so", ".pyd"})


def _contains_version(binary: Path, version: str) -> bool:
    """
    Does the version stand in it? Pillow compares both at import (PIL/Image.py).

    A file that cannot be read whole says nothing.
    """
    data = _read_content(binary)
    return data is None or version.encode() in data


def _uses_avx2(binary: Path) -> bool:
    """
    Was it compiled for AVX2? Pillow-SIMD chooses no code at run time.

    Counts the prefix of integer instructions on 256 bits (VEX.256.66.0F38): version
    12.1.1.post0 has 1036 of them with `-mavx2` and none with `-msse4`; 2 to 7 MB of
    other programs have none either.
    """
    return (_read_content(binary) or b"").count(_VEX_256_PREFIX) >= _MIN_VEX_COUNT


def _read_content(binary: Path) -> bytes | None:
    """All of it; None where it cannot be read or is absurdly large."""
    try:
        return regular_file.read_whole(binary, _MAX_SCAN_BYTES)
    except OSError:
        return None
