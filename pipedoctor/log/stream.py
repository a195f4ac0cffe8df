"""A stream of bytes in any encoding, in blocks of whole lines, never all at once."""

import codecs
import errno
import os
import re
import time
from bisect import bisect
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain
from typing import BinaryIO

from pipedoctor.log.limits import ReadLimits

BLOCK_BYTES = 1 << 20
"""Bytes that are read at a time."""
MAX_LINE_BYTES = 1 << 16
"""Bytes after which a line without an end is cut."""
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GZIP = b"\x1f\x8b"
_OTHER_PACKERS = (
    (re.compile(rb"BZh[1-9]1A"), "bzip2 -dc"),
    (re.compile(rb"\xfd7zXZ\x00"), "xz -dc"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "zstd -dc"),
    (re.compile(rb"\x04\x22\x4d\x18"), "lz4 -dc"),
    (re.compile(rb"PK\x03\x04"), "unzip -p"),
)
"""How files begin that are packed and not unpacked here, and what unpacks them."""
MAX_GZIP_DEPTH = 3
"""Gzip files inside one another that are unpacked."""
_PACKED_BYTES = 1 << 14
"""Packed bytes that are unpacked at a time: what is left of them is copied."""
_MARK_BYTES = 6
_ENCODING_BYTES = 4
_ZEROS = bytes(2 * BLOCK_BYTES)


def read_blocks(file: BinaryIO, limits: ReadLimits | None = None) -> Iterator[bytes]:
    """
    Whole lines in UTF-8 (or whatever ASCII is a part of), about a MiB at a time.

    A UTF-16 log, as PowerShell writes them, is decoded; a gzipped one is unpacked. A
    line that does not end is cut. What is nothing but zeros is counted and left out.
    Raises OSError, also where the packed file is damaged, and EOFError where it is cut.
    """
    limits = limits or ReadLimits()
    rest = b""
    for data in _drop_zeros(_decode_pieces(file, limits), limits):
        whole = rest + data
        end = whole.rfind(b"\n") + 1
        if end == 0 and len(whole) < MAX_LINE_BYTES:
            rest = whole
            continue
        cut = end or len(whole)
        rest = whole[cut:]
        yield whole[:cut]
        if len(rest) >= MAX_LINE_BYTES:
            yield rest
            rest = b""
    if rest:
        yield rest


def map_to_lines(block: bytes, parts: list[int]) -> list[int]:
    """In which line is each part, where carriage returns divide lines into parts?"""
    if b"\r" not in block:
        return parts
    ends = list(accumulate(line.count(b"\r") + 1 for line in block.split(b"\n")))
    return [bisect(ends, part) for part in parts]


def mark_last(source: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each block, and whether it is the last."""
    before: bytes | None = None
    for block in source:
        if before is not None:
            yield before, False
        before = block
    if before is not None:
        yield before, True


def _drop_zeros(pieces: Iterable[bytes], limits: ReadLimits) -> Iterator[bytes]:
    """Leave out pieces of nothing but zeros: holes of sparse files, devices."""
    for piece in pieces:
        if piece[:1] == b"\0" and piece == _ZEROS[: len(piece)]:
            limits.zero_bytes += len(piece)
        else:
            yield piece


def _decode_pieces(file: BinaryIO, limits: ReadLimits) -> Iterator[bytes]:
    head, pieces = _peek(_read_pieces(file, limits))
    for _ in range(MAX_GZIP_DEPTH):
        if not head.startswith(_GZIP):
            break
        head, pieces = _peek(_unpack_gzip(pieces, limits))
    if head.startswith(_GZIP):
        limits.nested = True
        return
    for mark, command in _OTHER_PACKERS:
        if mark.match(head):
            message = f"it is packed; unpack it: {command} FILE | pipedoctor explain -"
            raise OSError(message)
    encoding = _detect_encoding(head[:_ENCODING_BYTES])
    if not encoding:
        yield from filter(None, pieces)
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for data in pieces:
        yield decoder.decode(data).encode(errors="replace")


def _peek(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, enough to tell a format by, and all the pieces."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= _MARK_BYTES:
            break
    return head, chain((head,), pieces)


def _read_pieces(file: BinaryIO, limits: ReadLimits) -> Iterator[bytes]:
    while not limits.is_reading_over():
        began = time.monotonic()
        data = file.read(BLOCK_BYTES)
        limits.add_wait(time.monotonic() - began)
        if not data:
            return
        limits.bytes_read += len(data)
        yield data
        if data == _ZEROS[: len(data)]:
            _skip_hole(file, limits)
    limits.stopped = True


def _skip_hole(file: BinaryIO, limits: ReadLimits) -> None:
    """Go to where a sparse file has data again; elsewhere nothing happens."""
    if not hasattr(os, "SEEK_DATA"):
        return
    try:
        at, size = file.tell(), os.fstat(file.fileno()).st_size
        try:
            begin = os.lseek(file.fileno(), at, os.SEEK_DATA)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            begin = size  # a hole up to the end
        if begin > at:
            file.seek(begin)
            limits.zero_bytes += begin - at
            limits.bytes_read += begin - at
    except (OSError, ValueError, AttributeError):
        return  # a pipe, a device, something in memory


def _detect_encoding(head: bytes) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    if len(head) == 4 and head[1] == head[3] == 0 != head[0]:  # noqa: PLR2004
        return "utf-16-le"
    return ""


def _unpack_gzip(chunks: Iterator[bytes], limits: ReadLimits) -> Iterator[bytes]:
    import zlib  # noqa: PLC0415  (few logs are packed)

    unpacker = zlib.decompressobj(wbits=31)
    data = next(chunks, b"")
    while data:
        try:
            while data and not unpacker.eof:
                if limits.is_reading_over():
                    limits.stopped = True
                    return
                yield unpacker.decompress(data[:_PACKED_BYTES], BLOCK_BYTES)
                data = unpacker.unconsumed_tail + data[_PACKED_BYTES:]
        except zlib.error as error:
            message = f"the compressed file is damaged: {error}"
            raise OSError(message) from None
        data = unpacker.unused_data + data if unpacker.eof else b""
        data = data or next(chunks, b"")
        if unpacker.eof and data:
            if not data.startswith(_GZIP[: len(data)]):
                return  # padding: not another packed part
            unpacker = zlib.decompressobj(wbits=31)
    if not (unpacker.eof or limits.stopped):
        message = "the compressed file is truncated"
        raise EOFError(message)
