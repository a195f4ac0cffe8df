"""PDR809: does a GPU or the kernel report broken hardware?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Accelerators, Device, Gpu, Xid
from pipedoctor.remedy import Lasts, Remedy

LOST = 15
"""NVML_ERROR_GPU_IS_LOST."""

FATAL = {
    48: "double-bit memory error",
    62: "internal micro-controller halt",
    64: "a memory row or page could not be replaced",
    79: "the GPU has fallen off the bus",
    95: "uncontained memory error",
}
SERIOUS = {
    74: "NVLink error",
    94: "contained memory error",
    119: "the GPU's system processor does not answer",
    120: "the GPU's system processor failed",
}


@check("PDR809", "A GPU reports a hardware fault")
def gpu_hardware_fault(
    gpu: Gpu | None, accelerators: Accelerators | None, /
) -> Findings:
    """
    Read lost GPUs, memory errors and the driver's Xid messages.

    ## Why it hurts

    A job on such a GPU dies, hangs, or computes with wrong numbers; every job after
    it does too, until the card is reset or replaced.

    ## How it is judged

    NVML says that the GPU is lost; memory rows could not be replaced; the kernel log
    holds an Xid that means hardware (48, 62, 64, 79, 95). A row that waits for a reset,
    memory errors that ECC could not correct, and Xid 74, 94, 119 and 120 are risks.
    Xid 13, 31, 43 and 45 are mostly the program's own fault and are left out.

    ## Sources

    - https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
    - https://docs.nvidia.com/deploy/dynamic-page-retirement/visibility.html
    """
    xids = accelerators.xids if accelerators else None
    if gpu is None and xids is None:
        reason = "neither NVML nor the kernel log could be read"
        raise CannotJudge(reason)
    if gpu is not None:
        yield from _lost(gpu)
        for device in gpu.devices:
            yield from _memory(device)
    for xid in xids or ():
        yield from _xid(xid)


def _lost(gpu: Gpu) -> Findings:
    lost = [f"GPU {device.index}" for device in gpu.devices if device.lost]
    if lost or gpu.error_code == LOST:
        yield Finding(
            severity=Severity.BREAKS,
            summary=f"The driver has lost {', '.join(lost) or 'a GPU'}",
            evidence={"gpu.error_code": gpu.error_code, "lost": lost},
            remedies=(_SERVICE,),
        )


def _memory(device: Device) -> Findings:
    name = f"GPU {device.index} ({device.name or 'NVIDIA'})"
    if device.remap_failed:
        yield Finding(
            severity=Severity.BREAKS,
            summary=f"{name} has broken memory that could not be replaced",
            evidence={"remap_failed": True},
            remedies=(_SERVICE,),
        )
    if device.remap_pending:
        yield Finding(
            severity=Severity.RISKS,
            summary=f"{name} waits for a reset to replace broken memory",
            evidence={"remap_pending": True},
            remedies=(_reset(device),),
        )
    if device.ecc_uncorrected:
        yield Finding(
            severity=Severity.RISKS,
            summary=f"{name} had {device.ecc_uncorrected} uncorrectable memory errors "
            "since its driver was loaded",
            evidence={"ecc_uncorrected": device.ecc_uncorrected},
            remedies=(_reset(device),),
        )


def _xid(xid: Xid) -> Findings:
    meaning = FATAL.get(xid.code) or SERIOUS.get(xid.code)
    if meaning:
        yield Finding(
            severity=Severity.BREAKS if xid.code in FATAL else Severity.RISKS,
            summary=f"The kernel logged Xid {xid.code} ({meaning}), {xid.count} times",
            evidence={"xid": xid.code, "count": xid.count, "last": xid.last},
            confidence=Confidence.LIKELY,
            remedies=(_SERVICE,),
        )


_SERVICE = Remedy(
    title="Take this GPU out of use, reset or reboot; if it comes back, have it "
    "replaced (power, heat and the slot are the other suspects)",
    argv=("nvidia-smi", "-q", "-d", "ECC,ROW_REMAPPER,PERFORMANCE"),
    lasts=Lasts.ALWAYS,
    advice=True,
)


def _reset(device: Device) -> Remedy:
    return Remedy(
        title="Reset the GPU when no process uses it",
        argv=("nvidia-smi", "--gpu-reset", "-i", str(device.index)),
        lasts=Lasts.ALWAYS,
        root=True,
        advice=True,
    )
