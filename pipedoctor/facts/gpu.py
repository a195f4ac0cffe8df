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
    uuid: str = ""
    """``GPU-...``; what CUDA_VISIBLE_DEVICES may name instead of an index."""
    pcie_generation: int | None = None
    pcie_generation_max: int | None = None
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    """Lanes; the most that this card and this slot can do together."""
    persistence: bool | None = None
    throttled: tuple[str, ...] | None = None
    """Why its clocks are down, in words: ``hardware thermal slowdown``, ``idle``."""
    utilisation: int | None = None
    """Percent of the time with at least one kernel running."""
    pstate: int | None = None
    """0 = full performance ... 15 = least."""
    ecc_uncorrected: int | None = None
    """Memory errors since the driver was loaded that ECC could not correct."""
    remap_pending: bool | None = None
    """A row of memory waits for a reset to be replaced."""
    remap_failed: bool | None = None
    mig: bool | None = None
    numa_node: int | None = None
    temperature: int | None = None
    """Degrees Celsius."""
    lost: bool = False
    """The driver says that it has lost this GPU (NVML 15)."""
    unknown: dict[str, str] = {}
    """Why a field above is missing: ``ecc_uncorrected`` -> ``not supported``."""

    @property
    def is_busy(self) -> bool:
        """
        Does it work right now? Only then link speed and clocks say anything.

        Cards of data centers stay in P0 when idle: the state counts only where the
        utilisation is not known.
        """
        if "idle" in (self.throttled or ()):
            return False
        return self.pstate == 0 if self.utilisation is None else self.utilisation > 0


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
