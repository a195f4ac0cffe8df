"""PDR820: does the NVIDIA driver answer?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Gpu, Habitat, Site
from pipedoctor.remedy import Lasts, Place, Remedy, fitting


@check("PDR820", "The NVIDIA driver does not answer")
def gpu_driver_unresponsive(gpu: Gpu, site: Site | None, /) -> Findings:
    """
    Say so when a call of the driver's own library (NVML) did not come back.

    ## Why it hurts

    `import torch`, `torch.cuda.is_available()` and `nvidia-smi` make the same calls
    and hang in the same place, often where no signal reaches them. A job that starts
    now hangs too, without a word.

    ## How it is judged

    NVML is asked in a process of its own, every call announced. One that has not
    answered when the patience of the probe ends is named, with the time it was given.

    ## Sources

    - https://docs.nvidia.com/deploy/nvml-api/group__nvmlInitializationAndCleanup.html
    - https://docs.nvidia.com/deploy/xid-errors/index.html
    """
    if gpu.hang is None:
        return
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"the driver did not answer {gpu.hang.doing or 'NVML'} "
        f"within {gpu.hang.seconds:g} s",
        evidence={
            "gpu.hang.doing": gpu.hang.doing,
            "gpu.hang.seconds": gpu.hang.seconds,
        },
        remedies=_ways(site),
    )


def _ways(site: Site | None) -> tuple[Remedy, ...]:
    look = Remedy(
        title="Look for what the driver said last: lines with NVRM and Xid",
        argv=("dmesg", "--ctime"),
        lasts=Lasts.PROCESS,
        root=True,
        advice=True,
        fits=(Habitat.BARE, Habitat.SLURM),
    )
    reboot = Remedy(
        title="Reboot the machine: a driver in this state rarely recovers",
        argv=("systemctl", "reboot"),
        lasts=Lasts.ALWAYS,
        root=True,
        advice=True,
        fits=(Habitat.BARE,),
    )
    away = Remedy(
        title="Move the job to another node, and have this one drained and rebooted",
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        advice=True,
        fits=(Habitat.DOCKER, Habitat.KUBERNETES, Habitat.SLURM, Habitat.HOSTED),
    )
    return fitting(site.habitat if site else None, look, reboot, away)
