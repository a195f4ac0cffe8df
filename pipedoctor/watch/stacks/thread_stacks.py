"""The stacks of all threads of a process but its main one, read when somebody asks."""

import contextlib

from pipedoctor.watch.stacks.frame_reader import FrameReader, RemoteFrame, ThreadStack
from pipedoctor.watch.stacks.remote_memory import TornReadError
from pipedoctor.watch.stacks.stack_reader import StackReader

_MAX_THREADS, _MAX_DEPTH = 32, 60
_TAG_MASK = ~3


def read_thread_stacks(reader: FrameReader) -> list[ThreadStack]:
    """Of at most 32 threads; one that changed while it was read is left out."""
    if reader.other_threads is not None:
        return list(reader.other_threads)
    if not isinstance(reader, StackReader):
        return []
    at, memory, found = reader.layout, reader.memory, list[ThreadStack]()
    main = reader.find_main_thread()
    interpreter = memory.read_pointer(reader.interpreter.runtime + at.interpreters)
    state = memory.read_pointer(interpreter + at.threads)
    for _ in range(_MAX_THREADS):
        if not state:
            break
        if state != main:
            native = None
            if at.native_thread is not None:
                native = memory.read_pointer(state + at.native_thread)
            with contextlib.suppress(TornReadError):
                found.append(ThreadStack(state, native, _walk_frames(reader, state)))
        state = memory.read_pointer(state + at.next_thread)
    return found


def _walk_frames(reader: StackReader, state: int) -> tuple[RemoteFrame, ...]:
    at, memory = reader.layout, reader.memory
    frame = memory.read_pointer(state + at.current_frame)
    if at.indirect_frame is not None and frame:
        frame = memory.read_pointer(frame + at.indirect_frame)
    frames: list[RemoteFrame] = []
    for _ in range(_MAX_DEPTH):
        if not frame:
            break
        words = memoryview(memory.read(frame, at.frame_size + -at.frame_size % 8)).cast("Q")
        code = words[at.frame_code // 8]
        parsed = reader.parse_frame(
            frame, code & _TAG_MASK if at.tagged else code, words[at.frame_instruction // 8]
        )
        if parsed is not None:
            frames.append(parsed)
        frame = words[at.frame_previous // 8]
    return tuple(frames)
