"""What sysfs says of one disk: how it is attached, what it believes of itself."""

import os
import re
from pathlib import Path

from pipedoctor.collect.machine import read_int, read_or_default
from pipedoctor.facts import Disk

_TRANSPORT_BY_NAME = {
    "rbd": "rbd",
    "nbd": "nbd",
    "drbd": "drbd",
    "mmcblk": "mmc",
    "pmem": "pmem",
    "zram": "memory",
    "ram": "memory",
}
_TRANSPORT_BY_PATH = (
    ("/session[0-9]", "iscsi"),
    ("/rport-", "fc"),
    ("/usb[0-9]", "usb"),
    ("/virtio[0-9]", "virtio"),
    ("/xen|/vbd-", "xen"),
    ("/vmbus|/VMBUS", "hyperv"),
    ("/end_device-", "sas"),
    ("/ata[0-9]", "sata"),
    ("/host[0-9]", "scsi"),
)
_REMOTE_TRANSPORTS = frozenset({"iscsi", "fc", "rbd", "nbd", "drbd", "nvme-tcp", "nvme-rdma"})
_EMULATED_MODEL = re.compile(r"QEMU|VBOX|VMware|Virtual", re.IGNORECASE)
_NETWORK_VOLUMES = (
    "Amazon Elastic Block Store",
    "nvme_card-pd",
    "MSFT NVMe Accelerator",
)
"""Models of network volumes (AWS, Google, Azure) that look like local NVMe."""


def read_disk(device: Path) -> Disk:
    """Describe a whole disk by its folder in sysfs."""
    model = _read_model(device)
    transport = _detect_transport(device, model)
    volume = model.startswith(_NETWORK_VOLUMES)
    rotational = read_int(device / "queue/rotational")
    read_ahead = read_int(device / "queue/read_ahead_kb")
    active = re.search(r"\[(.+?)\]", read_or_default(device / "queue/scheduler"))
    return Disk(
        name=device.name,
        transport=transport,
        rotational=None if rotational is None else bool(rotational),
        model=model,
        read_ahead=None if read_ahead is None else read_ahead * 1024,
        scheduler=active[1] if active else "",
        remote=transport in _REMOTE_TRANSPORTS or transport == "nvme-fc" or volume,
    )


def _read_model(device: Path) -> str:
    for file in ("device/model", "device/name"):
        if text := " ".join(read_or_default(device / file).split()):
            return text
    return ""


def _detect_transport(device: Path, model: str) -> str:
    """Detect how the disk is attached; ``virtual`` where a hypervisor emulates it."""
    name = re.match("[a-z]+", device.name)
    if device.name.startswith("nvme"):
        return _read_nvme_transport(device)
    if name and name[0] in _TRANSPORT_BY_NAME:
        return _TRANSPORT_BY_NAME[name[0]]
    path = str(device)
    found = next((kind for sign, kind in _TRANSPORT_BY_PATH if re.search(sign, path)), "")
    emulated = found in {"sata", "sas", "scsi"} and _EMULATED_MODEL.search(model)
    return "virtual" if emulated else found


def _read_nvme_transport(device: Path) -> str:
    """``nvme`` on PCIe, else ``nvme-tcp``, ``nvme-rdma``, ``nvme-fc``."""
    controller = Path(os.path.realpath(device / "device"))
    files = [controller / "transport", *sorted(controller.glob("nvme*/transport"))]
    fabric = next((text for file in files if (text := read_or_default(file).strip())), "")
    return f"nvme-{fabric}" if fabric not in {"", "pcie"} else "nvme"
