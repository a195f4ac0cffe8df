"""
Stacks by py-spy, where it is installed, of interpreters whose layout is not known here.

It is started for every sample, so there are fewer of them.
"""

import resource
import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.captured_process import LateProcessError, run_captured
from pipedoctor.watch.stacks.code_objects import CodeObject
from pipedoctor.watch.stacks.frame_reader import RemoteFrame, ThreadStack
from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError

_PROGRAM = "py-spy"
_TIMEOUT_SECONDS = 2.0
_MAX_CODES = 20_000
_MAX_REASON = 200


class _SpiedFrame(msgspec.Struct, frozen=True):
    name: str
    filename: str
    line: int
    locals: list[dict[str, Any]] | None = None


class _SpiedThread(msgspec.Struct, frozen=True):
    thread_id: int
    frames: list[_SpiedFrame]
    thread_name: str | None = None
    os_thread_id: int | None = None


class ProgramReader:
    """
    Reads the stacks of one process by a program.

    Raises UnreadableError where that is not installed, or cannot read them.
    """

    knows_instructions = False
    other_threads: tuple[ThreadStack, ...] | None = None
    program_cpu = 0.0

    def __init__(self, pid: int, version: tuple[int, int], *, with_locals: bool) -> None:
        program = _find_program()
        if program is None:
            message = f"{_PROGRAM}, which may know it, is not installed: pipedoctor[live]"
            raise UnreadableError(message)
        self.memory = RemoteMemory(pid)
        self._version = version
        options = ("--json", "--nonblocking", "--full-filenames")
        self._command = [program, "dump", "--pid", str(pid), *options]
        self._command += ["--locals"] if with_locals else []
        self._codes: dict[tuple[str, str], tuple[int, CodeObject]] = {}
        self._locals: list[dict[str, str]] = []
        """Of each frame of the last sample, as they are printed."""
        try:
            self.read_frames()
        except TornReadError as error:
            raise UnreadableError(str(error)) from None

    @property
    def version(self) -> tuple[int, int]:
        """Of the interpreter: ``(3, 9)``."""
        return self._version

    def read_frames(self) -> list[RemoteFrame]:
        """The frames of the main thread, innermost first; those of the others are kept."""
        threads = self._run_program()
        main = next((t for t in threads if t.os_thread_id == self.memory.pid), None)
        main = main or next((t for t in threads if t.thread_name == "MainThread"), threads[-1])
        self.other_threads = tuple(
            ThreadStack(t.thread_id, t.os_thread_id, tuple(self._build_frames(t)))
            for t in threads
            if t is not main
        )
        self._locals = [
            {row["name"]: row.get("repr") or "" for row in frame.locals or ()}
            for frame in main.frames
        ]
        return self._build_frames(main)

    def _run_program(self) -> list[_SpiedThread]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = run_captured(self._command, timeout=_TIMEOUT_SECONDS)
        except (OSError, LateProcessError) as error:
            raise TornReadError(f"{_PROGRAM}: {error}"[:_MAX_REASON]) from None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.program_cpu += after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        try:
            threads = msgspec.json.decode(done.stdout, type=list[_SpiedThread])
        except msgspec.DecodeError:
            threads = []
        if not threads:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            reason = lines[0].removeprefix("Error: ") if lines else "it reads no thread"
            raise TornReadError(f"{_PROGRAM}: {reason}"[:_MAX_REASON])
        return threads

    def _build_frames(self, thread: _SpiedThread) -> list[RemoteFrame]:
        return [
            RemoteFrame(code, depth, number, frame.line)
            for depth, frame in enumerate(thread.frames)
            for number, code in (self._find_function(frame),)
        ]

    def _find_function(self, frame: _SpiedFrame) -> tuple[int, CodeObject]:
        """A function, and a number that stands for its address."""
        key = frame.filename, frame.name
        known = self._codes.get(key)
        if known is None:
            if len(self._codes) >= _MAX_CODES:
                self._codes.clear()
            number = len(self._codes) + 1
            code = CodeObject(*key, table=b"", first_line=0, locals_at=0, key=(number,))
            known = self._codes[key] = number, code
        return known

    def find_line(self, frame: RemoteFrame) -> int:
        """The line that a frame stands at."""
        return frame.instruction

    def read_integer(self, frame: RemoteFrame, name: str) -> int | None:
        """The value of a local variable that holds an int, in the last sample."""
        known = self._locals[frame.address] if frame.address < len(self._locals) else {}
        text = known.get(name, "")
        return int(text) if text.isdecimal() and text.isascii() else None

    def read_length(self, frame: RemoteFrame, name: str) -> int | None:  # noqa: ARG002
        """Lists are not printed whole: unknown."""
        return None


def open_program(pid: int, version: tuple[int, int], role: str) -> ProgramReader:
    """Of a worker with its local variables, which tell of its batches."""
    return ProgramReader(pid, version, with_locals=role == "worker")


def _find_program() -> str | None:
    """Where py-spy is: beside the Python that runs this, or on PATH."""
    beside = Path(sys.executable).with_name(_PROGRAM)
    return str(beside) if beside.is_file() else shutil.which(_PROGRAM)
