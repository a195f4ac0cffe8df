"""How fast images are decoded here, by each library that can."""

from typing import ClassVar, Literal

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.bench import Host, Quality, Spread

DecodeTask = Literal["decode", "resize"]
REFERENCE_PATH = "PIL"
"""The path that all others are compared with."""


class Pixels(Part, frozen=True, kw_only=True):
    """How far the result is from PIL's, in steps of 0 to 255."""

    largest: int
    mean: float


class Unread(Part, frozen=True, kw_only=True):
    """An image that nothing here could decode."""

    path: str
    reason: str


class Images(Part, frozen=True, kw_only=True):
    """What was decoded."""

    count: int
    bytes: int
    generated: bool = False
    width: int | None = None
    """Of the first one that could be read."""
    height: int | None = None
    unreadable: tuple[Unread, ...] = ()


class DecodePath(Part, frozen=True, kw_only=True):
    """One way to pixels: a library, what it is asked for, and how fast it was."""

    library: str
    name: str
    """``PIL``, ``PIL draft``, ``cv2 area``, ``torchvision`` ..."""
    task: DecodeTask
    """Only decode to RGB, or also resize to 224 x 224."""
    allocator: str = ""
    """Variables that were set so that freed memory is kept; empty: as it is."""
    processes: int = 1
    antialiased: bool | None = None
    """Does its resize average all pixels? None: nothing is resized."""
    smaller: bool = False
    """Does it decode at a half, a quarter or an eighth of the size?"""
    rate: Spread | None = None
    """Images per second of all processes together."""
    ratio: Spread | None = None
    """CPU time of PIL with the same task by that of this path, window by window."""
    kept: Spread | None = None
    """CPU time of the same path without `allocator` by that with it."""
    cpu_seconds: float | None = None
    """Per image."""
    faults: float | None = None
    """Minor page faults per image."""
    pixels: Pixels | None = None
    unknown: str = ""
    """Why it has no rate."""


class BenchDecode(Fact, frozen=True, kw_only=True):
    """The result of `pipedoctor bench decode`."""

    section: ClassVar[str] = "bench_decode"

    host: Host
    images: Images
    versions: dict[str, str] = {}
    """Of the libraries that were measured."""
    broken: dict[str, str] = {}
    """Libraries that are installed and cannot be used, and why."""
    paths: tuple[DecodePath, ...] = ()
    quality: Quality = Quality()
    seconds: float = 0.0
    interrupted: bool = False

    def find(
        self, name: str, task: DecodeTask, *, allocator: str = "", processes: int = 1
    ) -> DecodePath | None:
        """The path of this name that was measured."""
        wanted = (name, task, allocator, processes)
        for path in self.paths:
            if (path.name, path.task, path.allocator, path.processes) == wanted:
                return path if path.rate else None
        return None


def find_best_switch(benchmark: BenchDecode) -> DecodePath | None:
    """
    Find the path that certainly beats PIL, with comparable pixels.

    Antialiased and of full size, in one process, with the allocator as it is; None
    where the interval of every such way reaches down to PIL.
    """
    sure = [
        path
        for path in benchmark.paths
        if path.task == "resize"
        and path.antialiased
        and not path.smaller
        and not path.allocator
        and path.processes == 1
        and path.ratio is not None
        and path.ratio.is_above(1.0)
    ]
    return max(sure, key=lambda p: p.ratio.low if p.ratio else 0.0, default=None)


def find_best_allocator(benchmark: BenchDecode) -> DecodePath | None:
    """Find the path that certainly gains most from an allocator that keeps memory."""
    sure = [path for path in benchmark.paths if path.kept is not None and path.kept.is_above(1.0)]
    return max(sure, key=lambda p: p.kept.low if p.kept else 0.0, default=None)
