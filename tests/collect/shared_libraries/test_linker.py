"""The emulated linker takes the files that the real one takes."""

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shared_libraries import ldcache
from pipedoctor.collect.shared_libraries.elf import read_binary
from pipedoctor.collect.shared_libraries.hwcaps import hwcaps
from pipedoctor.collect.shared_libraries.linker import Linker, LoadedFile

Make = Callable[..., Path]
TAGS = ("none", "rpath", "runpath")
GLIBC = (os.confstr("CS_GNU_LIBC_VERSION") or "").removeprefix("glibc ")


def process(program: Path, library_path: str = "") -> Linker:
    binary = read_binary(program)
    assert binary is not None
    served = hwcaps(Machine(), GLIBC)
    linker = Linker(
        program=LoadedFile(path=program, binary=binary),
        library_path=tuple(library_path.split(":")) if library_path else (),
        cache=ldcache.parse_cache(Path("/etc/ld.so.cache").read_bytes(), served),
        hwcaps=served,
    )
    linker.register(linker.program)
    return linker


def emulated(program: Path, library_path: str) -> dict[str, str]:
    searches = process(program, library_path).load_needed(
        LoadedFile(path=program, binary=read_binary(program))  # type: ignore[arg-type]
    )
    return {
        s.name: os.path.realpath(s.candidates[0].path) if s.candidates else "" for s in searches
    }


def real(program: Path, library_path: str) -> dict[str, str]:
    """What the dynamic linker itself says: it lists, and runs nothing."""
    environ = {**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}
    environ |= {"LD_LIBRARY_PATH": library_path} if library_path else {}
    out = subprocess.run([program], env=environ, check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"^\s+(\S+) => (\S+) \(0x", out, flags=re.MULTILINE))
    lost = re.findall(r"^\s+(\S+) => not found", out, flags=re.MULTILINE)
    whole = re.findall(r"^\s+(/\S+) \(0x", out, flags=re.MULTILINE)
    files = {name: os.path.realpath(path) for name, path in found.items()}
    return files | dict.fromkeys(lost, "") | {p: os.path.realpath(p) for p in whole}


@pytest.mark.parametrize(
    "where",
    ["all", *(pytest.param(w, marks=pytest.mark.extended) for w in ("late", "nowhere"))],
)
@pytest.mark.parametrize(("of_program", "of_library"), list(itertools.product(TAGS, TAGS)))
def test_same_files_as_the_real_linker(
    tmp_path: Path, shared_object: Make, of_program: str, of_library: str, where: str
) -> None:
    folders = {
        "program": tmp_path / "p",
        "library": tmp_path / "l",
        "env": tmp_path / "e",
    }
    kept = {"all": ("program", "library", "env"), "late": ("library",), "nowhere": ()}
    for folder in folders.values():
        shared_object(folder / "libinner-pd.so")
    outer = shared_object(
        tmp_path / "libouter-pd.so",
        folders["program"] / "libinner-pd.so",
        soname="",
        paths="$ORIGIN/l" if of_library != "none" else "",
        rpath=of_library == "rpath",
    )
    program = shared_object(
        tmp_path / "program",
        outer,
        program=True,
        paths=str(folders["program"]) if of_program != "none" else "",
        rpath=of_program == "rpath",
    )
    for name, folder in folders.items():
        if name not in kept[where]:
            (folder / "libinner-pd.so").unlink()

    for library_path in ("", str(folders["env"]), f"{tmp_path}/none:{folders['env']}"):
        truth = real(program, library_path)
        seen = emulated(program, library_path)
        assert {k: v for k, v in seen.items() if "ld-linux" not in k} == {
            k: v for k, v in truth.items() if "ld-linux" not in k
        }


@pytest.mark.parametrize("where", ["rpath", "runpath", "LD_LIBRARY_PATH"])
@pytest.mark.parametrize("levels", [("v2",), ("v2", "v3"), ("v3", "v4"), ("v5", "odd"), ()])
def test_folders_for_this_processor_as_the_real_linker_takes_them(
    tmp_path: Path, shared_object: Make, levels: tuple[str, ...], where: str
) -> None:
    inner = shared_object(tmp_path / "e/libinner-pd.so")
    for level in levels:
        folder = tmp_path / f"e/glibc-hwcaps/x86-64-{level}"
        folder.mkdir(parents=True)
        (folder / inner.name).write_bytes(inner.read_bytes())
    program = shared_object(
        tmp_path / "program",
        inner,
        program=True,
        paths="" if where.isupper() else "$ORIGIN/e",
        rpath=where == "rpath",
    )

    library_path = str(tmp_path / "e") if where.isupper() else ""
    seen = emulated(program, library_path)

    assert seen["libinner-pd.so"] == real(program, library_path)["libinner-pd.so"]


def test_a_library_beside_one_for_this_processor(tmp_path: Path, shared_object: Make) -> None:
    """Its $ORIGIN is the folder for the processor, not the one above."""
    special = "glibc-hwcaps/x86-64-v2"
    inner = shared_object(tmp_path / "e" / special / "libinner-pd.so")
    shared_object(tmp_path / "e/libinner-pd.so")
    outer = shared_object(tmp_path / "e" / special / "libouter-pd.so", inner, paths="$ORIGIN")
    linker = process(shared_object(tmp_path / "program", outer, program=True))
    linker.hwcaps = ("x86-64-v2",)
    linker.library_path = (str(tmp_path / "e"),)

    searches = list(linker.load_needed(linker.program))

    assert [s.candidates[0].path for s in searches if "-pd" in s.name] == [outer, inner]


