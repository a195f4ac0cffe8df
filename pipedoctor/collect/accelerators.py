"""Read accelerators from /sys, /dev, /proc and the kernel log; no driver is asked."""

import os
import re
from collections import Counter
from pathlib import Path

from pipedoctor.collect import kernel_log
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.facts import Accelerators, PciDevice, Unreadable, Xid

DISPLAY = "0x03"
"""PCI class of display and 3D controllers; 0x12 is a processing accelerator."""
ACCELERATOR = "0x12"
MOST_NODES = 256

_MODULE = re.compile(r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)*)")
_XID = re.compile(r"NVRM: Xid \([^)]*\): (\d+)")
_TOOLKIT = re.compile(r'"version"\s*:\s*"(\d+\.\d+(?:\.\d+)?)"|CUDA Version (\S+)')


def accelerators(machine: Machine, announce: Announce) -> Accelerators:
    """Devices on the bus, drivers of the kernel, device files, Xid messages."""
    machine.linux()
    announce("/sys/bus/pci")
    nodes = _nodes(machine)
    return Accelerators(
        pci=_pci(machine.root / "sys/bus/pci/devices"),
        nvidia_module=_module(machine),
        nvidia_nodes=nodes,
        uvm_loaded=_uvm(machine),
        unusable_nodes=tuple(node for node in nodes if not _usable(machine, node)),
        rocm=machine.inside("/dev/kfd").exists(),
        jetson=_jetson(machine),
        xids=_xids(machine),
        compat_libcuda=_compat(machine),
        toolkit=_toolkit(machine),
    )


def _pci(folder: Path) -> tuple[PciDevice, ...] | None:
    """None where the bus cannot be seen; an empty bus is an answer."""
    try:
        places = sorted(folder.iterdir())
    except OSError:
        return None
    found: list[PciDevice] = []
    for place in places:
        if not read_or(place / "class").startswith((DISPLAY, ACCELERATOR)):
            continue
        driver = place / "driver"
        device = PciDevice(
            vendor=read_or(place / "vendor").strip().removeprefix("0x"),
            device=read_or(place / "device").strip().removeprefix("0x"),
            driver=driver.resolve().name if driver.exists() else "",
        )
        found.append(device)
    return tuple(found)


def _module(machine: Machine) -> str:
    match = _MODULE.search(read_or(machine.proc / "driver/nvidia/version"))
    return match.group(1) if match else ""


def _nodes(machine: Machine) -> tuple[str, ...]:
    """As the examined process sees them: a container has its own /dev."""
    try:
        names = os.listdir(machine.inside("/dev"))  # noqa: PTH208  (names are enough)
    except OSError:
        return ()
    ours = sorted(name for name in names if name.startswith("nvidia"))
    files = (f"/dev/{name}" for name in ours if name != "nvidia-caps")
    return tuple(files)[:MOST_NODES]


def _usable(machine: Machine, node: str) -> bool:
    return os.access(machine.inside(node), os.R_OK | os.W_OK)


def _uvm(machine: Machine) -> bool | None:
    modules = read_or(machine.proc / "modules")
    if not modules:
        return None
    return any(line.startswith("nvidia_uvm ") for line in modules.splitlines())


def _jetson(machine: Machine) -> bool:
    if (machine.root / "etc/nv_tegra_release").exists():
        return True
    model = read_or(machine.proc / "device-tree/compatible")
    return "nvidia,tegra" in model


def _xids(machine: Machine) -> tuple[Xid, ...] | None:
    """Every code with its count and its last line; None: no log can be read."""
    try:
        lines = kernel_log.lines(machine, containing="NVRM: Xid")
    except Unreadable:
        return None
    last: dict[int, str] = {}
    counts: Counter[int] = Counter()
    for line in lines:
        match = _XID.search(line)
        if match:
            code = int(match.group(1))
            counts[code] += 1
            last[code] = line[match.start() :].strip()[:200]
    return tuple(Xid(code=c, count=counts[c], last=last[c]) for c in sorted(counts))


def _compat(machine: Machine) -> tuple[str, ...]:
    names = ("/usr/local/cuda/compat/libcuda.so.1", "/usr/local/cuda/compat/libcuda.so")
    return tuple(name for name in names if machine.inside(name).exists())[:1]


def _toolkit(machine: Machine) -> str:
    """The CUDA toolkit at its usual place; torch's wheels do not need it."""
    for name in ("version.json", "version.txt"):
        match = _TOOLKIT.search(read_or(machine.inside(f"/usr/local/cuda/{name}")))
        if match:
            return match.group(1) or match.group(2)
    return ""
