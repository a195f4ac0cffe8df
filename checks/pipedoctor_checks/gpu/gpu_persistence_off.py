"""PDR812: does the driver release the GPU after every job?"""

from pipedoctor.check import (
    CannotJudge,
    Finding,
    Findings,
    Lasts,
    Remedy,
    Severity,
    check,
    select_remedies,
)
from pipedoctor.facts import Gpu, Site
from pipedoctor.facts.site import Launcher
from pipedoctor_checks._shared.advice import advise_launch


@check("PDR812", "GPU persistence mode is off")
def gpu_persistence_off(gpu: Gpu, site: Site | None, /) -> Findings:
    """
    Report that the driver unloads the state of idle GPUs.

    ## Why it hurts

    Without a display and without persistence mode, every job that starts on an idle GPU
    waits for the driver to initialize the GPU again, some seconds on large machines.

    ## How it is judged

    On Linux, persistence mode is off on every GPU that reports it. Windows and WSL have
    no such mode.

    ## Sources

    - https://docs.nvidia.com/deploy/driver-persistence/index.html
    """
    if site is not None and (site.system != "linux" or site.wsl):
        return
    modes = [device.persistence for device in gpu.devices]
    if all(mode is None for mode in modes):
        reason = "the driver reports the persistence mode of no GPU"
        raise CannotJudge(reason)
    if not any(modes):
        off = modes.count(False)
        gpus = "1 GPU" if off == 1 else f"{off} GPUs"
        yield Finding(
            severity=Severity.NOTE,
            summary=f"Persistence mode is off on {gpus}: the first job on an idle "
            "GPU waits for the driver",
            evidence={"persistence": modes},
            remedies=select_remedies(site.launcher if site else None, _ENABLE_REMEDY, _HOST_REMEDY),
        )


_ENABLE_REMEDY = Remedy(
    title="Enable persistence mode (nvidia-persistenced does it at every boot)",
    argv=("nvidia-smi", "-pm", "1"),
    undo=("nvidia-smi", "-pm", "0"),
    verify=("nvidia-smi", "--query-gpu=persistence_mode", "--format=csv"),
    lasts=Lasts.BOOT,
    root=True,
    fits=(Launcher.BARE,),
    advice=True,
)
_HOST_REMEDY = advise_launch(
    "Have nvidia-persistenced run on the host or node",
    fits=(Launcher.DOCKER, Launcher.KUBERNETES, Launcher.SLURM),
)
