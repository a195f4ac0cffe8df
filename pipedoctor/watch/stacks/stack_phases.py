"""What a stack says of a process: which phase it is in, at which line of the user's."""

import enum
import functools
from collections.abc import Sequence
from typing import NamedTuple

from pipedoctor.bottleneck.function_kinds import DECODE, READ, TRANSFORM, classify_call
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.watch.stacks.frame_reader import RemoteFrame
from pipedoctor.watch.stacks.function_roles import (
    LOADER_PATTERN,
    FunctionRole,
    find_target_folder,
    find_user_frame,
    label_frames,
)

_REBUILD_PATTERN = compile_lazily(r"^rebuild_\w+$|^detach$|recv_handle$|^_?rebuild")
_SAMPLER_PATTERN = compile_lazily(r"/torch/utils/data/(sampler|distributed)\.py$")
_DELEGATE_PATTERN = compile_lazily(
    r"/(threading|queue|subprocess|selectors)\.py$|/concurrent/futures/|/multiprocessing/pool\.py$"
)
_DELEGATE_NAMES = frozenset(
    ("wait", "wait_for", "result", "get", "join", "_wait_for_tstate_lock", "as_completed")
) | {"communicate", "_communicate", "_wait", "_try_wait", "result_iterator"}
_LOCK_PATTERN = compile_lazily(
    r"/(filelock|portalocker|fasteners|lockfile|oslo_concurrency|diskcache|sqlalchemy|sqlite3"
    r"|sqlitedict|peewee|file_baton)(/|\.py$)"
)
"""Libraries that sleep only until somebody else gives a lock back."""
_THREAD_FILES = ("/threading.py", "/concurrent/futures/_base.py")
_ENDING_NAMES = frozenset(("_shutdown", "_exit_function", "_exitfunc", "_python_exit", "__del__"))
"""What the interpreter itself calls when its program has ended."""
_MAX_STACKS = 2048
_STARTUP_FUNCTIONS = frozenset(("__init__", "_get_iterator", "_shutdown_workers", "__del__"))


class ProcessPhase(enum.Enum):
    """What a process does; the value is the field of the facts that it adds to."""

    IDLE = "idle"
    FETCHING = "fetching"
    COLLATING = "collating"
    SENDING = "sending"
    STARTING = "starting"
    WAITING = "waiting"
    RECEIVING = "receiving"
    SAMPLING = "sampling"
    CONVERTING = "converting"
    MODEL = "model"
    COMPUTING = "computing"
    IMPORTING = "importing"
    ENDING = "ending"


LOADING_PHASES = frozenset(
    (
        ProcessPhase.WAITING,
        ProcessPhase.RECEIVING,
        ProcessPhase.SAMPLING,
        ProcessPhase.CONVERTING,
        ProcessPhase.FETCHING,
        ProcessPhase.COLLATING,
    )
)
"""Phases of a main process that waits for data; and STARTING."""


def is_loading(phase: ProcessPhase, role: str) -> bool:
    """Does the process make batches, or take them?"""
    return phase in LOADING_PHASES or role == "worker"


class StackSample(NamedTuple):
    """One stack, understood; `frame` is the user's innermost one, if there is one."""

    phase: ProcessPhase
    frame: RemoteFrame | None
    loop: RemoteFrame | None = None
    """Of the worker's loop, whose variables count batches."""
    fetch: RemoteFrame | None = None
    """Of the fetcher, whose variables say which item of a batch is made."""
    decodes: bool | None = None
    """None: neither a decoder nor a transform is among its functions."""
    rebuilds: bool = False
    delegates: bool = False
    """It waits for threads or programs of its own, which do the work."""
    locks: bool = False
    """It is in a library that waits for locks by sleeping."""
    queued: bool = False
    """A main process that waits outside of a loader, for one of its own threads."""
    loads_unseen: bool = False
    """It waits so, and no loader is known: what comes may be data."""
    pinned: bool = False
    """It waits in the loader for the thread that pins batches, and takes them in."""
    thread: int | None = None
    """The kernel's number of the thread that was seen, if that is not the main one."""


