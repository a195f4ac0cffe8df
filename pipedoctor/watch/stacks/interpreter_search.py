"""Find the interpreter in a process: its runtime, its version, how it was built."""

import struct
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pipedoctor.collect.machine import read_file
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.watch.stacks.elf_symbols import ElfImage, read_image
from pipedoctor.watch.stacks.frame_layout import (
    COOKIE,
    NEWEST,
    OLDEST,
    UnknownLayoutError,
)
from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError

_PYTHON_FILE_PATTERN = compile_lazily(
    r"/libpython(\d)\.(\d+)([a-z]*)\.so|/python(\d)\.(\d+)([a-z]*)$"
)
_DELETED = " (deleted)"


class RemoteInterpreter(msgspec.Struct, frozen=True):
    """Where the runtime of one process lies; forks of it have it at the same place."""

    version: tuple[int, int]
    runtime: int
    code_type: int


def find_interpreter(memory: RemoteMemory, proc: Path) -> RemoteInterpreter:
    """
    Look through the mappings of a process; `proc` is its folder.

    Raises UnknownLayoutError: no CPython, or one of another kind; UnreadableError and
    OSError where the kernel denies the look.
    """
    reason = "no CPython among its mappings"
    for base, path in _list_candidates(read_file(proc / "maps")):
        try:
            loaded = read_image(memory, base)
            runtime = loaded.find_symbol("_PyRuntime")
            code_type = loaded.find_symbol("PyCode_Type")
        except (TornReadError, struct.error) as error:
            reason = f"{Path(path).name}: {error}"
            continue
        if runtime is not None and code_type is not None:
            version = _find_version(memory, loaded, runtime, path)
            _refuse_unsupported(loaded, version, path)
            return RemoteInterpreter(version, runtime, code_type)
    raise UnknownLayoutError(reason)


def _list_candidates(maps: str) -> Iterator[tuple[int, str]]:
    """Where each file begins, those that are called Python first."""
    begins: dict[str, int] = {}
    for line in maps.splitlines():
        row = line.split(None, 5)
        if len(row) == 6 and row[5].startswith("/") and row[2] == "00000000":  # noqa: PLR2004
            path = row[5].removesuffix(_DELETED)
            begins.setdefault(path, int(row[0].split("-")[0], 16))
    order = sorted(begins, key=_rank_by_name)
    programs = (p for p in order if "libpython" in p or "python" in p.rpartition("/")[2])
    first = next(iter(begins), "")
    for path in dict.fromkeys((*programs, *([first] if first else ()))):
        yield begins[path], path


def _rank_by_name(path: str) -> int:
    """Libraries and programs of Python first, its many modules last."""
    name = path.rpartition("/")[2]
    starts = ("libpython", "python")
    return next((rank for rank, start in enumerate(starts) if name.startswith(start)), len(starts))


def _find_version(
    memory: RemoteMemory, image: ElfImage, runtime: int, path: str
) -> tuple[int, int]:
    table = memory.read(runtime, 16)
    if table[:8] == COOKIE:
        (number,) = struct.unpack_from("<Q", table, 8)
        return number >> 24, number >> 16 & 0xFF
    place = image.find_symbol("Py_Version")  # from 3.11 on
    if place is not None:
        number = memory.read_pointer(place)
        return number >> 24, number >> 16 & 0xFF
    match = _PYTHON_FILE_PATTERN.search(path)
    if match is None:
        message = f"{Path(path).name} does not say which CPython it is"
        raise UnknownLayoutError(message)
    major, minor = (match[1], match[2]) if match[1] else (match[4], match[5])
    return int(major), int(minor)


def _refuse_unsupported(image: ElfImage, version: tuple[int, int], path: str) -> None:
    name = f"CPython {version[0]}.{version[1]}"
    if not OLDEST <= version <= NEWEST:
        message = f"{name}: only 3.10 to 3.14 are known"
        raise UnknownLayoutError(message, version)
    match = _PYTHON_FILE_PATTERN.search(path)
    flags = (match[3] or match[6] or "") if match else ""
    debug = "d" in flags or image.find_symbol("_Py_NegativeRefcount") is not None
    if debug or "t" in flags:
        kind = "debug" if debug else "free-threaded"
        message = f"{name} is a {kind} build, whose layout is another"
        raise UnknownLayoutError(message, version)
