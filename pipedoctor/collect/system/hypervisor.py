"""Whose virtual machine this is, if it is one: from /sys and /proc alone."""

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.runtime import regular_file

_VENDOR_PREFIXES = {
    "KVM": "kvm",
    "OpenStack": "kvm",
    "Amazon EC2": "amazon",
    "QEMU": "qemu",
    "VMware": "vmware",
    "VMW": "vmware",
    "innotek GmbH": "virtualbox",
    "VirtualBox": "virtualbox",
    "Xen": "xen",
    "Bochs": "bochs",
    "Parallels": "parallels",
    "BHYVE": "bhyve",
    "Hyper-V": "hyper-v",
    "Microsoft Corporation": "hyper-v",
    "Google": "google",
    "Apple Virtualization": "apple",
    "DigitalOcean": "kvm",
    "Alibaba Cloud": "kvm",
}
"""What DMI says begins with, as systemd's detect-virt reads it, and clouds."""

_DMI_FILES = ("product_name", "sys_vendor", "board_vendor", "bios_vendor")
_CPUINFO_BYTES = 1 << 13


def hypervisor(machine: Machine) -> tuple[str, str]:
    """
    Name the hypervisor and say what gives it away; two empty strings on metal.

    x86 processors tell by a flag, so there DMI only names it: the clouds' bare
    metal machines carry the same vendor. Elsewhere DMI and the device tree tell.
    """
    if read_or_default(machine.root / "sys/hypervisor/type").strip() == "xen":
        control = "control_d" in read_or_default(machine.proc / "xen/capabilities")
        return ("", "") if control else ("xen", "/sys/hypervisor/type")
    name, dmi_evidence = _read_dmi_vendor(machine)
    first = _read_first_cpu(machine)
    flags = next((li for li in first.splitlines() if li.startswith("flags")), "")
    if flags:
        if "hypervisor" not in flags.split():
            return "", ""
        return name or "unknown", dmi_evidence or "the processor's flag hypervisor"
    if name and ".metal" not in dmi_evidence:
        return name, dmi_evidence
    tree = read_or_default(machine.proc / "device-tree/hypervisor/compatible").strip("\0")
    return ("kvm" if "kvm" in tree else tree, f"device tree: {tree}") if tree else ("", "")


def _read_dmi_vendor(machine: Machine) -> tuple[str, str]:
    folder = machine.root / "sys/class/dmi/id"
    product = read_or_default(folder / "product_name").strip()
    for file in _DMI_FILES:
        text = read_or_default(folder / file).strip()
        for beginning, name in _VENDOR_PREFIXES.items():
            if text.startswith(beginning):
                return name, f"DMI: {text} {product if product != text else ''}".strip()
    return "", ""


def _read_first_cpu(machine: Machine) -> str:
    """The first processor's entry; the whole file takes long on large machines."""
    try:
        head = regular_file.read_start(machine.proc / "cpuinfo", _CPUINFO_BYTES)
    except OSError:
        return ""
    return head.decode("utf-8", "replace")
