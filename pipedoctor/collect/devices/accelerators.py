"""Read accelerators from /sys, /dev, /proc and the kernel log; no driver is asked."""

import os
import re
from collections import Counter
from pathlib import Path

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.system import kernel_log
from pipedoctor.facts import Accelerators, PciDevice, UnreadableError, Xid
from pipedoctor.runtime.lanes import Announce

DISPLAY_CLASS = "0x03"
"""PCI class of display and 3D controllers; 0x12 is a processing accelerator."""
ACCELERATOR_CLASS = "0x12"
MAX_DEVICE_FILES = 256

_DRIVER_VERSION = re.compile(r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)*)")
_XID_LINE = re.compile(r"NVRM: Xid \([^)]*\): (\d+)")
_TOOLKIT_VERSION = re.compile(r'"version"\s*:\s*"(\d+\.\d+(?:\.\d+)?)"|CUDA Version (\S+)')


def accelerators(machine: Machine, announce: Announce) -> Accelerators:
    """Devices on the bus, drivers of the kernel, device files, Xid messages."""
    machine.require_linux()
    announce("/sys/bus/pci")
    nodes = _list_device_files(machine)
    return Accelerators(
        pci=_read_pci_devices(machine.root / "sys/bus/pci/devices"),
        nvidia_module=_read_driver_version(machine),
        nvidia_nodes=nodes,
        uvm_loaded=_is_uvm_loaded(machine),
        unusable_nodes=tuple(node for node in nodes if not _is_usable(machine, node)),
        rocm=machine.map_path("/dev/kfd").exists(),
        jetson=_is_jetson(machine),
        xids=_read_xids(machine),
        compat_libcuda=_find_compat_libcuda(machine),
        toolkit=_read_toolkit_version(machine),
    )


def _read_pci_devices(folder: Path) -> tuple[PciDevice, ...] | None:
    """None where the bus cannot be seen; an empty bus is an answer."""
    try:
        places = sorted(folder.iterdir())
    except OSError:
        return None
    found: list[PciDevice] = []
    for place in places:
        if not read_or_default(place / "class").startswith((DISPLAY_CLASS, ACCELERATOR_CLASS)):
            continue
        driver = place / "driver"
        device = PciDevice(
            vendor=read_or_default(place / "vendor").strip().removeprefix("0x"),
            device=read_or_default(place / "device").strip().removeprefix("0x"),
            driver=driver.resolve().name if driver.exists() else "",
        )
        found.append(device)
    return tuple(found)


def _read_driver_version(machine: Machine) -> str:
    match = _DRIVER_VERSION.search(read_or_default(machine.proc / "driver/nvidia/version"))
    return match.group(1) if match else ""


def _list_device_files(machine: Machine) -> tuple[str, ...]:
    """List NVIDIA's device files in the examined process's own /dev."""
    try:
        names = os.listdir(machine.map_path("/dev"))  # noqa: PTH208  (names are enough)
    except OSError:
        return ()
    ours = sorted(name for name in names if name.startswith("nvidia"))
    files = (f"/dev/{name}" for name in ours if name != "nvidia-caps")
    return tuple(files)[:MAX_DEVICE_FILES]


def _is_usable(machine: Machine, path: str) -> bool:
    return os.access(machine.map_path(path), os.R_OK | os.W_OK)


def _is_uvm_loaded(machine: Machine) -> bool | None:
    modules = read_or_default(machine.proc / "modules")
    if not modules:
        return None
    return any(line.startswith("nvidia_uvm ") for line in modules.splitlines())


def _is_jetson(machine: Machine) -> bool:
    if (machine.root / "etc/nv_tegra_release").exists():
        return True
    model = read_or_default(machine.proc / "device-tree/compatible")
    return "nvidia,tegra" in model


def _read_xids(machine: Machine) -> tuple[Xid, ...] | None:
    """Every code with its count and its last line; None: no log can be read."""
    try:
        lines = kernel_log.read_lines(machine, containing="NVRM: Xid")
    except UnreadableError:
        return None
    last: dict[int, str] = {}
    counts: Counter[int] = Counter()
    for line in lines:
        match = _XID_LINE.search(line)
        if match:
            code = int(match.group(1))
            counts[code] += 1
            last[code] = line[match.start() :].strip()[:200]
    return tuple(Xid(code=c, count=counts[c], last=last[c]) for c in sorted(counts))


def _find_compat_libcuda(machine: Machine) -> tuple[str, ...]:
    names = ("/usr/local/cuda/compat/libcuda.so.1", "/usr/local/cuda/compat/libcuda.so")
    return tuple(name for name in names if machine.map_path(name).exists())[:1]


def _read_toolkit_version(machine: Machine) -> str:
    """The CUDA toolkit at its usual place; torch's wheels do not need it."""
    for name in ("version.json", "version.txt"):
        match = _TOOLKIT_VERSION.search(
            read_or_default(machine.map_path(f"/usr/local/cuda/{name}"))
        )
        if match:
            return match.group(1) or match.group(2)
    return ""
