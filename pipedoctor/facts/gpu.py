"""NVIDIA GPUs as the driver's own library describes them."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.paths import Hang


class Device(Part, frozen=True, kw_only=True):
    """One GPU; None = the driver does not say."""

    index: int
    name: str = ""
    memory: int | None = None
    capability: str = ""
    """``9.0``."""


class Gpu(Fact, frozen=True, kw_only=True):
    """What NVML says; an error or a hang of NVML is itself a fact."""

    section: ClassVar[str] = "gpu"

    driver: str = ""
    cuda: str = ""
    """The newest CUDA this driver serves: ``13.0``."""
    devices: tuple[Device, ...] = ()
    error: str = ""
    error_code: int | None = None
    """NVML's own number: 9 driver not loaded, 18 mismatch, 15 GPU lost ..."""
    hang: Hang | None = None
