"""What `bench decode` is told, and the numbers that it goes by."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pipedoctor.bench.images import Pictures
from pipedoctor.bench.window import Meter
from pipedoctor.collect.machine import Machine

Tell = Callable[[str], None]
"""Told what is being done, again and again."""

MODULES = {
    "pillow": "PIL",
    "opencv": "cv2",
    "simplejpeg": "simplejpeg",
    "PyTurboJPEG": "turbojpeg",
    "torchvision": "torchvision",
    "torchcodec": "torchcodec",
}
"""Libraries in the order in which they are shown, and what they are imported as."""
WINDOW = 0.25
"""Seconds; /proc counts in hundredths, so shorter ones could not tell who was there."""
PASS = 0.2
"""Seconds in which the chosen images are decoded once, more or less."""
ROUNDS = 9
FAULTS = 100.0
"""Page faults per image from which on another allocator is tried."""
PARALLEL = 0.2
"""Share of the budget for several processes at once."""
_GLIBC = {
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
}
KEEPING = {
    "pillow": {"PILLOW_BLOCKS_MAX": "64", **_GLIBC},
    "": _GLIBC,
}
"""Variables with which freed memory is kept: those of glibc, and Pillow's own."""
GRACE = 5.0
"""Seconds for an answer that may never come; less where the budget ends sooner."""
LATE = "no time left in the budget"


@dataclass(kw_only=True)
class Order:
    """What to measure, where, and for how long."""

    executable: str
    environ: Mapping[str, str]
    found: Pictures
    budget: float
    machine: Machine = field(default_factory=Machine)
    tell: Tell = lambda _: None
    meter: Meter | None = None
    began: float = field(default_factory=time.monotonic)
    """From when on the budget counts: the images are loaded or made in it, too."""
