"""Archives that are no reports: .zip files made byte by byte."""

import bz2
import io
import struct
import zipfile
import zlib

NAME = b"report.json"


def build_zip(  # noqa: PLR0913  (the fields of a header)
    packed: bytes,
    *,
    method: int,
    local_method: int | None = None,
    size: int = 100,
    flags: int = 0,
    comment: bytes = b"",
    extra_end: bytes = b"",
) -> bytes:
    """A .zip of one member whose headers say what they are told to say."""
    sums = (zlib.crc32(packed), len(packed), size)
    inner = method if local_method is None else local_method
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, inner, 0, 0, *sums, len(NAME), 0)
    table = struct.pack(
        "<4s6H3L5H2L", b"PK\1\2", 20, 20, flags, method, 0, 0, *sums, len(NAME), *(0,) * 4, 0, 0
    )
    body = local + NAME + packed
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(table + NAME), len(body), len(comment))
    return body + table + NAME + extra_end + end + comment


def pack_bomb(mebibytes: int) -> bytes:
    """Zeros in bzip2: 1.3 kB a gigabyte."""
    packer = bz2.BZ2Compressor()
    parts = [packer.compress(bytes(1 << 20)) for _ in range(mebibytes)]
    return b"".join([*parts, packer.flush()])


def deflate(data: bytes) -> bytes:
    """As a .zip holds it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def store_many(number: int) -> bytes:
    """A .zip of so many empty files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for count in range(number):
            archive.writestr(str(count), b"")
    return out.getvalue()


def declare_zip64(number: int) -> bytes:
    """Its end counts one file; the end for large archives, which zipfile obeys, many."""
    whole = store_many(number)
    at = whole.rfind(b"PK\5\6")
    *_, size, offset, _ = struct.unpack_from("<4s4H2LH", whole, at)
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, number, number, size, offset)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, at, 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 46, 0, 0)
    return whole[:at] + large + locator + end
