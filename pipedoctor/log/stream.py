"""A stream of bytes in any encoding, in blocks of whole lines, never all at once."""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

BLOCK = 1 << 20
"""Bytes that are read at a time."""
LINE = 1 << 16
"""Bytes after which a line without an end is cut."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GZIP = b"\x1f\x8b"


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """
    Whole lines in UTF-8 (or whatever ASCII is a part of), about a MiB at a time.

    A UTF-16 log, as PowerShell writes them, is decoded; a gzipped one is unpacked. A
    line that does not end is cut. Raises OSError, also where the packed file is
    damaged, and EOFError where it is cut.
    """
    rest = b""
    for data in _pieces(file):
        whole = rest + data
        end = whole.rfind(b"\n") + 1
        if end == 0 and len(whole) < LINE:
            rest = whole
            continue
        cut = end or len(whole)
        rest = whole[cut:]
        yield whole[:cut]
        if len(rest) >= LINE:
            yield rest
            rest = b""
    if rest:
        yield rest


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    head = file.read(4)
    if head.startswith(_GZIP):
        yield from _unpacked(head, file)
        return
    encoding = _encoding(head)
    if not encoding:
        if head:
            yield head
        while data := file.read(BLOCK):
            yield data
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(head).encode(errors="replace")
    while data := file.read(BLOCK):
        yield decoder.decode(data).encode(errors="replace")


def _encoding(head: bytes) -> str:
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if len(head) == 4 and head[1] == head[3] == 0 != head[0]:  # noqa: PLR2004
        return "utf-16-le"
    return ""


def _unpacked(head: bytes, file: BinaryIO) -> Iterator[bytes]:
    import zlib  # noqa: PLC0415  (few logs are packed)

    unpacker = zlib.decompressobj(wbits=31)
    data = head
    while data:
        try:
            yield unpacker.decompress(data, BLOCK)
            while unpacker.unconsumed_tail:
                yield unpacker.decompress(unpacker.unconsumed_tail, BLOCK)
        except zlib.error as error:
            message = f"the packed file is damaged: {error}"
            raise OSError(message) from None
        data = unpacker.unused_data or file.read(BLOCK)
        if unpacker.eof and data:
            if not data.startswith(_GZIP[: len(data)]):
                return  # padding: not another packed part
            unpacker = zlib.decompressobj(wbits=31)
    if not unpacker.eof:
        message = "the packed file ends before its text does"
        raise EOFError(message)
