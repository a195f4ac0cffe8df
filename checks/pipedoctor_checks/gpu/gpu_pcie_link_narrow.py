"""PDR811: does a GPU use all the PCIe lanes that it and its slot support?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Device, Gpu
from pipedoctor_checks._shared.advice import advise_user


@check("PDR811", "A GPU uses fewer PCIe lanes than it could")
def gpu_pcie_link_narrow(gpu: Gpu, /, *, narrow: float = 0.5) -> Findings:
    """
    Compare the PCIe link of each GPU with the widest that GPU and slot support.

    ## Why it hurts

    Every batch crosses this link. With 4 of 16 lanes copies are four times slower:
    causes are a riser, a badly seated card or a slot that shares its lanes.

    ## How it is judged

    The width counts at any time, and is certain while the GPU works (an idle one may
    reduce its lanes). Half of the lanes is a note, since two cards often share a slot's
    lanes and this is seldom the bottleneck; fewer than `narrow` of them slows the job.
    The generation counts only under load: an idle link at generation 1 is normal.

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
            yield _report_link(
                device,
                f"has {width} of {most} PCIe lanes",
                Severity.SLOWS if width < narrow * most else Severity.NOTE,
            )
        now, best = device.pcie_generation, device.pcie_generation_max
        if device.is_busy and now and best and now < best:
            yield _report_link(
                device,
                f"runs at PCIe generation {now} of {best}",
                Severity.SLOWS,
            )


def _report_link(device: Device, what: str, severity: Severity) -> Finding:
    return Finding(
        severity=severity,
        summary=f"GPU {device.index} ({device.name or 'NVIDIA'}) {what}",
        evidence={
            "pcie_width": [device.pcie_width, device.pcie_width_max],
            "pcie_generation": [device.pcie_generation, device.pcie_generation_max],
            "utilisation": device.utilisation,
        },
        confidence=Confidence.CERTAIN if device.is_busy else Confidence.LIKELY,
        remedies=(_RESEAT_REMEDY,),
    )


_LINK = ",".join(
    f"pcie.link.{what}.{when}" for what in ("gen", "width") for when in ("current", "max")
)
_RESEAT_REMEDY = advise_user(
    (
        "Reseat the card, without a riser, in a slot with all lanes; check the slot's settings"
        " in the firmware"
    ),
    argv=("nvidia-smi", f"--query-gpu={_LINK}", "--format=csv"),
)
