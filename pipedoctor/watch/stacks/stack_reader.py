"""The stack of a process's main thread: which function, which line, innermost first."""

import struct
from pathlib import Path

from pipedoctor.watch.stacks.code_objects import CodeObject, CodeObjectCache
from pipedoctor.watch.stacks.frame_layout import FrameLayout, UnknownLayoutError, read_layout
from pipedoctor.watch.stacks.frame_pages import FramePages
from pipedoctor.watch.stacks.frame_reader import RemoteFrame, ThreadStack
from pipedoctor.watch.stacks.interpreter_search import RemoteInterpreter, find_interpreter
from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError

_MAX_DEPTH = 200
_MAX_THREADS = 4096
_MAX_LIST_LENGTH = 1 << 20
_TAG_MASK, _ALL_BITS = ~3, ~0
_MAX_PARSED = 8192
_MAX_DIGITS = 3
"""Of 30 bits: what is longer is no count, and no seed."""


class StackReader:
    """
    Reads the stack of the main thread of one process, about four reads a time.

    Raises UnknownLayoutError for interpreters that it does not know, OSError where
    the kernel denies it or the process is gone, TornReadError for a sample that the
    process changed meanwhile: the next one will do.
    """

    knows_instructions = True
    """Frames say at which instruction they stand, not only at which line."""
    other_threads: tuple[ThreadStack, ...] | None = None
    """Of the last sample, where all threads come at once."""
    program_cpu = 0.0
    """CPU seconds of programs that read for it."""

    def __init__(self, pid: int, proc: Path, *, parent: "StackReader | None" = None) -> None:
        self.memory = RemoteMemory(pid)
        self.interpreter = self._find_interpreter(proc, parent)
        runtime = self.interpreter.runtime
        self.layout: FrameLayout = read_layout(self.memory, runtime, self.interpreter.version)
        self.codes: CodeObjectCache = CodeObjectCache(self.layout, parent.codes if parent else None)
        self._not_code: set[int] = set()
        self._thread = self._indirect = 0
        self._pages = FramePages(self.memory)
        self._frames: list[RemoteFrame] = []
        """Of the last sample."""
        self._parsed: dict[tuple[int, int, int], RemoteFrame] = {}

    @property
    def version(self) -> tuple[int, int]:
        """Of the interpreter: ``(3, 11)``."""
        return self.layout.version

    def _find_interpreter(self, proc: Path, parent: "StackReader | None") -> RemoteInterpreter:
        """A fork has everything where its parent has it."""
        if parent is not None:
            known = parent.interpreter
            if self._is_at_same_place(known):
                return known
        return find_interpreter(self.memory, proc)

    def _is_at_same_place(self, interpreter: RemoteInterpreter) -> bool:
        try:
            at = read_layout(self.memory, interpreter.runtime, interpreter.version)
            head = self.memory.read_pointer(interpreter.runtime + at.interpreters)
            self.memory.read_pointer(head + at.threads)
        except (TornReadError, UnknownLayoutError):
            return False
        return True

    def read_frames(self) -> list[RemoteFrame]:
        """
        The frames of the main thread, innermost first; empty: it runs no Python.

        The same list again where nothing has changed since the last sample.
        """
        if not self._thread:
            self._thread = self.find_main_thread()
        try:
            innermost = self._find_innermost_frame()
            if not self._pages.is_unchanged:
                self._frames = self._walk_frames(innermost)
        except TornReadError:
            self._thread = 0
            self._frames = []
            self._pages.forget()
            raise
        return self._frames

    def find_line(self, frame: RemoteFrame) -> int:
        """The line that a frame stands at."""
        return self.codes.find_line(frame.code, frame.code_address, frame.instruction)

    def read_integer(self, frame: RemoteFrame, name: str) -> int | None:
        """The value of a local variable that holds an int; None: it holds none."""
        pointer = self._find_local(frame, name)
        return self._parse_integer(pointer) if pointer else None

    def read_length(self, frame: RemoteFrame, name: str) -> int | None:
        """The length of a local variable that holds a list."""
        pointer = self._find_local(frame, name)
        if not pointer:
            return None
        count = self.memory.read_pointer(pointer + self.layout.sequence_size)
        return count if 0 < count < _MAX_LIST_LENGTH else None

    def _find_local(self, frame: RemoteFrame, name: str) -> int:
        """Where the value of a local variable lies; 0: there is none."""
        slot = self.codes.find_slot(self.memory, frame.code, name)
        if slot is None:
            return 0
        address = frame.address + self.layout.frame_locals + 8 * slot
        pointer = self._pages.find_word(address)
        return pointer & _TAG_MASK if self.layout.tagged else pointer

    def _parse_integer(self, address: int) -> int | None:
        at = self.layout
        head = self.memory.read(address, 32)
        if at.long_tag is not None:
            (tag,) = struct.unpack_from("<Q", head, at.long_tag)
            negative, digits = tag & 3 == 2, tag >> 3  # noqa: PLR2004
        else:
            (size,) = struct.unpack_from("<q", head, at.sequence_size)
            negative, digits = size < 0, abs(size)
        if negative or digits > _MAX_DIGITS:
            return None
        if digits == _MAX_DIGITS:  # a seed, which is read once
            head = self.memory.read(address, at.long_digits + 4 * digits)
        values = struct.unpack_from(f"<{digits}I", head, at.long_digits)
        return sum(int(v) << 30 * n for n, v in enumerate(values))

    def find_main_thread(self) -> int:
        """The state of the main thread: by its number, else the oldest one."""
        at, memory = self.layout, self.memory
        interpreter = memory.read_pointer(self.interpreter.runtime + at.interpreters)
        thread = memory.read_pointer(interpreter + at.threads)
        last = 0
        for _ in range(_MAX_THREADS):
            if not thread:
                break
            last = thread
            if at.native_thread is not None:
                number = memory.read_pointer(thread + at.native_thread)
                if number == memory.pid:
                    return thread
            thread = memory.read_pointer(thread + at.next_thread)
        if not last:
            message = "no thread runs Python"
            raise TornReadError(message)
        return last

    def _find_innermost_frame(self) -> int:
        """
        The innermost frame; with it, in one call, the pages where frames lay last time.

        Mostly they lie there still.
        """
        at = self.layout
        places = [self._thread + at.current_frame]
        if at.indirect_frame is not None:
            places.append(self._indirect + at.indirect_frame)
        heads = self._pages.begin(places)
        if heads is None:
            return self._find_frame_slowly()
        if at.indirect_frame is None:
            return heads[0]
        return heads[1] if heads[0] == self._indirect else self._find_frame_slowly()

    def _find_frame_slowly(self) -> int:
        at = self.layout
        self._pages.skip_comparison()
        frame = self.memory.read_pointer(self._thread + at.current_frame)
        if at.indirect_frame is not None and frame:
            self._indirect = frame
            frame = self.memory.read_pointer(frame + at.indirect_frame)
        return frame

    def _walk_frames(self, frame: int) -> list[RemoteFrame]:
        """Follow the frames outwards; those of one page come in one read."""
        at = self.layout
        previous_at, code_at = at.frame_previous // 8, at.frame_code // 8
        instruction_at, size = at.frame_instruction // 8, at.frame_size
        mask = _TAG_MASK if at.tagged else _ALL_BITS
        walked: list[int] = []
        frames: list[RemoteFrame] = []
        for _ in range(_MAX_DEPTH):
            if not frame:
                break
            words, place = self._pages.find_words(frame, size)
            key = frame, words[place + code_at] & mask, words[place + instruction_at]
            parsed = self._parsed.get(key) or self.parse_frame(*key)
            if parsed is not None:
                frames.append(parsed)
            walked.append(frame)
            frame = words[place + previous_at]
        self._pages.end(walked)
        return frames

    def parse_frame(self, address: int, code_address: int, word: int) -> RemoteFrame | None:
        """The frame at this address; `word` is where it stands, or begins with that."""
        code = self._find_code(code_address)
        if code is None:
            return None
        instruction = word
        if self.layout.code_bytes is None:
            (instruction,) = struct.unpack("<i", struct.pack("<Q", word)[:4])
        if len(self._parsed) > _MAX_PARSED:
            self._parsed.clear()
        frame = RemoteFrame(code, address, code_address, instruction)
        self._parsed[address, code_address, word] = frame
        return frame

    def _find_code(self, address: int) -> CodeObject | None:
        """None for what stands between C and Python: no code object, or a shim."""
        if not address or address in self._not_code:
            return None
        known = self.codes.find(address)
        if known is not None:
            return known
        if self.memory.read_pointer(address + 8) != self.interpreter.code_type:
            if len(self._not_code) > _MAX_THREADS:
                self._not_code.clear()
            self._not_code.add(address)
            return None
        code = self.codes.get(self.memory, address)
        if code.name.startswith("<interpreter"):  # a trampoline of 3.12
            self._not_code.add(address)
            return None
        return code
