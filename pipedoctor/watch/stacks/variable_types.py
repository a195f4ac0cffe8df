"""Of which types the variables of a frame are, and what lies on its stack."""

import contextlib
from collections.abc import Iterator

from pipedoctor.watch.stacks.frame_reader import FrameReader, RemoteFrame
from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError
from pipedoctor.watch.stacks.stack_reader import StackReader

_MAX_WORDS = 32
"""Of a frame, that are looked at; what lies behind its end is read as well."""
_TYPE, _TYPE_NAME, _NAME_BYTES = 8, 24, 64
"""Offsets in bytes of `ob_type` and `tp_name`, the same from 3.10 to 3.14."""
_LOWEST, _HIGHEST = 1 << 12, 1 << 47
_TAG_MASK = ~3


def list_variable_types(reader: FrameReader, frame: RemoteFrame) -> Iterator[str]:
    """
    Names of types, without their modules; some belong to what lies behind the frame.

    Empty where another program reads the stacks; raises TornReadError.
    """
    if not isinstance(reader, StackReader):
        return
    memory, at = reader.memory, reader.layout
    data = memory.read(frame.address + at.frame_locals, 8 * _MAX_WORDS)
    for word in memoryview(data).cast("Q"):
        pointer = word & _TAG_MASK if at.tagged else word
        if _is_address(pointer):
            with contextlib.suppress(TornReadError):
                yield _read_type_name(memory, pointer)


def _read_type_name(memory: RemoteMemory, pointer: int) -> str:
    kind = memory.read_pointer(pointer + _TYPE)
    name = memory.read_pointer(kind + _TYPE_NAME) if _is_address(kind) else 0
    if not _is_address(name & ~7):
        return ""
    text = memory.read(name, _NAME_BYTES).partition(b"\0")[0]
    return text.decode("ascii", "replace").rpartition(".")[2]


def _is_address(value: int) -> bool:
    return _LOWEST <= value < _HIGHEST and value % 8 == 0
