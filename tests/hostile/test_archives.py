"""Reports in a .zip: nothing in them decides how much memory is taken."""

import struct
import tracemalloc
from pathlib import Path

import pytest

from pipedoctor.facts import MalformedRecordError
from pipedoctor.report.bundle import extract_report, unpack_bundle
from tests.hostile import archives
from tests.hostile.conftest import Doctor

STORED, DEFLATED, BZIP2, LZMA = 0, 8, 12, 14


def test_the_maker_makes_archives_that_are_read() -> None:
    whole = archives.build_zip(b"{}", method=STORED, size=2)
    packed = archives.build_zip(archives.deflate(bytes(100)), method=DEFLATED)

    assert extract_report(whole) == b"{}"
    with pytest.raises(MalformedRecordError, match="Bad CRC-32"):
        unpack_bundle(packed)  # the checksum is of the packed bytes


@pytest.mark.parametrize(
    ("method", "local"),
    [
        *((BZIP2, BZIP2), (LZMA, LZMA), (93, 93), (9, 9), (99, 99)),
        *((BZIP2, DEFLATED), (DEFLATED, BZIP2), (STORED, DEFLATED)),
    ],
)
def test_only_stored_and_deflated_members_are_unpacked(method: int, local: int) -> None:
    data = archives.build_zip(b"x" * 100, method=method, local_method=local)

    with pytest.raises(MalformedRecordError, match=r"'report.json' is neither stored nor"):
        extract_report(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(
            archives.build_zip(b"{}", method=STORED, size=2, flags=1),
            "is encrypted",
            id="encrypted",
        ),
        pytest.param(archives.store_many(65), "more than 64 files", id="many files"),
        pytest.param(archives.declare_zip64(400), "its end is not", id="two ends"),
        pytest.param(
            archives.build_zip(b"{}", method=STORED, size=2, comment=b"x") + b"more",
            "its end is not",
            id="something behind it",
        ),
        pytest.param(
            archives.build_zip(archives.deflate(bytes(40 << 20)), method=DEFLATED, size=40 << 20),
            "larger than 32 MiB when unpacked",
            id="zeros",
        ),
        pytest.param(
            struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 46, 0, 0),
            "cannot be read",
            id="no table",
        ),
    ],
)
def test_archives_that_lie_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedRecordError, match=reason):
        extract_report(data)


@pytest.mark.parametrize(
    "command",
    [("check", "--from"), ("report", "--unredact"), ("diff", "bomb.zip"), ("explain", "--from")],
)
def test_every_command_that_takes_one_refuses_it(
    doctor: Doctor, project: Path, command: tuple[str, ...]
) -> None:
    bomb = archives.build_zip(archives.pack_bomb(4), method=BZIP2, size=4 << 20)
    (project / "bomb.zip").write_bytes(bomb)

    done = doctor(*command, "bomb.zip")

    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "'report.json' is neither stored nor deflated" in line


def test_refusing_a_bomb_takes_no_memory() -> None:
    bomb = archives.build_zip(archives.pack_bomb(16), method=BZIP2, size=16 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(MalformedRecordError):
            unpack_bundle(bomb)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < 1 << 20
