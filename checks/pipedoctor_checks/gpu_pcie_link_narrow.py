"""PDR811: does a GPU have all the PCIe lanes that it and its slot can have?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Device, Gpu
from pipedoctor.remedy import Lasts, Remedy


@check("PDR811", "A GPU hangs on fewer PCIe lanes than it could")
def gpu_pcie_link_narrow(gpu: Gpu, /, *, narrow: float = 0.5) -> Findings:
    """
    Compare the PCIe link of each GPU with the widest that card and slot can do.

    ## Why it hurts

    Every batch crosses this link. A card that came up with 4 of 16 lanes copies four
    times slower: a riser, a badly seated card or a slot that shares its lanes.

    ## How it is judged

    The width counts at any time, and is sure while the GPU works (an idle one may save
    lanes). Half of the lanes is a note, since two cards that share a slot's lanes
    are common and seldom the bottleneck; fewer than `narrow` of them slows. The
    generation counts only under load: an idle link at generation 1 is normal.

    ## Sources

    - https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceQueries.html
    """
    known = [d for d in gpu.devices if d.pcie_width and d.pcie_width_max]
    if not known:
        reason = "the PCIe link of no GPU is known"
        raise CannotJudge(reason)
    for device in known:
        width, most = device.pcie_width or 0, device.pcie_width_max or 0
        if width < most:
            yield _finding(
                device,
                f"has {width} of {most} PCIe lanes",
                Severity.SLOWS if width < narrow * most else Severity.NOTE,
            )
        now, best = device.pcie_generation, device.pcie_generation_max
        if device.busy and now and best and now < best:
            yield _finding(
                device,
                f"works at PCIe generation {now} of {best}",
                Severity.SLOWS,
            )


def _finding(device: Device, what: str, severity: Severity) -> Finding:
    return Finding(
        severity=severity,
        summary=f"GPU {device.index} ({device.name or 'NVIDIA'}) {what}",
        evidence={
            "pcie_width": [device.pcie_width, device.pcie_width_max],
            "pcie_generation": [device.pcie_generation, device.pcie_generation_max],
            "utilisation": device.utilisation,
        },
        confidence=Confidence.CERTAIN if device.busy else Confidence.LIKELY,
        remedies=(_SEAT,),
    )


_SEAT = Remedy(
    title="Seat the card anew, without a riser, in a slot with all lanes; look at the "
    "slot's settings in the firmware",
    argv=("nvidia-smi", "-q", "-d", "PCI"),
    lasts=Lasts.ALWAYS,
    advice=True,
)
