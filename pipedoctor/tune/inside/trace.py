"""Which part of an item's time goes into reading, decoding and transforming."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import mmap
import re
import sys
import time
from collections.abc import Callable
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

from torch.utils.data import IterableDataset

_PAGES = 2048
_PAGE = 4096

_DECODING_FILES = re.compile(
    r"[/\\](PIL[/\\]\w+ImagePlugin|PIL[/\\]ImageFile|torchvision[/\\]io|torchcodec|"
    r"imageio|tifffile|pydicom|soundfile|librosa|torchaudio|av|decord|zipfile|gzip|"
    r"json|csv|pyarrow|h5py|simplejpeg|turbojpeg)\b"
)
_DECODING = re.compile(
    r"decode|decompress|imread|imdecode|inflate|unpack|parse|loads\b|unpickle|literal_eval"
)
_READING = re.compile(
    r"^(read|readinto|readline|readlines|read_bytes|read_text|pread|recv|recv_into|"
    r"open|stat|scandir|listdir|sleep|select|poll|urlopen|fetch|download|get_object|"
    r"acquire|wait|flush|fsync|connect|load_bytes)\w*$|(^|_)(read|fetch|download|load)_"
)
_OPENERS = (
    ("h5py", "File.__init__"),
    ("zipfile", "ZipFile.__init__"),
    ("tarfile", "TarFile.open"),
    ("tarfile", "TarFile.__init__"),
)
"""What opens a container and reads its index."""
_TRANSFORMING = re.compile(
    r"transform|augment|normali|crop|resize|flip|rotate|jitter|blur|interpolate|"
    r"convert|matmul|dot|filter|collate"
)
KINDS = ("read", "decode", "transform")
READ, DECODE, TRANSFORM = range(3)


class Tracer:
    """A profile function that charges all time to the innermost kind that is known."""

    def __init__(self) -> None:
        self.wall = [0.0, 0.0, 0.0]
        self.cpu = [0.0, 0.0, 0.0]
        self.opened = [0.0, 0.0]
        """Wall and CPU seconds of these within the opening of a container."""
        self._stack: list[int] = [TRANSFORM]
        self._opening = 0
        """How deep the call lies that opens one; 0: none does."""
        self._known: dict[Any, int | None] = {}
        self._openers: dict[CodeType, bool] = {}
        self._last = (time.perf_counter(), time.thread_time())

    def __call__(self, frame: FrameType, event: str, thing: Any) -> None:
        """Charge the time since the last event; remember what comes now."""
        self._charge()
        stack = self._stack
        if event == "call":
            kind = self._of_code(frame)
            stack.append(stack[-1] if kind is None else kind)
            if not self._opening and self._opens(frame.f_code):
                self._opening = len(stack)
        elif event == "c_call":
            kind = self._of_function(thing)
            stack.append(stack[-1] if kind is None else kind)
        elif len(stack) > 1:
            stack.pop()
            if len(stack) < self._opening:
                self._opening = 0
        self._last = (time.perf_counter(), time.thread_time())

    def _charge(self) -> None:
        wall, cpu = self._last
        kind = self._stack[-1]
        spent = (time.perf_counter() - wall, time.thread_time() - cpu)
        self.wall[kind] += spent[0]
        self.cpu[kind] += spent[1]
        if self._opening:
            self.opened = [a + b for a, b in zip(self.opened, spent, strict=True)]

    def _of_code(self, frame: FrameType) -> int | None:
        code = frame.f_code
        if code not in self._known:
            self._known[code] = kind_of(code.co_name, code.co_filename)
        return self._known[code]

    def _opens(self, code: CodeType) -> bool:
        if code not in self._openers:
            self._openers[code] = opens(code)
        return self._openers[code]

    def _of_function(self, thing: Any) -> int | None:
        name = getattr(thing, "__qualname__", "") or ""
        if name not in self._known:
            owner = str(getattr(thing, "__module__", "") or "")
            self._known[name] = kind_of(name.rpartition(".")[2], "", f"{owner}.{name}")
        return self._known[name]


def kind_of(name: str, filename: str, full: str = "") -> int | None:
    """What a function does, by its name and its file; None: what its caller does."""
    plain = name.lower().strip("_")
    if _DECODING.search(plain) or _DECODING_FILES.search(filename):
        return DECODE
    if "ImagingDecoder" in full or full.startswith(("zlib", "bz2", "_lzma", "_json")):
        return DECODE
    if _READING.search(plain):
        return READ
    if _TRANSFORMING.search(plain):
        return TRANSFORM
    return None


def opens(code: CodeType) -> bool:
    """Is it the code that opens a container, of a library that is loaded?"""
    if code.co_name not in {"__init__", "open"}:
        return False
    found = (_loaded(module, path) for module, path in _OPENERS)
    return any(getattr(unwrap(one), "__code__", None) is code for one in found if one)


def _loaded(module: str, path: str) -> Any:
    """The function of this name, if its library is loaded and has it."""
    thing = sys.modules.get(module)
    for name in path.split("."):
        thing = getattr(thing, name, None)
    return thing


def stages(loader: Any, seconds: float) -> dict[str, dict[str, float]]:
    """
    Fetch samples in this process under a tracer, for so many seconds.

    Gives the shares of wall and of CPU time by kind, and of both in which containers
    are opened. The tracer makes Python code slower than it is, so the shares lean
    towards code of many small calls.
    """
    call = _fetch(loader)
    tracer = Tracer()
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
    opened = tracer.opened
    return {
        "wall": _shares(tracer.wall, opened[0]),
        "cpu": _shares(tracer.cpu, opened[1]),
    }


def _shares(times: list[float], opened: float) -> dict[str, float]:
    total = sum(times) or 1.0
    parts = (*zip(KINDS, times, strict=True), ("opened", opened))
    return {kind: spent / total for kind, spent in parts}


def _fetch(loader: Any) -> Callable[[], Any]:
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

    def one() -> Any:
        if not waiting:
            waiting.extend(next(indices))
        return dataset[waiting.pop()]

    return one


def fault_seconds() -> float:
    """What one minor fault costs on this machine, by touching fresh pages."""
    area = mmap.mmap(-1, _PAGES * _PAGE)
    begin = time.thread_time()
    for at in range(0, _PAGES * _PAGE, _PAGE):
        area[at] = 1
    touched = time.thread_time()
    for at in range(0, _PAGES * _PAGE, _PAGE):
        area[at] = 2
    again = time.thread_time()
    area.close()
    return max(0.0, (touched - begin) - (again - touched)) / _PAGES
