"""Accelerators from made-up /sys, /dev and /proc, and from the real machine."""

import os
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.devices.accelerators import accelerators
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system import kernel_log
from pipedoctor.facts import Accelerators, PciDevice, UnreadableError, Xid

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/sys is Linux's")

VERSION = """\
NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023
GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)
"""
OPEN_VERSION = """\
NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build
"""


def put(root: Path, name: str, text: str = "") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def slot(root: Path, address: str, vendor: str, kind: str = "0x030200", driver: str = "") -> None:
    folder = f"sys/bus/pci/devices/{address}"
    put(root, f"{folder}/vendor", f"0x{vendor}\n")
    put(root, f"{folder}/device", "0x20b0\n")
    put(root, f"{folder}/class", f"{kind}\n")
    if driver:
        target = root / "sys/bus/pci/drivers" / driver
        target.mkdir(parents=True, exist_ok=True)
        (root / folder / "driver").symlink_to(target)


def seen(root: Path) -> Accelerators:
    announced: list[str] = []
    fact = accelerators(Machine(root=root), announced.append)
    assert announced
    return fact


def test_nothing_at_all_is_unknown_not_empty(tmp_path: Path) -> None:
    assert seen(tmp_path) == Accelerators()


def test_the_bus(tmp_path: Path) -> None:
    slot(tmp_path, "0000:01:00.0", "10de", driver="nvidia")
    slot(tmp_path, "0000:02:00.0", "1002", "0x030000", driver="amdgpu")
    slot(tmp_path, "0000:03:00.0", "10de", "0x040300", driver="snd_hda_intel")
    slot(tmp_path, "0000:04:00.0", "1da3", "0x120000")

    fact = seen(tmp_path)

    assert fact.pci == (
        PciDevice(vendor="10de", device="20b0", driver="nvidia"),
        PciDevice(vendor="1002", device="20b0", driver="amdgpu"),
        PciDevice(vendor="1da3", device="20b0"),
    )
    assert [device.driver for device in fact.nvidia_devices] == ["nvidia"]


def test_a_bus_without_accelerators_is_an_answer(tmp_path: Path) -> None:
    slot(tmp_path, "0000:00:1f.0", "8086", "0x060100")

    assert seen(tmp_path).pci == ()


@pytest.mark.parametrize(
    ("text", "version"),
    [(VERSION, "535.104.05"), (OPEN_VERSION, "580.95.05"), ("nonsense", "")],
)
def test_the_kernel_module(tmp_path: Path, text: str, version: str) -> None:
    put(tmp_path, "proc/driver/nvidia/version", text)

    assert seen(tmp_path).nvidia_module == version


def test_device_files(tmp_path: Path) -> None:
    for name in ("nvidia0", "nvidiactl", "nvidia-uvm", "null", "nvidia-caps/cap1"):
        put(tmp_path, f"dev/{name}")

    fact = seen(tmp_path)

    assert fact.nvidia_nodes == ("/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidiactl")
    assert fact.unusable_nodes == ()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may open anything"
)
def test_files_that_may_not_be_opened(tmp_path: Path) -> None:
    put(tmp_path, "dev/nvidia0")
    (tmp_path / "dev/nvidia0").chmod(0o400)

    assert seen(tmp_path).unusable_nodes == ("/dev/nvidia0",)


def test_a_file_that_vanished_may_not_be_opened(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/nvidia-uvm").symlink_to(tmp_path / "gone")

    assert seen(tmp_path).unusable_nodes == ("/dev/nvidia-uvm",)


@pytest.mark.parametrize(
    ("modules", "loaded"),
    [
        ("nvidia_uvm 4775936 0 - Live 0x0\nnvidia 56717312 4 nvidia_uvm, Live\n", True),
        ("nvidia 56717312 0 - Live 0x0\n", False),
        ("", None),
    ],
)
def test_the_memory_manager(tmp_path: Path, modules: str, loaded: bool | None) -> None:
    put(tmp_path, "proc/modules", modules)

    assert seen(tmp_path).uvm_loaded is loaded


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("etc/nv_tegra_release", "# R35 (release), REVISION: 4.1"),
        ("proc/device-tree/compatible", "nvidia,p3737\0nvidia,tegra234\0"),
    ],
)
def test_jetson(tmp_path: Path, name: str, text: str) -> None:
    put(tmp_path, name, text)

    assert seen(tmp_path).jetson


def test_another_board_is_no_jetson(tmp_path: Path) -> None:
    put(tmp_path, "proc/device-tree/compatible", "raspberrypi,4-model-b\0")

    assert not seen(tmp_path).jetson