def test_the_python_that_runs_this(tmp_path: Path) -> None:
    program = Path(os.path.realpath(sys.executable))

    seen = emulated(program, str(tmp_path))

    truth = real(program, str(tmp_path))
    assert {k: v for k, v in seen.items() if "ld-linux" not in k} == {
        k: v for k, v in truth.items() if "ld-linux" not in k
    }


def test_a_name_is_searched_once(tmp_path: Path, shared_object: Make) -> None:
    inner = shared_object(tmp_path / "a/libinner-pd.so")
    shared_object(tmp_path / "b/libinner-pd.so")
    first = shared_object(tmp_path / "libfirst.so", inner, paths="$ORIGIN/a")
    second = shared_object(tmp_path / "libsecond.so", inner, paths="$ORIGIN/b")
    linker = process(shared_object(tmp_path / "program", program=True))

    searches = [*linker.load(first), *linker.load(second)]

    assert [str(s.candidates[0].path) for s in searches] == [str(tmp_path / "a/libinner-pd.so")]


def test_a_file_without_a_name_is_known_by_its_path(tmp_path: Path, shared_object: Make) -> None:
    inner = shared_object(tmp_path / "a/libinner-pd.so")
    outer = shared_object(tmp_path / "libouter.so", inner, paths="$ORIGIN/a")
    nameless = shared_object(tmp_path / "b/libinner-pd.so", soname="")
    linker = process(shared_object(tmp_path / "program", program=True))

    searches = [*linker.load(nameless), *linker.load(outer)]

    assert [s.candidates[0].path for s in searches] == [inner]
    assert linker.loaded[str(nameless)].path == nameless


def test_every_candidate_where_it_is_asked_for(tmp_path: Path, shared_object: Make) -> None:
    for folder in "abc":
        shared_object(tmp_path / folder / "libinner-pd.so")
    (tmp_path / "d").mkdir()
    (tmp_path / "d/libinner-pd.so").symlink_to(tmp_path / "a/libinner-pd.so")
    outer = shared_object(
        tmp_path / "libouter.so", tmp_path / "a/libinner-pd.so", paths="$ORIGIN/b"
    )
    linker = process(
        shared_object(tmp_path / "program", program=True),
        f"{tmp_path}/a:{tmp_path}/d",
    )
    linker.torch_folders = (tmp_path / "c",)
    linker.wants_all = lambda name: name.startswith("libinner")

    (search,) = linker.load(outer)

    assert [(c.path.parent.name, c.found_by) for c in search.candidates] == [
        ("a", "LD_LIBRARY_PATH"),
        ("b", "DT_RUNPATH"),
        ("c", "torch"),
    ]


def test_a_file_of_another_machine_is_passed_over(tmp_path: Path, shared_object: Make) -> None:
    inner = shared_object(tmp_path / "a/libinner-pd.so")
    other = tmp_path / "b/libinner-pd.so"
    other.parent.mkdir()
    data = bytearray(inner.read_bytes())
    data[18:20] = (8).to_bytes(2, "little")  # e_machine: MIPS
    other.write_bytes(data)
    (tmp_path / "c").mkdir()
    (tmp_path / "c/libinner-pd.so").write_text("INPUT(libelsewhere.so)")
    outer = shared_object(tmp_path / "libouter.so", inner)
    linker = process(
        shared_object(tmp_path / "program", program=True),
        f"{tmp_path}/b:{tmp_path}/c:{tmp_path}/a",
    )

    (search,) = linker.load(outer)

    assert [c.path for c in search.candidates] == [inner]


def test_what_is_no_elf_file_loads_nothing(tmp_path: Path, shared_object: Make) -> None:
    linker = process(shared_object(tmp_path / "program", program=True))
    (tmp_path / "text.so").write_text("no library")

    assert list(linker.load(tmp_path / "text.so")) == []
    assert list(linker.load(tmp_path / "absent.so")) == []


@pytest.mark.parametrize("word", ["$ORIGIN", "${ORIGIN}"])
def test_words_in_paths(tmp_path: Path, shared_object: Make, word: str) -> None:
    inner = shared_object(tmp_path / "in/libinner-pd.so")
    outer = shared_object(tmp_path / "libouter.so", inner, paths=f"{word}/in")
    linker = process(shared_object(tmp_path / "program", program=True))

    (search,) = linker.load(outer)

    assert search.candidates[0].path == inner


def test_lib_is_the_default_folders_name(tmp_path: Path, shared_object: Make) -> None:
    inner = shared_object(tmp_path / "lib64/libinner-pd.so")
    outer = shared_object(tmp_path / "libouter.so", inner, paths="$ORIGIN/$LIB")
    program = shared_object(tmp_path / "program", program=True)
    linker = process(program)
    linker.root = tmp_path / "root"

    (search,) = linker.load(outer)

    assert search.candidates[0].path == inner


def test_default_folders_come_last(tmp_path: Path, shared_object: Make) -> None:
    root = tmp_path / "root"
    inner = shared_object(root / "usr/lib/libinner-pd.so")
    outer = shared_object(tmp_path / "libouter.so", inner)
    program = shared_object(tmp_path / "program", program=True)

    linker = process(program)
    linker.root = root

    (search,) = linker.load(outer)

    assert [(c.path, c.found_by) for c in search.candidates] == [(inner, "default")]
