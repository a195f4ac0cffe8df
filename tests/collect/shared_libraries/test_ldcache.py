"""The linker's cache is read as ldconfig prints it, and damage harms nobody."""

import re
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipedoctor.collect.shared_libraries.ldcache import parse_cache

Make = Callable[..., Path]
CACHE = Path("/etc/ld.so.cache")
HEADER = 48
ENTRY = 24


def write(
    entries: Sequence[tuple[str, str]],
    hwcaps: int | list[int] = 0,
    magic: bytes = b"glibc-ld.so.cache1.1",
) -> bytes:
    """A cache as ldconfig writes it."""
    strings = bytearray()
    table = bytearray()
    base = HEADER + ENTRY * len(entries)
    wanted = hwcaps if isinstance(hwcaps, list) else [hwcaps] * len(entries)
    for (name, path), hwcap in zip(entries, wanted, strict=True):
        key = base + len(strings)
        strings += name.encode() + b"\0"
        value = base + len(strings)
        strings += path.encode() + b"\0"
        table += struct.pack("=iIIIQ", 0x303, key, value, 0, hwcap)
    head = magic + struct.pack("=II20x", len(entries), len(strings))
    return head + bytes(table) + bytes(strings)


def extended(data: bytes, *names: str) -> bytes:
    """The same with a list of folders of glibc-hwcaps, as glibc 2.33 adds one."""
    texts, at = b"", list[int]()
    for name in names:
        at.append(len(data) + len(texts))
        texts += name.encode() + b"\0"
    offset = len(data) + len(texts)
    head = struct.pack("=II", 0xEAA42174, 2)
    where = offset + len(head) + 32
    head += struct.pack("=IIII", 0, 0, 0, 0)  # the generator's name
    head += struct.pack("=IIII", 1, 0, where, 4 * len(at))
    header = data[:32] + struct.pack("=I", offset) + data[36:]
    return header + texts + head + struct.pack(f"={len(at)}I", *at)


SPECIAL = 1 << 62
FOLDERS = ("x86-64-v2", "x86-64-v3")


@pytest.mark.parametrize(
    ("hwcaps", "taken"),
    [
        pytest.param((), ["/plain"], id="an old processor"),
        pytest.param(("x86-64-v2",), ["/v2", "/plain"], id="v2"),
        pytest.param(("x86-64-v3", "x86-64-v2"), ["/v3", "/v2", "/plain"], id="best first"),
        pytest.param(("x86-64-v4",), ["/plain"], id="none of its own"),
    ],
)
def test_files_for_this_processor_come_first(hwcaps: tuple[str, ...], taken: list[str]) -> None:
    rows = [
        ("x", "/v2", SPECIAL),
        ("x", "/v3", SPECIAL + 1),
        ("x", "/outside", SPECIAL + 9),
        ("x", "/plain", 0),
    ]
    data = extended(write([row[:2] for row in rows], [row[2] for row in rows]), *FOLDERS)

    assert parse_cache(data, hwcaps) == {"x": tuple(taken)}


@given(st.integers(min_value=0, max_value=250), st.binary(min_size=1, max_size=8))
def test_damaged_lists_of_folders(place: int, damage: bytes) -> None:
    data = bytearray(extended(write([("x", "/a")], SPECIAL), *FOLDERS))
    data[place : place + len(damage)] = damage

    for paths in parse_cache(bytes(data), FOLDERS).values():
        assert all(path.startswith("/") for path in paths)


@pytest.mark.skipif(not shutil.which("ldconfig"), reason="no ldconfig here")
def test_as_ldconfig_writes_it(tmp_path: Path, shared_object: Make) -> None:
    plain = shared_object(tmp_path / "lib/libpdx.so.1")
    for name in ("x86-64-v2", "x86-64-v3", "odd"):
        folder = tmp_path / "lib/glibc-hwcaps" / name
        folder.mkdir(parents=True)
        (folder / plain.name).write_bytes(plain.read_bytes())
    (tmp_path / "conf").write_text(f"{tmp_path / 'lib'}\n")
    program = shutil.which("ldconfig")
    assert program is not None
    argv = [program, "-X", "-C", f"{tmp_path}/cache", "-f", f"{tmp_path}/conf"]
    subprocess.run(argv, check=True, capture_output=True)

    data = (tmp_path / "cache").read_bytes()

    best = tmp_path / "lib/glibc-hwcaps"
    assert parse_cache(data, ("x86-64-v3", "x86-64-v2"))["libpdx.so.1"] == (
        str(best / "x86-64-v3/libpdx.so.1"),
        str(best / "x86-64-v2/libpdx.so.1"),
        str(plain),
    )
    assert parse_cache(data)["libpdx.so.1"] == (str(plain),)


def test_in_the_order_of_the_cache() -> None:
    data = write([("libx.so.1", "/b/libx.so.1"), ("libx.so.1", "/a/libx.so.1")])

    assert parse_cache(data) == {"libx.so.1": ("/b/libx.so.1", "/a/libx.so.1")}


def test_behind_the_older_format() -> None:
    old = b"ld.so-1.7.0\0" + struct.pack("=I", 0)

    assert parse_cache(old + write([("libx.so.1", "/a/libx.so.1")])) == {
        "libx.so.1": ("/a/libx.so.1",)
    }


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"something else", id="something else"),
        pytest.param(b"glibc-ld.so.cache1.1", id="cut off in the header"),
        pytest.param(write([("a", "/a")], magic=b"glibc-ld.so.cache1.2"), id="newer"),
        pytest.param(write([("a", "/a")], hwcaps=1 << 62), id="for some processors"),
        pytest.param(write([("a", "relative")]), id="no whole path"),
        pytest.param(write([("", "/a")]), id="no name"),
        pytest.param(write([("a", "/a")])[:-1], id="cut off in a name"),
        pytest.param(write([("a", "/a")])[: HEADER + ENTRY - 1], id="half an entry"),
        pytest.param(write([])[:-1], id="a byte less than a header"),
        pytest.param(write([]), id="no entries"),
    ],
)
def test_nothing_in_it(data: bytes) -> None:
    assert parse_cache(data) == {}


def test_an_exact_fit_is_read() -> None:
    assert parse_cache(write([("a", "/a")])) == {"a": ("/a",)}


@pytest.mark.skipif(not (CACHE.is_file() and shutil.which("ldconfig")), reason="no ldconfig here")
def test_this_machines_cache_as_ldconfig_prints_it() -> None:
    program = shutil.which("ldconfig")
    assert program is not None
    out = subprocess.run([program, "-p"], check=True, capture_output=True, text=True).stdout
    lines = re.findall(r"^\t(\S+) \(([^)]*)\) => (\S+)$", out, flags=re.MULTILINE)
    printed = [(name, path) for name, kind, path in lines if "hwcap" not in kind]

    read = parse_cache(CACHE.read_bytes())

    assert sorted((n, p) for n, paths in read.items() for p in paths) == sorted(printed)


@given(st.binary(max_size=400))
def test_any_bytes_behind_a_header(tail: bytes) -> None:
    for paths in parse_cache(b"glibc-ld.so.cache1.1" + tail).values():
        assert all(path.startswith("/") for path in paths)


@given(
    st.lists(st.tuples(st.text("abc.", min_size=1), st.text("xyz/"))),
    st.integers(min_value=0, max_value=300),
    st.binary(min_size=1, max_size=4),
)
def test_damaged_caches(entries: list[tuple[str, str]], place: int, damage: bytes) -> None:
    data = bytearray(write([(name, f"/{path}") for name, path in entries]))
    data[place : place + len(damage)] = damage

    parse_cache(bytes(data))
