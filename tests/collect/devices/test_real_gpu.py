"""NVML on a real GPU, beside what torch says of it."""

import os
import time

import pytest

from pipedoctor.collect.devices.gpu import gpu
from pipedoctor.collect.machine import Machine
from pipedoctor.watch.system.gpu_counters import GpuCounters

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def _needs_a_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("no GPU")


@pytest.mark.gpu
def test_the_driver_describes_the_card_as_torch_does() -> None:
    found = gpu(Machine(), lambda _: None)

    properties = torch.cuda.get_device_properties(0)
    named = [device for device in found.devices if device.name == properties.name]
    assert named
    assert named[0].capability == f"{properties.major}.{properties.minor}"
    assert not named[0].lost
    assert (named[0].memory or 0) >= properties.total_memory


@pytest.mark.gpu
def test_watching_sees_a_busy_gpu_and_who_uses_it() -> None:
    matrix = torch.randn(4096, 4096, device="cuda")
    counters = GpuCounters(Machine(), every=0.2)
    until = time.monotonic() + 20
    busy = 0.0
    while time.monotonic() < until and busy < 0.5:
        for _ in range(20):
            torch.mm(matrix, matrix)
        torch.cuda.synchronize()
        busy = max((device.busy or 0.0 for device in counters.list_devices()), default=0.0)
    devices = counters.list_devices()
    counters.close()

    assert busy >= 0.5, counters.unknown
    assert any(os.getpid() in device.pids for device in devices)
    assert any((device.memory or 0) >= matrix.nbytes for device in devices)