class StackClassifier:
    """
    Understands the stacks of one process: the same functions in the same order only once.

    Its phase depends on the functions alone, not on where in them it stands.
    """

    def __init__(self, *, is_worker: bool) -> None:
        self._classify = classify_worker_stack if is_worker else classify_main_stack
        self._folder = ""
        """Where torch is installed, if that is no usual place."""
        self._last: tuple[Sequence[RemoteFrame], StackSample] | None = None
        self._known: dict[tuple[int, ...], tuple[StackSample, tuple[int | None, ...]]] = {}
        """By addresses of code: a sample, and which of its frames it names."""

    def classify(self, frames: Sequence[RemoteFrame]) -> StackSample:
        """The sample that these frames, innermost first, are."""
        if self._last is not None and self._last[0] is frames:
            return self._last[1]
        key = tuple([frame.code_address for frame in frames])
        known = self._known.get(key)
        if known is None:
            if len(self._known) > _MAX_STACKS:
                self._known.clear()
            self._folder = self._folder or find_target_folder(frames)
            sample = self._classify(frames, self._folder)
            named = (sample.frame, sample.loop, sample.fetch)
            places = tuple(None if f is None else frames.index(f) for f in named)
            self._known[key] = sample, places
        else:
            sample, places = known
            frame, loop, fetch = (None if n is None else frames[n] for n in places)
            sample = sample._replace(frame=frame, loop=loop, fetch=fetch)
        self._last = frames, sample
        return sample


def classify_worker_stack(frames: Sequence[RemoteFrame], folder: str = "") -> StackSample:
    """The phase of a worker's stack, innermost frame first."""
    labels = label_frames(frames, folder)
    if FunctionRole.WORKER_LOOP not in labels:  # it still imports, or unpickles the dataset
        return StackSample(ProcessPhase.STARTING, find_user_frame(frames, labels))
    end = labels.index(FunctionRole.WORKER_LOOP)
    loop, inner, labels = frames[end], frames[:end], labels[:end]
    if FunctionRole.FETCH in labels:
        return _classify_fetching(inner, labels, loop)
    names = {f.code.name.rpartition(".")[2] for f in inner}
    if "put" in names:
        return StackSample(ProcessPhase.SENDING, None, loop)
    if FunctionRole.QUEUE in labels or not labels:
        return StackSample(ProcessPhase.IDLE, None, loop)
    return StackSample(ProcessPhase.STARTING, find_user_frame(inner, labels), loop)


def _classify_fetching(
    frames: Sequence[RemoteFrame], labels: Sequence[FunctionRole], loop: RemoteFrame | None
) -> StackSample:
    """A batch is being made: its items, or all of them put together."""
    end = labels.index(FunctionRole.FETCH)
    inner, labels = frames[:end], labels[:end]
    collates = FunctionRole.COLLATE in labels or any(
        "collate" in f.code.name.rpartition(".")[2].lower() for f in inner
    )
    mine = find_user_frame(inner, labels)
    if mine is None and not collates and inner:
        mine = inner[-1]  # the dataset of a library
    phase = ProcessPhase.COLLATING if collates else ProcessPhase.FETCHING
    decodes, delegates = _is_decoding(inner, labels), _delegates(inner)
    locks = any(_LOCK_PATTERN.search(f.code.path) for f in inner)
    return StackSample(phase, mine, loop, frames[end], decodes, delegates=delegates, locks=locks)


