"""Whose virtual machine this is, if it is one: from /sys and /proc alone."""

from pipedoctor.collect.machine import Machine, read_or

_VENDORS = {
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

_DMI = ("product_name", "sys_vendor", "board_vendor", "bios_vendor")
_ENOUGH = 1 << 13


def hypervisor(machine: Machine) -> tuple[str, str]:
    """
    Name the hypervisor and say what gives it away; two empty strings on metal.

    x86 processors tell by a flag, so there DMI only names it: the clouds' bare
    metal machines carry the same vendor. Elsewhere DMI and the device tree tell.
    """
    if read_or(machine.root / "sys/hypervisor/type").strip() == "xen":
        control = "control_d" in read_or(machine.proc / "xen/capabilities")
        return ("", "") if control else ("xen", "/sys/hypervisor/type")
    name, said = _dmi(machine)
    first = _first_cpu(machine)
    flags = next((li for li in first.splitlines() if li.startswith("flags")), "")
    if flags:
        if "hypervisor" not in flags.split():
            return "", ""
        return name or "unknown", said or "the processor's flag hypervisor"
    if name and ".metal" not in said:
        return name, said
    tree = read_or(machine.proc / "device-tree/hypervisor/compatible").strip("\0")
    return (
        ("kvm" if "kvm" in tree else tree, f"device tree: {tree}") if tree else ("", "")
    )


def _dmi(machine: Machine) -> tuple[str, str]:
    folder = machine.root / "sys/class/dmi/id"
    product = read_or(folder / "product_name").strip()
    for file in _DMI:
        text = read_or(folder / file).strip()
        for beginning, name in _VENDORS.items():
            if text.startswith(beginning):
                return name, f"DMI: {text} {product if product != text else ''}".strip()
    return "", ""


def _first_cpu(machine: Machine) -> str:
    """The first processor's entry; the whole file takes long on large machines."""
    try:
        with (machine.proc / "cpuinfo").open("rb", buffering=0) as file:
            return file.read(_ENOUGH).decode("utf-8", "replace")
    except OSError:
        return ""
