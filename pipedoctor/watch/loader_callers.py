"""Frames that were seen to call a loader, told from those that let go of its last batch."""

from pipedoctor.watch.stacks.stack_reader import RemoteFrame

_MAX_CALLERS = 512
_STORE_DISTANCE = 12
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

    def remember(self, frames: list[RemoteFrame]) -> None:
        """Add the frames of a process that is within its loader."""
        if len(self._calls) > _MAX_CALLERS:
            self._calls.clear()
        if frames is not self._last:
            self._calls.update([(f.code_address, f.instruction) for f in frames])
            self._last = frames

    def is_release(self, frame: RemoteFrame, version: tuple[int, int]) -> bool:
        """Does this frame store what the loader has just returned?"""
        step = 2 if version == (3, 10) else 1
        behind = range(1, _STORE_DISTANCE // step + 1)
        return any((frame.code_address, frame.instruction - n) in self._calls for n in behind)
