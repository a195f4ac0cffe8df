"""Find out which shared libraries an import would load; nothing is loaded for it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.environment.extension import pick_extension
from pipedoctor.collect.environment.interpreter import interpreter
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.collect.shared_libraries import ldcache
from pipedoctor.collect.shared_libraries.elf import read_binary
from pipedoctor.collect.shared_libraries.hwcaps import hwcaps
from pipedoctor.collect.shared_libraries.library_names import LibraryNamer
from pipedoctor.collect.shared_libraries.linker import LibrarySearch, Linker, LoadedFile
from pipedoctor.collect.shared_libraries.symbol_versions import find_unmet
from pipedoctor.facts import Interpreter, Libraries, Library, UnreadableError
from pipedoctor.runtime import regular_file
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.path_kind import is_folder

_REPORTED_LIBRARIES = (
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
_ENTRY_PATTERNS = (
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
_CUDNN_PARTS = {
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


def libraries(machine: Machine, choice: EnvironmentChoice, announce: Announce) -> Libraries:
    """
    Emulate the loading of torch, torchvision, numpy, Pillow and OpenCV, one process.

    Raises UnreadableError where glibc's linker does not do the loading.
    """
    machine.require_linux()
    here = interpreter(machine, choice, announce)
    process = create_linker(machine, here)
    announce("reading ELF files")
    preloaded = _list_preloads(machine)
    searches = list(_load_preloads(preloaded, process))
    searches += process.load_needed(process.program)
    opened: list[Path] = []
    for file in _find_entry_files(here):
        if os.path.realpath(file) in {os.path.realpath(done) for done in opened}:
            continue
        announce(f"reading {file}")
        opened.append(file)
        searches += process.load(file)
    searches += _load_cudnn_parts(process)
    naming = LibraryNamer(here)
    return Libraries(
        entries=tuple(
            e
            for s in searches
            if s.name.startswith(_REPORTED_LIBRARIES)
            for e in naming.describe_search(s)
        ),
        missing=tuple(
            Library(
                soname=escape_path(s.name),
                path="",
                found_by="LD_PRELOAD" if s.name in preloaded else "",
                wanted_by=naming.shorten_file(s.wanted_by),
            )
            for s in searches
            if not s.candidates
        ),
        unmet=tuple(find_unmet(process, naming)),
        examined=tuple(naming.shorten_path(file) for file in opened),
    )


def create_linker(machine: Machine, interpreter: Interpreter) -> Linker:
    """Simulate a process of this interpreter that has loaded nothing yet."""
    program = Path(os.path.realpath(interpreter.executable))
    binary = read_binary(program)
    if binary is None:
        message = f"{program} is not an ELF program"
        raise UnreadableError(message)
    if not interpreter.glibc:
        message = "the C library is not glibc, so its linker's search order is unknown"
        raise UnreadableError(message)
    roots = (Path(path) for path in interpreter.path if is_folder(path))
    own = (folder for root in roots for folder in root.glob("nvidia/*/lib"))
    served = hwcaps(machine, interpreter.glibc)
    process = Linker(
        program=LoadedFile(path=program, binary=binary),
        library_path=_split_library_path(machine.environ.get("LD_LIBRARY_PATH", "")),
        cache=ldcache.parse_cache(_read_head(machine.map_path("/etc/ld.so.cache")), served),
        hwcaps=served,
        root=machine.map_path("/"),
        torch_folders=tuple(own),
        wants_all=lambda name: name.startswith(_REPORTED_LIBRARIES),
    )
    process.register(process.program)
    return process


def _split_library_path(value: str) -> tuple[str, ...]:
    """An empty part of a value that is not empty is the working directory."""
    return tuple(part or "." for part in re.split("[:;]", value)) if value else ()


def _read_head(path: Path) -> bytes:
    try:
        return regular_file.read_start(path, ldcache.MAX_CACHE_BYTES)
    except OSError:
        return b""


def _list_preloads(machine: Machine) -> tuple[str, ...]:
    value = machine.environ.get("LD_PRELOAD", "")
    return tuple(name for name in re.split("[ :]+", value) if name)


def _load_preloads(names: tuple[str, ...], process: Linker) -> Iterator[LibrarySearch]:
    """Load what LD_PRELOAD names; the linker goes on without what it cannot find."""
    for name in names:
        found = process.search(name, process.program)
        for file in found.candidates[:1]:
            yield from process.load(file.path)
        if not found.candidates:
            yield found


def _find_entry_files(interpreter: Interpreter) -> Iterator[Path]:
    """The files that exist, of the first folder of the path that has the package."""
    homes: dict[str, Path] = {}
    for folder in map(Path, interpreter.path):
        for package in ("torch", "torchvision", "numpy", "PIL", "cv2"):
            if is_folder(folder / package):
                homes.setdefault(package, folder)
    for package, pattern in _ENTRY_PATTERNS:
        home = homes.get(package.partition("/")[0])
        if home is None:
            continue
        file = pick_extension(home.glob(f"{package}/{pattern}"), interpreter.version)
        if file is not None:
            yield file


def _load_cudnn_parts(process: Linker) -> Iterator[LibrarySearch]:
    """Where `dlopen` inside cuDNN would find its parts; absent ones are not missed."""
    for major, parts in _CUDNN_PARTS.items():
        by = process.loaded.get(f"libcudnn.so.{major}")
        for part in parts if by is not None else ():
            name = f"libcudnn_{part}.so.{major}"
            assert by is not None  # noqa: S101  (else there are no parts)
            found = process.search(name, by) if name not in process.loaded else None
            if found is None or not found.candidates:
                continue
            yield found
            file = process.register(found.candidates[0], name)
            yield from process.load_needed(file)
            by = file if part == "graph" else by
