"""GPUs that remain visible under an environment variable."""

from collections.abc import Sequence

from pipedoctor.facts import Accelerators, Device, Gpu, Site, Variables

HIDING_VALUES = ("", "-1", "nodevfiles", "none", "void")


def find_unknown_device(value: str, devices: Sequence[Device]) -> str:
    """
    Return the first entry of CUDA_VISIBLE_DEVICES that names no GPU; empty: all do.

    CUDA stops reading at the first unknown entry: entries after it are hidden as well.
    An index counts from 0; a UUID may be abbreviated. MIG instances and GPUs without a
    known UUID cannot be said to be missing.
    """
    for entry in map(str.strip, value.split(",")):
        if entry.startswith("MIG"):
            continue
        if entry.startswith("GPU-"):
            known = [device.uuid for device in devices]
            if all(known) and not any(uuid.startswith(entry) for uuid in known):
                return entry
        elif not entry.isdecimal() or int(entry) >= len(devices):
            return entry or "(nothing)"
    return ""


def hides_all(value: str) -> bool:
    """Does it hide every GPU, regardless of how many there are?"""
    return value.split(",", maxsplit=1)[0].strip().lower() in HIDING_VALUES


def is_hidden_by_container(
    variables: Variables,
    gpu: Gpu | None,
    accelerators: Accelerators | None,
    site: Site | None,
) -> bool:
    """Did the container runtime hide the host's GPUs on request?"""
    value = variables.values.get("NVIDIA_VISIBLE_DEVICES")
    inside = site is not None and bool(site.container)
    on_host = accelerators is not None and bool(accelerators.nvidia_module)
    some = bool(gpu and gpu.devices) or bool(accelerators and accelerators.nvidia_nodes)
    return value is not None and hides_all(value) and inside and on_host and not some
