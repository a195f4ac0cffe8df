"""What `bench decode` is told, and the numbers that it goes by."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pipedoctor.bench.images import ImageSet
from pipedoctor.bench.window import CpuMeter
from pipedoctor.collect.machine import Machine

ReportProgress = Callable[[str], None]
"""Told what is being done, again and again."""

LIBRARY_MODULES = {
    "pillow": "PIL",
    "opencv": "cv2",
    "simplejpeg": "simplejpeg",
    "PyTurboJPEG": "turbojpeg",
    "torchvision": "torchvision",
    "torchcodec": "torchcodec",
}
"""Libraries in the order in which they are shown, and what they are imported as."""
WINDOW_SECONDS = 0.25
"""Seconds; /proc counts in hundredths, so shorter ones could not tell who was there."""
PASS_SECONDS = 0.2
"""Seconds in which the chosen images are decoded once, more or less."""
MAX_ROUNDS = 9
MIN_FAULTS = 100.0
"""Page faults per image from which on another allocator is tried."""
PARALLEL_SHARE = 0.2
"""Share of the budget for several processes at once."""
_GLIBC_VARIABLES = {
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
}
KEEP_MEMORY_VARIABLES = {
    "pillow": {"PILLOW_BLOCKS_MAX": "64", **_GLIBC_VARIABLES},
    "": _GLIBC_VARIABLES,
}
"""Variables with which freed memory is kept: those of glibc, and Pillow's own."""
ANSWER_SECONDS = 5.0
"""Seconds for an answer that may never come; less where the budget ends sooner."""


@dataclass(kw_only=True)
class DecodeRequest:
    """What to measure, where, and for how long."""

    executable: str
    environ: Mapping[str, str]
    images: ImageSet
    budget: float
    machine: Machine = field(default_factory=Machine)
    report_progress: ReportProgress = lambda _: None
    meter: CpuMeter | None = None
    begin_time: float = field(default_factory=time.monotonic)
    """From when on the budget counts: the images are loaded or made in it, too."""
