"""Find out which shared libraries an import would load; nothing is loaded for it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect import ldcache
from pipedoctor.collect.elf import read
from pipedoctor.collect.extension import fitting
from pipedoctor.collect.hwcaps import hwcaps
from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.library_names import Naming
from pipedoctor.collect.linker import Linker, Loaded, Search
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import legible
from pipedoctor.collect.prefix import Chosen
from pipedoctor.collect.symbol_versions import unmet
from pipedoctor.facts import Interpreter, Libraries, Library, Unreadable

_TELLING = (
    "libcublas",
    "libcudart",
    "libcudnn",
    "libcufft",
    "libcupti",
    "libcurand",
    "libcusolver",
    "libcusparse",
    "libgomp",
    "libiomp5",
    "libjpeg",
    "libnccl",
    "libnvJitLink",
    "libnvrtc",
    "libomp",
    "libstdc++",
    "libturbojpeg",
)
"""Libraries whose every candidate is a fact."""
_ENTRANCES = (
    ("torch", "lib/libtorch_global_deps.so"),
    ("torch", "_C.*.so"),
    ("torchvision", "_C*.so"),
    ("torchvision", "image*.so"),
    ("numpy/_core", "_multiarray_umath*.so"),
    ("numpy/core", "_multiarray_umath*.so"),
    ("PIL", "_imaging.*so"),
    ("cv2", "cv2*.so"),
    ("cv2/python-*", "cv2*.so"),
)
"""What an import opens, package by package, in the order of an ordinary script."""
_OPENED = {
    8: ("ops_infer", "cnn_infer", "adv_infer", "ops_train", "cnn_train", "adv_train"),
    9: (
        "graph",
        "ops",
        "cnn",
        "adv",
        "heuristic",
        "engines_precompiled",
        "engines_runtime_compiled",
        "engines_tensor_ir",
    ),
}
"""Parts that cuDNN opens by their bare names when they are first needed."""


def libraries(machine: Machine, chosen: Chosen, announce: Announce) -> Libraries:
    """
    Emulate the loading of torch, torchvision, numpy, Pillow and OpenCV, one process.

    Raises Unreadable where glibc's linker does not do the loading.
    """
    machine.linux()
    here = interpreter(machine, chosen, announce)
    process = linker(machine, here)
    announce("reading ELF files")
    preloaded = _preload(machine)
    searches = list(_preloaded(preloaded, process))
    searches += process.complete(process.program)
    opened: list[Path] = []
    for file in _entrances(here):
        if os.path.realpath(file) in {os.path.realpath(done) for done in opened}:
            continue
        announce(f"reading {file}")
        opened.append(file)
        searches += process.load(file)
    searches += _parts_of_cudnn(process)
    naming = Naming(here)
    return Libraries(
        entries=tuple(
            e
            for s in searches
            if s.name.startswith(_TELLING)
            for e in naming.entries(s)
        ),
        missing=tuple(
            Library(
                soname=legible(s.name),
                path="",
                found_by="LD_PRELOAD" if s.name in preloaded else "",
                wanted_by=naming.of(s.wanted_by),
            )
            for s in searches
            if not s.candidates
        ),
        unmet=tuple(unmet(process, naming)),
        examined=tuple(naming.short(file) for file in opened),
    )


def linker(machine: Machine, here: Interpreter) -> Linker:
    """A process of this interpreter that has loaded nothing yet; may be Unreadable."""
    program = Path(os.path.realpath(here.executable))
    binary = read(program)
    if binary is None:
        message = f"{program} is no ELF program"
        raise Unreadable(message)
    if not here.glibc:
        message = "the C library is not glibc: its linker searches in another way"
        raise Unreadable(message)
    own = (folder for path in here.path for folder in Path(path).glob("nvidia/*/lib"))
    served = hwcaps(machine, here.glibc)
    process = Linker(
        program=Loaded(path=program, binary=binary),
        library_path=_library_path(machine.environ.get("LD_LIBRARY_PATH", "")),
        cache=ldcache.parse(_head(machine.inside("/etc/ld.so.cache")), served),
        hwcaps=served,
        root=machine.inside("/"),
        more=tuple(own),
        thorough=lambda name: name.startswith(_TELLING),
    )
    process.enter(process.program)
    return process


def _library_path(value: str) -> tuple[str, ...]:
    """An empty part of a value that is not empty is the working directory."""
    return tuple(part or "." for part in re.split("[:;]", value)) if value else ()


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(ldcache.LARGEST)
    except OSError:
        return b""


def _preload(machine: Machine) -> tuple[str, ...]:
    value = machine.environ.get("LD_PRELOAD", "")
    return tuple(name for name in re.split("[ :]+", value) if name)


def _preloaded(names: tuple[str, ...], process: Linker) -> Iterator[Search]:
    """What is preloaded, and what cannot be: the linker goes on without it."""
    for name in names:
        found = process.search(name, process.program)
        for file in found.candidates[:1]:
            yield from process.load(file.path)
        if not found.candidates:
            yield found


def _entrances(here: Interpreter) -> Iterator[Path]:
    """The files that exist, of the first folder of the path that has the package."""
    homes: dict[str, Path] = {}
    for folder in map(Path, here.path):
        for package in ("torch", "torchvision", "numpy", "PIL", "cv2"):
            if (folder / package).is_dir():
                homes.setdefault(package, folder)
    for package, pattern in _ENTRANCES:
        home = homes.get(package.partition("/")[0])
        if home is None:
            continue
        file = fitting(home.glob(f"{package}/{pattern}"), here.version)
        if file is not None:
            yield file


def _parts_of_cudnn(process: Linker) -> Iterator[Search]:
    """Where `dlopen` inside cuDNN would find its parts; absent ones are not missed."""
    for major, parts in _OPENED.items():
        by = process.loaded.get(f"libcudnn.so.{major}")
        for part in parts if by is not None else ():
            name = f"libcudnn_{part}.so.{major}"
            assert by is not None  # noqa: S101  (else there are no parts)
            found = process.search(name, by) if name not in process.loaded else None
            if found is None or not found.candidates:
                continue
            yield found
            file = process.enter(found.candidates[0], name)
            yield from process.complete(file)
            by = file if part == "graph" else by
