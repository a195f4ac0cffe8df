"""Frames that were seen to call a loader, told from those that let go of its last batch."""

import opcode
import sys
from collections.abc import Iterator

from pipedoctor.watch.stacks.frame_reader import FrameReader, RemoteFrame
from pipedoctor.watch.stacks.function_roles import FunctionRole, label_frames
from pipedoctor.watch.stacks.remote_memory import TornReadError

_MAX_CALLERS = 512
_SEND_OPCODES = {(3, 11): 123, (3, 12): 123, (3, 13): 104}
"""The instruction of `yield from`, by version."""
_STORE_DISTANCE = 14
"""Bytes of code from a call, its caches included, to what stores its result."""


class LoaderCallers:
    """
    Where a process calls its loader.

    Letting go of the batch before belongs to getting the next one: it happens at the
    instruction after the call of the loader, in the same frame.
    """

    def __init__(self) -> None:
        self._calls: set[tuple[int, int]] = set()
        """Code and instruction of each frame."""
        self._last: list[RemoteFrame] = []

    def remember(self, frames: list[RemoteFrame], reader: FrameReader) -> None:
        """
        Add the frames of a process that is within its loader, up to the one that takes a batch.

        Those further out get it from that one, and let go of theirs when it is there.
        """
        if len(self._calls) > _MAX_CALLERS:
            self._calls.clear()
        if frames is not self._last:
            self._calls.update(
                (f.code_address, f.instruction) for f in _list_callers(frames, reader)
            )
            self._last = frames

    def is_release(self, frame: RemoteFrame, version: tuple[int, int]) -> bool:
        """Does this frame store what the loader has just returned?"""
        step = 2 if version == (3, 10) else 1
        behind = range(1, _STORE_DISTANCE // step + 1)
        return any((frame.code_address, frame.instruction - n) in self._calls for n in behind)


def _list_callers(frames: list[RemoteFrame], reader: FrameReader) -> Iterator[RemoteFrame]:
    """Around the loader: libraries, functions that only pass on, and one of the user's."""
    labels = label_frames(frames)
    outermost = max(
        (n for n, found in enumerate(labels) if found is FunctionRole.LOADER), default=-1
    )
    for frame, found in zip(frames[outermost + 1 :], labels[outermost + 1 :], strict=True):
        yield frame
        takes = found is FunctionRole.USER and outermost >= 0
        if takes and not _passes_on(frame, reader):
            return


def _passes_on(frame: RemoteFrame, reader: FrameReader) -> bool:
    """Does it stand at a `yield from`? Where that cannot be read, it may."""
    version = reader.version
    here = opcode.opmap.get("SEND") if version == sys.version_info[:2] else None
    send = _SEND_OPCODES.get(version, here)
    if send is None:
        return True
    try:
        return reader.memory.read(frame.instruction, 1)[0] == send
    except TornReadError:
        return True