def classify_main_stack(frames: Sequence[RemoteFrame], folder: str = "") -> StackSample:
    """The phase of a training process's stack, innermost frame first."""
    labels = label_frames(frames, folder)
    mine = find_user_frame(frames, labels)
    if FunctionRole.LOADER not in labels or _is_ending(frames, labels):
        return _classify_step(frames, labels, mine)
    end = labels.index(FunctionRole.LOADER)
    inner = frames[:end]
    if any(f.code.name == "<module>" and LOADER_PATTERN.search(f.code.path) for f in frames):
        return StackSample(ProcessPhase.IMPORTING, mine)
    names = [
        f.code.name.rpartition(".")[2]
        for f, found in zip(frames, labels, strict=True)
        if found is FunctionRole.LOADER
    ]
    if FunctionRole.FETCH in labels:
        return _classify_fetching(frames, labels, None)
    if _STARTUP_FUNCTIONS.intersection(names) and FunctionRole.RECEIVE not in labels[:end]:
        return StackSample(ProcessPhase.STARTING, mine)
    chosen = FunctionRole.USER in labels[:end] and FunctionRole.RECEIVE not in labels[:end]
    if "_next_index" in names and (chosen or any(map(_is_sampler, inner))):
        return StackSample(ProcessPhase.SAMPLING, find_user_frame(inner, labels[:end]))
    return classify_receiving(inner, labels[:end], mine)


def _is_ending(frames: Sequence[RemoteFrame], labels: Sequence[FunctionRole]) -> bool:
    """Has the program ended, and does the interpreter let go of what is left?"""
    if not frames:
        return True
    outermost = frames[-1].code.name.rpartition(".")[2]
    return labels[-1] is not FunctionRole.USER and outermost in _ENDING_NAMES


def classify_receiving(
    inner: Sequence[RemoteFrame], labels: Sequence[FunctionRole], mine: RemoteFrame | None
) -> StackSample:
    """Within `next`: does it wait for a worker, or unpack what one has sent?"""
    names = {f.code.name.rpartition(".")[2] for f in inner}
    rebuilds = any(map(_REBUILD_PATTERN.search, names))
    takes = rebuilds or FunctionRole.RECEIVE in labels or "_recv" in names
    phase = ProcessPhase.RECEIVING if takes else ProcessPhase.WAITING
    pinned = not takes and any(f.code.path.endswith("/queue.py") for f in inner)
    return StackSample(phase, mine, rebuilds=rebuilds, pinned=pinned)


def _classify_step(
    frames: Sequence[RemoteFrame], labels: Sequence[FunctionRole], mine: RemoteFrame | None
) -> StackSample:
    """Not in a loader: a step, an import, a queue that a thread fills, or the end."""
    if _is_ending(frames, labels):
        return StackSample(ProcessPhase.ENDING, None)
    bare = [f.code.name.rpartition(".")[2] for f in frames]
    queued = bool(labels) and (
        labels[0] is FunctionRole.QUEUE or frames[0].code.path.endswith(_THREAD_FILES)
    )
    if queued and any(name in {"__next__", "next"} for name in bare):
        return StackSample(ProcessPhase.WAITING, mine, queued=True)
    if FunctionRole.IMPORT in labels:
        return StackSample(ProcessPhase.IMPORTING, mine)
    phase = ProcessPhase.MODEL if FunctionRole.MODEL in labels else ProcessPhase.COMPUTING
    return StackSample(phase, mine, queued=queued)


def _is_sampler(frame: RemoteFrame) -> bool:
    return bool(_SAMPLER_PATTERN.search(frame.code.path))


def _delegates(frames: Sequence[RemoteFrame]) -> bool:
    """Does it wait for a thread or a program that was started for the work?"""
    for frame in frames:
        if not _DELEGATE_PATTERN.search(frame.code.path):
            return False
        if frame.code.name.rpartition(".")[2] in _DELEGATE_NAMES:
            return True
    return False


def _is_decoding(frames: Sequence[RemoteFrame], labels: Sequence[FunctionRole]) -> bool | None:
    """
    Does the innermost function whose kind is known decode?

    What a library computes while it reads is decoding: bytes become values.
    """
    reads = None
    for frame, role in zip(frames, labels, strict=False):
        kind = _classify_kind(frame.code.name, frame.code.path)
        if kind in {DECODE, TRANSFORM}:
            return kind == DECODE
        if kind == READ and role is not FunctionRole.USER:
            reads = True
    return reads


@functools.lru_cache(maxsize=16384)
def _classify_kind(name: str, path: str) -> int | None:
    return classify_call(name.rpartition(".")[2], path)