def test_rocm_compat_and_toolkit(tmp_path: Path) -> None:
    put(tmp_path, "dev/kfd")
    put(tmp_path, "usr/local/cuda/compat/libcuda.so.1")
    put(tmp_path, "usr/local/cuda/compat/libcuda.so")
    put(tmp_path, "usr/local/cuda/version.json", '{"cuda": {"version" : "12.4.1"}}')

    fact = seen(tmp_path)

    assert fact.rocm
    assert fact.compat_libcuda == ("/usr/local/cuda/compat/libcuda.so.1",)
    assert fact.toolkit == "12.4.1"


def test_an_older_toolkit_has_a_text(tmp_path: Path) -> None:
    put(tmp_path, "usr/local/cuda/version.json", "{}")
    put(tmp_path, "usr/local/cuda/version.txt", "CUDA Version 10.2.89\n")

    assert seen(tmp_path).toolkit == "10.2.89"


def test_xids_of_the_kernel_log(tmp_path: Path) -> None:
    put(
        tmp_path,
        "dev/kmsg",
        "4,1,1,-;NVRM: Xid (PCI:0000:01:00): 31, pid=7, name=python\n"
        "4,2,2,-;usb 1-1: new device\n"
        "4,3,3,-;NVRM: Xid (PCI:0000:01:00): 79, pid=7, GPU has fallen off the bus.\n"
        "4,4,4,-;NVRM: Xid (PCI:0000:01:00): 79, pid=8, again\n"
        "4,5,5,-;NVRM: Xid nonsense\n",
    )

    assert seen(tmp_path).xids == (
        Xid(code=31, count=1, last="NVRM: Xid (PCI:0000:01:00): 31, pid=7, name=python"),
        Xid(code=79, count=2, last="NVRM: Xid (PCI:0000:01:00): 79, pid=8, again"),
    )


def test_without_the_ring_buffer_a_file_tells_this_boot_only(tmp_path: Path) -> None:
    old = "Nov 1 kernel: NVRM: Xid (PCI:0000:01:00): 48, pid=1\n"
    boot = "Nov 2 kernel: [    0.000000] Linux version 6.1.0\n"
    new = "Nov 2 kernel: [  9.0] NVRM: Xid (PCI:0000:01:00): 62, pid=1\n"
    put(tmp_path, "var/log/syslog", old + boot + new)

    assert [xid.code for xid in seen(tmp_path).xids or ()] == [62]


def test_only_the_end_of_a_long_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_log, "MAX_BYTES", 64)
    put(tmp_path, "var/log/kern.log", "NVRM: Xid (PCI:1): 48\n" + "x" * 64)

    assert seen(tmp_path).xids == ()


def test_a_long_ring_buffer_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_log, "MAX_RECORDS", 0)
    put(tmp_path, "dev/kmsg", "4,1,1,-;NVRM: Xid (PCI:1): 48\n")

    assert seen(tmp_path).xids == ()


def test_a_ring_buffer_that_overran_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[bytes | OSError] = [
        BrokenPipeError(),
        b"4,1,1,-;NVRM: Xid (PCI:1): 48\n",
        BlockingIOError(),
    ]

    def answer(_descriptor: int, _most: int) -> bytes:
        given = answers.pop(0)
        if isinstance(given, OSError):
            raise given
        return given

    put(tmp_path, "dev/kmsg")
    monkeypatch.setattr(os, "read", answer)

    assert kernel_log.read_lines(Machine(root=tmp_path), containing="Xid") == [
        "NVRM: Xid (PCI:1): 48"
    ]


def test_no_log_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="the kernel log cannot be read: No such file"):
        kernel_log.read_lines(Machine(root=tmp_path), containing="x")


def test_a_process_has_its_own_device_files(tmp_path: Path) -> None:
    put(tmp_path, "dev/nvidia0")
    put(tmp_path, "proc/7/root/dev/nvidia1")

    fact = accelerators(Machine(root=tmp_path, pid=7), lambda _: None)

    assert fact.nvidia_nodes == ("/dev/nvidia1",)


def test_the_real_machine() -> None:
    fact = accelerators(Machine(), lambda _: None)

    assert fact.nvidia_devices == tuple(d for d in fact.pci or () if d.vendor == "10de")


def test_only_on_linux() -> None:
    with pytest.raises(UnreadableError, match="only available on Linux, not on darwin"):
        accelerators(Machine(system="darwin"), lambda _: None)
