"""GPUs while a job runs, by NVML, in a thread of its own: any call may hang."""

import importlib
import os
import threading
import time
from collections import defaultdict
from typing import Any

from pipedoctor.collect.devices.gpu import DRIVER_DEVICES
from pipedoctor.collect.devices.gpu import gpu as describe_driver
from pipedoctor.collect.devices.gpu_device import THROTTLE_REASONS, NvmlQueries, decode_text
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import LiveGpu, UnreadableError
from pipedoctor.watch.system.gpm_counters import open_gpm

_KILO, _MEGA, _MILLI = 1024, 1_000_000, 1e-3
_TO_GPU, _FROM_GPU, _SM_CLOCK = 1, 0, 1
"""NVML_PCIE_UTIL_RX_BYTES of the card, NVML_PCIE_UTIL_TX_BYTES, NVML_CLOCK_SM."""


class GpuRates:
    """How busy a GPU is, and its PCIe traffic: exact where the card has GPM."""

    def __init__(self, questions: NvmlQueries, handle: Any) -> None:
        self._handle = handle
        self._gpm = open_gpm(questions.nvml, handle, questions.announce)
        self._is_first = self._gpm is not None

    def read(self, questions: NvmlQueries) -> dict[str, float]:
        """`busy`, `sent`, `received` of `LiveGpu`, as far as they are known."""
        if self._is_first:  # rates are of the time between two readings
            self._is_first = False
            return {}
        rates = self._gpm.read_rates() if self._gpm else {}
        if "busy" in rates:
            return rates
        self._gpm = None
        use = questions.query("busy", "nvmlDeviceGetUtilizationRates", self._handle)
        asked = {
            field: questions.query(field, "nvmlDeviceGetPcieThroughput", self._handle, way)
            for field, way in (("received", _TO_GPU), ("sent", _FROM_GPU))
        }
        rates = {field: value * _KILO for field, value in asked.items() if value is not None}
        return {**rates, "busy": use.gpu / 100} if use else rates


class GpuCounters:
    """Asks the driver once a second; what it has answered so far is in `devices`."""

    def __init__(self, machine: Machine, every: float = 1.0) -> None:
        self.unknown = ""
        self._interval = every
        self._sums: dict[int, dict[str, list[float]]] = {}
        self._last: dict[int, LiveGpu] = {}
        self._rates: dict[int, GpuRates] = {}
        self._stop = threading.Event()
        self._answered_at = time.monotonic()
        self._current_call = ""
        if not any(map(os.path.exists, DRIVER_DEVICES)):
            self.unknown = "no NVIDIA driver on this machine"
            return
        threading.Thread(target=self._poll, args=(machine,), daemon=True).start()

    def _poll(self, machine: Machine) -> None:
        try:
            driver = describe_driver(machine, self._announce)
        except UnreadableError as error:
            self.unknown = str(error)
            return
        if driver.error and not driver.devices:
            self.unknown = driver.error
            return
        nvml: Any = importlib.import_module("pynvml")
        while not self._stop.is_set():
            for device in driver.devices:
                try:
                    self._query_device(nvml, device.index, device.name)
                except nvml.NVMLError as error:  # noqa: PERF203  (once a second)
                    self.unknown = f"GPU {device.index}: {error}"
            self._answered_at = time.monotonic()
            self._stop.wait(self._interval)

    def _announce(self, call: str) -> None:
        self._current_call = call

    def _query_device(self, nvml: Any, index: int, name: str) -> None:
        questions = NvmlQueries(nvml, self._announce)
        handle = questions.query("handle", "nvmlDeviceGetHandleByIndex", index)
        if handle is None:
            return

        def ask(field: str, call: str, *args: object) -> Any:
            return questions.query(field, f"nvmlDeviceGet{call}", handle, *args)

        sums = self._sums.setdefault(index, defaultdict(list[float]))
        power = ask("power", "PowerUsage")
        if index not in self._rates:
            self._rates[index] = GpuRates(questions, handle)
        rates = self._rates[index].read(questions)
        if power is not None:
            rates["power"] = power * _MILLI
        for field, value in rates.items():
            _append_bounded(sums[field], value)
        bits = questions.query_throttle_reasons(handle) or 0
        memory, clock = questions.query_memory(handle), ask("clock", "ClockInfo", _SM_CLOCK)
        users = ask("pids", "ComputeRunningProcesses") or ()
        self._last[index] = LiveGpu(
            index=index,
            name=decode_text(name),
            memory=memory.used if memory else None,
            clock=clock * _MEGA if clock is not None else None,
            throttled=tuple(
                word for bit, word in THROTTLE_REASONS.items() if bits & bit and word != "idle"
            ),
            pids=tuple(int(user.pid) for user in users),
            unknown=questions.unknown,
        )

    def list_devices(self) -> tuple[LiveGpu, ...]:
        """What was answered; a driver that hangs keeps what it has said before."""
        silent = time.monotonic() - self._answered_at
        if not self.unknown and silent > 5 * self._interval + 5:
            self.unknown = f"the driver does not answer {self._current_call}"
        return tuple(self._summarize_device(index) for index in sorted(self._last))

    def _summarize_device(self, index: int) -> LiveGpu:
        from msgspec.structs import replace  # noqa: PLC0415  (no GPU, no need)

        means = {
            field: sum(values) / len(values)
            for field, values in list(self._sums[index].items())
            if values
        }
        return replace(self._last[index], **means)

    def close(self) -> None:
        """Ask no more."""
        self._stop.set()


def _append_bounded(values: list[float], value: float) -> None:
    values.append(value)
    if len(values) > 600:  # noqa: PLR2004  (ten minutes)
        del values[:300]
