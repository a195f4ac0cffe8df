"""Which part of an item's time goes into reading, decoding and transforming."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import mmap
import sys
import time
from collections.abc import Callable
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

from torch.utils.data import IterableDataset

from pipedoctor.bottleneck.function_kinds import KINDS, TRANSFORM, classify_call
from pipedoctor.facts import Shares

_PAGE_COUNT = 2048
_PAGE_SIZE = 4096

_CONTAINER_OPENERS = (
    ("h5py", "File.__init__"),
    ("zipfile", "ZipFile.__init__"),
    ("tarfile", "TarFile.open"),
    ("tarfile", "TarFile.__init__"),
)
"""What opens a container and reads its index."""


class StageTracer:
    """A profile function that charges all time to the innermost kind that is known."""

    def __init__(self) -> None:
        self.wall = [0.0, 0.0, 0.0]
        self.cpu = [0.0, 0.0, 0.0]
        self.opening_seconds = [0.0, 0.0]
        """Wall and CPU seconds of these within the opening of a container."""
        self._stack: list[int] = [TRANSFORM]
        self._opening_depth = 0
        """How deep the call lies that opens one; 0: none does."""
        self._kinds: dict[Any, int | None] = {}
        self._openers: dict[CodeType, bool] = {}
        self._last_times = (time.perf_counter(), time.thread_time())

    def __call__(self, frame: FrameType, event: str, thing: Any) -> None:
        """Charge the time since the last event; remember what comes now."""
        self._charge()
        stack = self._stack
        if event == "call":
            kind = self._classify_code(frame)
            stack.append(stack[-1] if kind is None else kind)
            if not self._opening_depth and self._is_opening(frame.f_code):
                self._opening_depth = len(stack)
        elif event == "c_call":
            kind = self._classify_function(thing)
            stack.append(stack[-1] if kind is None else kind)
        elif len(stack) > 1:
            stack.pop()
            if len(stack) < self._opening_depth:
                self._opening_depth = 0
        self._last_times = (time.perf_counter(), time.thread_time())

    def _charge(self) -> None:
        wall, cpu = self._last_times
        kind = self._stack[-1]
        spent = (time.perf_counter() - wall, time.thread_time() - cpu)
        self.wall[kind] += spent[0]
        self.cpu[kind] += spent[1]
        if self._opening_depth:
            self.opening_seconds = [a + b for a, b in zip(self.opening_seconds, spent, strict=True)]

    def _classify_code(self, frame: FrameType) -> int | None:
        code = frame.f_code
        if code not in self._kinds:
            self._kinds[code] = classify_call(code.co_name, code.co_filename)
        return self._kinds[code]

    def _is_opening(self, code: CodeType) -> bool:
        if code not in self._openers:
            self._openers[code] = is_container_opener(code)
        return self._openers[code]

    def _classify_function(self, thing: Any) -> int | None:
        name = getattr(thing, "__qualname__", "") or ""
        if name not in self._kinds:
            owner = str(getattr(thing, "__module__", "") or "")
            self._kinds[name] = classify_call(name.rpartition(".")[2], "", f"{owner}.{name}")
        return self._kinds[name]


def is_container_opener(code: CodeType) -> bool:
    """Is it the code that opens a container, of a library that is loaded?"""
    if code.co_name not in {"__init__", "open"}:
        return False
    openers = (_find_loaded(module, path) for module, path in _CONTAINER_OPENERS)
    return any(getattr(unwrap(one), "__code__", None) is code for one in openers if one)


def _find_loaded(module: str, path: str) -> Any:
    """The function of this name, if its library is loaded and has it."""
    thing = sys.modules.get(module)
    for name in path.split("."):
        thing = getattr(thing, name, None)
    return thing


def trace_stages(loader: Any, seconds: float) -> tuple[Shares, Shares]:
    """
    Fetch samples in this process under a tracer, for so many seconds.

    Gives the shares of wall and of CPU time by kind, and of both in which containers
    are opened. The tracer makes Python code slower than it is, so the shares lean
    towards code of many small calls.
    """
    call = _build_fetch(loader)
    tracer = StageTracer()
    end = time.perf_counter() + seconds
    first = True
    while first or time.perf_counter() < end:
        first = False
        sys.setprofile(tracer)
        try:
            call()
        except StopIteration:
            break
        finally:
            sys.setprofile(None)
    opened = tracer.opening_seconds
    return _compute_shares(tracer.wall, opened[0]), _compute_shares(tracer.cpu, opened[1])


def _compute_shares(times: list[float], seconds: float) -> Shares:
    total = sum(times) or 1.0
    kinds = {kind: spent / total for kind, spent in zip(KINDS, times, strict=True)}
    return Shares(**kinds, opened=seconds / total)


def _build_fetch(loader: Any) -> Callable[[], Any]:
    """A call that fetches one sample, or one batch where they come together."""
    dataset = loader.dataset
    if isinstance(dataset, IterableDataset):
        items = iter(dataset)
        return lambda: next(items)
    indices = iter(loader._index_sampler)  # noqa: SLF001  (what the fetcher gets)
    many = getattr(dataset, "__getitems__", None)
    if many or not loader._auto_collation:  # noqa: SLF001
        return lambda: (many or dataset.__getitem__)(next(indices))
    waiting: list[Any] = []

    def fetch_sample() -> Any:
        if not waiting:
            waiting.extend(next(indices))
        return dataset[waiting.pop()]

    return fetch_sample


def measure_fault_seconds() -> float:
    """What one minor fault costs on this machine, by touching fresh pages."""
    area = mmap.mmap(-1, _PAGE_COUNT * _PAGE_SIZE)
    begin = time.thread_time()
    for at in range(0, _PAGE_COUNT * _PAGE_SIZE, _PAGE_SIZE):
        area[at] = 1
    touched = time.thread_time()
    for at in range(0, _PAGE_COUNT * _PAGE_SIZE, _PAGE_SIZE):
        area[at] = 2
    again = time.thread_time()
    area.close()
    return max(0.0, (touched - begin) - (again - touched)) / _PAGE_COUNT
