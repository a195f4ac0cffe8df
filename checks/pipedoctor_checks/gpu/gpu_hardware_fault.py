"""PDR809: does a GPU or the kernel report broken hardware?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Accelerators, Device, Gpu, Site
from pipedoctor_checks._shared.advice import advise_user, apply_on_host
from pipedoctor_checks.gpu._xid_codes import SERVICE_REMEDY, judge_xid

NVML_GPU_IS_LOST = 15
"""NVML_ERROR_GPU_IS_LOST."""


@check("PDR809", "A GPU reports a hardware fault")
def gpu_hardware_fault(
    gpu: Gpu | None, accelerators: Accelerators | None, site: Site | None = None, /
) -> Findings:
    """
    Read lost GPUs, memory errors and the driver's Xid messages.

    ## Why it hurts

    A job on such a GPU dies, hangs, or computes wrong numbers; so does every later job,
    until the GPU is reset or replaced.

    ## How it is judged

    NVML reports that the GPU is lost; memory rows could not be replaced; or the kernel
    log contains an Xid that indicates hardware (48, 62, 64, 79, 95). A row that waits
    for a reset, memory errors that ECC could not correct, and Xid 74, 94, 119 and 120
    are risks. Xid 13, 31, 43 and 45 are usually caused by programs and are left out.

    ## Sources

    - https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
    - https://docs.nvidia.com/deploy/dynamic-page-retirement/visibility.html
    """
    xids = accelerators.xids if accelerators else None
    if gpu is None and xids is None:
        reason = "neither NVML nor the kernel log could be read"
        raise CannotJudge(reason)
    if gpu is not None:
        yield from _report_lost_gpus(gpu)
        for device in gpu.devices:
            yield from _report_memory_faults(device, site)
    for xid in xids or ():
        yield from judge_xid(xid)


def _report_lost_gpus(gpu: Gpu) -> Findings:
    lost = [f"GPU {device.index}" for device in gpu.devices if device.lost]
    if lost or gpu.error_code == NVML_GPU_IS_LOST:
        yield Finding(
            severity=Severity.BREAKS,
            summary=f"The driver has lost {', '.join(lost) or 'a GPU'}",
            evidence={"gpu.error_code": gpu.error_code, "lost": lost},
            remedies=(SERVICE_REMEDY,),
        )


def _report_memory_faults(device: Device, site: Site | None) -> Findings:
    name = f"GPU {device.index} ({device.name or 'NVIDIA'})"
    if device.remap_failed:
        yield Finding(
            severity=Severity.BREAKS,
            summary=f"{name} has broken memory that could not be replaced",
            evidence={"remap_failed": True},
            remedies=(SERVICE_REMEDY,),
        )
    if device.remap_pending:
        yield Finding(
            severity=Severity.RISKS,
            summary=f"{name} waits for a reset to replace broken memory",
            evidence={"remap_pending": True},
            remedies=_reset_gpu(device, site),
        )
    if device.ecc_uncorrected:
        yield Finding(
            severity=Severity.RISKS,
            summary=f"{name} had {device.ecc_uncorrected} uncorrectable memory errors "
            "since its driver was loaded",
            evidence={"ecc_uncorrected": device.ecc_uncorrected},
            remedies=_reset_gpu(device, site),
        )


def _reset_gpu(device: Device, site: Site | None) -> tuple[Remedy, ...]:
    reset = advise_user(
        "Reset the GPU while no process uses it",
        argv=("nvidia-smi", "--gpu-reset", "-i", str(device.index)),
        root=True,
    )
    return apply_on_host(site, reset, "Have the GPU reset on the host, while no process uses it")
