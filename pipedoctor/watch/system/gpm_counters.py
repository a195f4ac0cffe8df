"""
Rates of a GPU between two readings, by NVML's GPM: Hopper and later.

NVML's utilization is of sampling periods, counts copies from pinned memory as work, and
calls a GPU that gets tiny kernels busier than it is; asking for PCIe traffic takes 40 ms.
GPM counts cycles, and is read in a tenth of a millisecond.
Source: nvml.h of CUDA 12 (Unit of PCIe traffic: MiB/s); seen on an H100 on 2026-11-26.
"""

import math
from typing import Any

from pipedoctor.runtime.lanes import Announce

_GRAPHICS_UTIL, _PCIE_TX, _PCIE_RX = 1, 20, 21
"""NVML_GPM_METRIC_GRAPHICS_UTIL and _PCIE_TX_PER_SEC, _PCIE_RX_PER_SEC, seen from the GPU."""
_FIELDS = {
    "busy": (_GRAPHICS_UTIL, 0.01),
    "sent": (_PCIE_TX, float(1 << 20)),
    "received": (_PCIE_RX, float(1 << 20)),
}
"""Field of a GPU -> metric, and what turns its unit into ours."""


class GpmCounters:
    """Two readings of one device, used in turn."""

    def __init__(self, nvml: Any, handle: Any, announce: Announce) -> None:
        self._nvml, self._handle, self._announce = nvml, handle, announce
        self._earlier, self._later = nvml.nvmlGpmSampleAlloc(), nvml.nvmlGpmSampleAlloc()
        self._read_sample(self._earlier)

    def _read_sample(self, sample: Any) -> None:
        self._announce("nvmlGpmSampleGet")
        self._nvml.nvmlGpmSampleGet(self._handle, sample)

    def read_rates(self) -> dict[str, float]:
        """
        Share of the time with a kernel, bytes a second sent and received, since the last call.

        What this card does not count is left out: all of it where it was partitioned meanwhile.
        """
        try:
            self._read_sample(self._later)
            query = self._compare_samples()
        except self._nvml.NVMLError:
            return {}
        self._earlier, self._later = self._later, self._earlier
        return {
            field: slot.value * unit
            for slot, (field, (_, unit)) in zip(query.metrics, _FIELDS.items(), strict=False)
            if slot.nvmlReturn == 0 and math.isfinite(slot.value)
        }

    def _compare_samples(self) -> Any:
        query = self._nvml.c_nvmlGpmMetricsGet_t()
        query.version = self._nvml.NVML_GPM_METRICS_GET_VERSION
        query.numMetrics = len(_FIELDS)
        query.sample1, query.sample2 = self._earlier, self._later
        for slot, (metric, _) in zip(query.metrics, _FIELDS.values(), strict=False):
            slot.metricId = metric
        self._announce("nvmlGpmMetricsGet")
        self._nvml.nvmlGpmMetricsGet(query)
        return query


def open_gpm(nvml: Any, handle: Any, announce: Announce) -> GpmCounters | None:
    """None where binding, driver or card do not have it, or may not be asked."""
    try:
        announce("nvmlGpmQueryDeviceSupport")
        if not nvml.nvmlGpmQueryDeviceSupport(handle).isSupportedDevice:
            return None
        return GpmCounters(nvml, handle, announce)
    except (nvml.NVMLError, AttributeError):  # AttributeError: an older binding
        return None
