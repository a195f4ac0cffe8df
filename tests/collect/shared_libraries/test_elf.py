"""ELF files are read as readelf reads them; huge and damaged ones do no harm."""

import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

from pipedoctor.collect.shared_libraries.elf import (
    SymbolVersions,
    read_binary,
    read_symbol_versions,
)

Make = Callable[..., Path]

PROVIDER = "int old_one(void) { return 1; } int new_one(void) { return 2; }"
NODES = "OLD_1.0 { global: old_one; }; NEW_2.0 { global: new_one; local: *; } OLD_1.0;"
USER = "int old_one(void); int new_one(void);int use(void) { return old_one() + new_one(); }"


def test_names_and_runpath(tmp_path: Path, shared_object: Make) -> None:
    inner = shared_object(tmp_path / "libinner.so.3")
    outer = shared_object(
        tmp_path / "outer.so", inner, soname="libouter.so.1", paths="/a:$ORIGIN/b"
    )

    binary = read_binary(outer)

    assert binary is not None
    assert binary.soname == "libouter.so.1"
    assert binary.needed == ("libinner.so.3",)
    assert binary.runpath == ("/a", "$ORIGIN/b")
    assert binary.rpath == ()
    assert binary.kind.startswith("64 EM_")


def test_rpath(tmp_path: Path, shared_object: Make) -> None:
    binary = read_binary(shared_object(tmp_path / "x.so", soname="", paths="/a", rpath=True))

    assert binary is not None
    assert binary.soname == ""
    assert binary.rpath == ("/a",)
    assert binary.runpath is None


def test_versions_of_symbols(tmp_path: Path, shared_object: Make) -> None:
    provider = shared_object(tmp_path / "libp.so", source=PROVIDER, script=NODES)
    user = shared_object(tmp_path / "libu.so", provider, source=USER)

    assert set(read_symbol_versions(provider).defined) == {
        "libp.so",
        "OLD_1.0",
        "NEW_2.0",
    }
    assert set(read_symbol_versions(user).required["libp.so"]) == {"OLD_1.0", "NEW_2.0"}
    assert read_symbol_versions(user).defined == ()
    assert read_symbol_versions(provider).required == {}


def test_a_file_of_a_gigabyte_is_not_read(tmp_path: Path, shared_object: Make) -> None:
    provider = shared_object(tmp_path / "libp.so", source=PROVIDER, script=NODES)
    huge = _blown_up(provider, 1 << 30)
    before = _read_so_far()

    assert read_binary(huge) == read_binary(provider)
    assert read_symbol_versions(huge) == read_symbol_versions(provider)

    assert huge.stat().st_size > 1 << 30
    assert _read_so_far() - before < 1 << 20


def test_a_file_without_sections(tmp_path: Path, shared_object: Make) -> None:
    """The linker needs none, and some tools strip them."""
    provider = shared_object(tmp_path / "libp.so", source=PROVIDER, script=NODES)
    data = bytearray(provider.read_bytes())
    struct.pack_into("<Q", data, 40, 0)
    struct.pack_into("<HHH", data, 58, 0, 0, 0)
    bare = tmp_path / "bare.so"
    bare.write_bytes(data)

    assert read_binary(bare) == read_binary(provider)
    assert read_symbol_versions(bare) == read_symbol_versions(provider)


def _blown_up(path: Path, size: int) -> Path:
    """The same file with a hole before its section headers, as a huge one has them."""
    data = bytearray(path.read_bytes())
    (table,) = struct.unpack_from("<Q", data, 40)
    struct.pack_into("<Q", data, 40, table + size)
    huge = path.with_name("huge.so")
    with huge.open("wb") as file:
        file.write(data[:table])
        file.seek(table + size)
        file.write(data[table:])
    return huge


def _read_so_far() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["rchar"])


def test_what_is_no_elf_file(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("#!/bin/sh")
    (tmp_path / "cut").write_bytes(b"\x7fELF\x02\x01\x01")

    for name in ("text", "cut", "absent", "."):
        assert read_binary(tmp_path / name) is None
        assert read_symbol_versions(tmp_path / name) == SymbolVersions()


def test_damaged_files(tmp_path: Path, shared_object: Make) -> None:
    provider = shared_object(tmp_path / "libp.so", source=PROVIDER, script=NODES)
    user = shared_object(tmp_path / "libu.so", provider, source=USER)
    good = user.read_bytes()
    (table,) = struct.unpack_from("<Q", good, 40)
    chance = random.Random(7)
    damaged = tmp_path / "damaged.so"
    for _ in range(60):
        data = bytearray(good)
        for _ in range(chance.randrange(1, 20)):
            first = table if chance.random() < 0.5 else 0
            place = chance.randrange(first, len(data) if first else 1024)
            data[place] = chance.randrange(256)
        damaged.write_bytes(data[: chance.choice((len(data), len(data) // 2))])

        read_binary(damaged)
        read_symbol_versions(damaged)


def test_static_files_need_nothing(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("int x;")
    argv = ["gcc", "-c", "-o", str(tmp_path / "x.o"), str(source)]
    subprocess.run(argv, check=True)

    binary = read_binary(tmp_path / "x.o")

    assert binary is not None
    assert binary.needed == ()
    assert read_symbol_versions(tmp_path / "x.o") == SymbolVersions()


def test_another_word_size_and_byte_order(tmp_path: Path) -> None:
    """As a 32-bit PowerPC has them; laid out by hand, for no compiler here makes it."""
    strings = b"\0libz.so.1\0libme.so\0/opt/lib:$ORIGIN\0"
    rows = ((5, 0x1000 + 156), (1, 1), (14, 11), (15, 20), (0, 0))
    dynamic = b"".join(struct.pack(">II", *row) for row in rows)
    size = 156 + len(strings)
    head = b"\x7fELF\x01\x02\x01" + bytes(9)
    head += struct.pack(">HHIIIIIHHHHHH", 3, 20, 1, 0, 52, 0, 0, 52, 32, 2, 0, 0, 0)
    head += struct.pack(">IIIIIIII", 1, 0, 0x1000, 0x1000, size, size, 5, 4096)
    head += struct.pack(">IIIIIIII", 2, 116, 0x1074, 0x1074, 40, 40, 4, 4)
    file = tmp_path / "libme.so"
    file.write_bytes(head + dynamic + strings)

    binary = read_binary(file)

    assert binary is not None
    assert binary.kind == "32 EM_20"
    assert (binary.needed, binary.soname) == (("libz.so.1",), "libme.so")
    assert (binary.rpath, binary.runpath) == (("/opt/lib", "$ORIGIN"), None)
