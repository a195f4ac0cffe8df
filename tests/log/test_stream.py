"""Any bytes become whole lines, in constant memory."""

import bz2
import gzip
import io
import lzma

import pytest

from pipedoctor.log.stream import BLOCK_BYTES, MAX_LINE_BYTES, read_blocks


def joined(data: bytes) -> bytes:
    return b"".join(read_blocks(io.BytesIO(data)))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"a", id="no end"),
        pytest.param(b"a\nb\n", id="lines"),
        pytest.param(b"\xff\xfe\xfd" * 9, id="no text at all"),
        pytest.param(b"x" * 100 + b"\n" * 3, id="empty lines"),
    ],
)
def test_nothing_is_lost(data: bytes) -> None:
    if not data.startswith(b"\xff\xfe"):
        assert joined(data) == data


def test_lines_are_whole() -> None:
    data = b"".join(b"line %d\n" % i for i in range(300_000))

    pieces = list(read_blocks(io.BytesIO(data)))

    assert len(pieces) > 1
    assert all(piece.endswith(b"\n") for piece in pieces)
    assert b"".join(pieces) == data


def test_a_line_without_end_is_cut() -> None:
    pieces = list(read_blocks(io.BytesIO(b"x" * (3 * BLOCK_BYTES))))

    assert max(map(len, pieces)) <= BLOCK_BYTES + MAX_LINE_BYTES


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings(encoding: str) -> None:
    assert joined("Fehler: 页面\n".encode(encoding)) == "Fehler: 页面\n".encode()


def test_gzip() -> None:
    text = b"hello\n" * 500_000

    assert joined(gzip.compress(text)) == text
    assert joined(gzip.compress(b"a\n") + gzip.compress(b"b\n")) == b"a\nb\n"
    assert joined(gzip.compress(b"a\n") + bytes(512)) == b"a\n"


def test_a_packed_log_that_is_cut_or_damaged_is_not_half_read() -> None:
    packed = gzip.compress(bytes(range(256)) * 50)
    wrong = bytes(byte ^ 255 for byte in packed[20:60])

    with pytest.raises(EOFError, match="the compressed file is truncated"):
        joined(packed[:-9])
    with pytest.raises(OSError, match="the compressed file is damaged: Error -3 "):
        joined(packed[:20] + wrong + packed[60:])


@pytest.mark.parametrize(
    ("data", "command"),
    [
        (bz2.compress(b"Bus error\n"), "bzip2 -dc"),
        (lzma.compress(bytes(1 << 20)), "xz -dc"),
        (gzip.compress(lzma.compress(b"Bus error\n")), "xz -dc"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 9, "zstd -dc"),
        (b"PK\3\4" + b"x" * 9, "unzip -p"),
    ],
    ids=["bzip2", "xz", "xz in gzip", "zstd", "zip"],
)
def test_a_log_packed_otherwise_is_not_taken_for_text(data: bytes, command: str) -> None:
    with pytest.raises(OSError, match=f"it is packed; unpack it: {command} FILE"):
        joined(data)


def test_a_line_that_begins_as_a_packer_marks_its_files() -> None:
    assert joined(b"BZh: no such host\n") == b"BZh: no such host\n"
