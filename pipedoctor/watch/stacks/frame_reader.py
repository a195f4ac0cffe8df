"""What every reader of stacks gives: frames, threads, and values of local variables."""

from typing import NamedTuple, Protocol

from pipedoctor.watch.stacks.code_objects import CodeObject
from pipedoctor.watch.stacks.remote_memory import RemoteMemory


class RemoteFrame(NamedTuple):
    """A frame as it lies in memory; its line is looked up when somebody asks."""

    code: CodeObject
    address: int
    code_address: int
    instruction: int


class ThreadStack(NamedTuple):
    """One thread, by its state in the interpreter; frames innermost first."""

    state: int
    native: int | None
    """The kernel's number of it; None: 3.10 does not know it."""
    frames: tuple[RemoteFrame, ...]


class FrameReader(Protocol):
    """Reads the stacks of one process; TornReadError: the next sample will do."""

    memory: RemoteMemory
    program_cpu: float
    """CPU seconds of programs that read for it."""
    other_threads: tuple[ThreadStack, ...] | None
    """Of the last sample, where all threads come at once."""

    @property
    def version(self) -> tuple[int, int]:
        """Of the interpreter: ``(3, 11)``."""
        ...

    @property
    def knows_instructions(self) -> bool:
        """Do frames say at which instruction they stand, not only at which line?"""
        ...

    def read_frames(self) -> list[RemoteFrame]:
        """The frames of the main thread, innermost first."""
        ...

    def find_line(self, frame: RemoteFrame) -> int:
        """The line that a frame stands at."""
        ...

    def read_integer(self, frame: RemoteFrame, name: str) -> int | None:
        """The value of a local variable that holds an int; None: it holds none."""
        ...

    def read_length(self, frame: RemoteFrame, name: str) -> int | None:
        """The length of a local list; None: it is none, or not known."""
        ...
