"""Code objects of another process: file, function, lines; each is read once."""

import struct

import msgspec

from pipedoctor.watch.stacks.frame_layout import FrameLayout
from pipedoctor.watch.stacks.line_tables import find_line_310, find_line_311
from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError

_MAX_TABLE_BYTES = 1 << 16
_MAX_TEXT_LENGTH = 2048
_MAX_NAMES = 256
_INTERNED = 3
_MAX_CODE_OBJECTS = 20_000
"""Code objects that are remembered of one process."""


class CodeObject(msgspec.Struct, eq=False):
    """One code object; `key` tells it from another that took its place in memory."""

    path: str
    name: str
    table: bytes
    first_line: int
    locals_at: int
    key: tuple[int, ...]
    lines: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    slots: dict[str, int] | None = None


class CodeObjectCache:
    """Code objects by address; a fork has most of them where its family has them."""

    def __init__(self, layout: FrameLayout, parent: "CodeObjectCache | None" = None) -> None:
        self._layout = layout
        self.codes: dict[int, CodeObject] = {}
        self._family: dict[int, CodeObject] = parent._family if parent else {}  # noqa: SLF001
        """Those of the parent and of all its forks, mostly the same at the same places."""

    def find(self, address: int) -> CodeObject | None:
        """The code object at this address, if it was read before."""
        return self.codes.get(address)

    def get(self, memory: RemoteMemory, address: int) -> CodeObject:
        """The code object at this address; raises TornReadError where there is none."""
        known = self.codes.get(address)
        if known is None:
            if len(self.codes) >= _MAX_CODE_OBJECTS:
                self.codes.clear()
            known = self.codes[address] = self._read(memory, address)
        return known

    def _read(self, memory: RemoteMemory, address: int) -> CodeObject:
        at = self._layout
        data = memory.read(address, at.code_size)
        places = (at.code_filename, at.code_name, at.code_linetable, at.code_locals)
        pointers = [struct.unpack_from("<Q", data, place)[0] for place in places]
        (first,) = struct.unpack_from("<i", data, at.code_first_line)
        key = (*pointers, first)
        older = self._family.get(address)
        if older is not None and older.key == key:
            return older
        code = CodeObject(
            path=self.read_text(memory, pointers[0]),
            name=self.read_text(memory, pointers[1]),
            table=self._read_bytes(memory, pointers[2]),
            first_line=first,
            locals_at=pointers[3],
            key=key,
        )
        if len(self._family) < _MAX_CODE_OBJECTS:
            self._family[address] = code
        return code

    def read_text(self, memory: RemoteMemory, address: int) -> str:
        """A string of Python; raises TornReadError where that cannot be one."""
        at = self._layout
        head = memory.read(address, at.text_ascii)
        (length,) = struct.unpack_from("<Q", head, at.sequence_size)
        (state,) = struct.unpack_from("<I", head, at.text_state)
        if state & 0xFFFF <= _INTERNED:  # from 3.14 on that has 16 bits, not two
            state >>= 14
        kind, compact, ascii_only = state >> 2 & 7, state >> 5 & 1, state >> 6 & 1
        if not compact or kind not in {1, 2, 4} or length > _MAX_TEXT_LENGTH:
            message = f"no text at {address:#x}"
            raise TornReadError(message)
        if not length:
            return ""
        begin = address + (at.text_ascii if ascii_only else at.text_compact)
        encoding = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[kind]
        return memory.read(begin, length * kind).decode(encoding, "replace")

    def _read_bytes(self, memory: RemoteMemory, address: int) -> bytes:
        at = self._layout
        (size,) = struct.unpack("<Q", memory.read(address + at.sequence_size, 8))
        if size > _MAX_TABLE_BYTES:
            return b""
        return memory.read(address + at.bytes_value, size) if size else b""

    def find_line(self, code: CodeObject, address: int, instruction: int) -> int:
        """The line of an instruction: its address, or in 3.10 its index."""
        at = self._layout
        offset = instruction * 2 if at.code_bytes is None else 0
        if at.code_bytes is not None:
            offset = instruction - address - at.code_bytes
        found = code.lines.get(offset)
        if found is None:
            read = find_line_310 if at.code_bytes is None else find_line_311
            found = code.lines[offset] = read(code.table, code.first_line, offset)
        return found

    def find_slot(self, memory: RemoteMemory, code: CodeObject, name: str) -> int | None:
        """Which of the frame's places holds this local variable."""
        if code.slots is None:
            code.slots = self._read_slots(memory, code)
        return code.slots.get(name)

    def _read_slots(self, memory: RemoteMemory, code: CodeObject) -> dict[str, int]:
        at = self._layout
        (count,) = struct.unpack("<Q", memory.read(code.locals_at + at.sequence_size, 8))
        if not 0 < count < _MAX_NAMES:
            return {}
        items = memory.read(code.locals_at + at.tuple_items, 8 * count)
        names = struct.unpack(f"<{count}Q", items)
        return {self.read_text(memory, name): place for place, name in enumerate(names)}
