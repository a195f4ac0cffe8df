"""PDR820: does the NVIDIA driver answer?"""

from pipedoctor.check import Finding, Findings, Lasts, Remedy, Severity, check, select_remedies
from pipedoctor.facts import Gpu, Launcher, Site
from pipedoctor_checks._shared.advice import (
    advise_launch,
    advise_user,
    is_wsl,
    restart_wsl,
)


@check("PDR820", "The NVIDIA driver does not answer")
def gpu_driver_unresponsive(gpu: Gpu, site: Site | None, /) -> Findings:
    """
    Report that a call of the driver's own library (NVML) did not return.

    ## Why it hurts

    `import torch`, `torch.cuda.is_available()` and `nvidia-smi` make the same calls and
    hang in the same place, often where no signal reaches them. A job that starts now
    hangs too, without a message.

    ## How it is judged

    NVML is called in a separate process, and every call is announced. A call that has
    not returned before the timeout of the probe is named, with the time it was given.

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
        remedies=_list_remedies(site),
    )


def _list_remedies(site: Site | None) -> tuple[Remedy, ...]:
    look = Remedy(
        title="Check the driver's last messages: lines with NVRM and Xid",
        argv=("dmesg", "--ctime"),
        lasts=Lasts.PROCESS,
        root=True,
        advice=True,
        fits=(Launcher.BARE,),
    )
    reboot = advise_user(
        "Reboot the machine: a driver in this state rarely recovers",
        argv=("systemctl", "reboot"),
        fits=(Launcher.BARE,),
        root=True,
    )
    away = advise_launch(
        "Move the job to another node, and have this one drained and rebooted",
        fits=(Launcher.DOCKER, Launcher.KUBERNETES, Launcher.SLURM, Launcher.HOSTED),
    )
    if is_wsl(site):
        return (restart_wsl("Restart WSL; if that does not help, restart Windows"),)
    return select_remedies(site.launcher if site else None, look, reboot, away)
