"""PDR803: do the driver's kernel module and its library have the same version?"""

from pipedoctor.check import (
    Finding,
    Findings,
    Lasts,
    Place,
    Remedy,
    Severity,
    check,
    select_remedies,
)
from pipedoctor.facts import Accelerators, Gpu, Site
from pipedoctor.facts.site import Launcher
from pipedoctor_checks._shared.advice import advise_user, is_wsl, restart_wsl

NVML_VERSION_MISMATCH = 18
"""NVML_ERROR_LIB_RM_VERSION_MISMATCH."""
_RESTART_CONTAINER = (
    "Start the container again from its image, without driver packages of its own; if the"
    " host's driver was updated, reboot the host before"
)


@check("PDR803", "The NVIDIA driver's library and kernel module have different versions")
def nvml_driver_library_mismatch(
    gpu: Gpu, accelerators: Accelerators | None, site: Site | None, /
) -> Findings:
    """
    Read NVML's own error that its version differs from the kernel module's.

    ## Why it hurts

    `Failed to initialize NVML: Driver/library version mismatch`: new processes cannot
    use CUDA, while running ones continue. The cause is an automatic update of the
    driver packages without a reboot.

    ## How it is judged

    NVML reports it itself (error 18).

    ## Sources

    - https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceEnumvs.html
    """
    if gpu.error_code != NVML_VERSION_MISMATCH and "version mismatch" not in gpu.error:
        return
    loaded = accelerators.nvidia_module if accelerators else ""
    yield Finding(
        severity=Severity.BREAKS,
        summary="The NVIDIA library and its kernel"
        f" module{f' (version {loaded})' if loaded else ''} have different versions",
        evidence={"gpu.error": gpu.error, "nvidia_module": loaded},
        remedies=_restart_driver(site),
    )


def _restart_driver(site: Site | None) -> tuple[Remedy, ...]:
    if is_wsl(site):
        return (restart_wsl("Restart WSL, so that it loads the driver of Windows"),)
    return select_remedies(
        site.launcher if site else None,
        _advise_reboot("Reboot, so that the installed driver is loaded", Launcher.BARE),
        _reload_modules(),
        _advise_reboot(_RESTART_CONTAINER, Launcher.DOCKER),
        _advise_reboot("Drain and reboot the node", Launcher.KUBERNETES),
        _advise_reboot("Ask for the node to be drained and rebooted", Launcher.SLURM),
    )


def _advise_reboot(title: str, launcher: Launcher) -> Remedy:
    here = launcher is Launcher.BARE
    return advise_user(
        title,
        argv=("systemctl", "reboot") if here else (),
        fits=(launcher,),
        root=here,
        place=Place.HERE if here else Place.LAUNCHER,
    )


def _reload_modules() -> Remedy:
    modules = ("nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia")
    return Remedy(
        title="Alternatively end every process that uses a GPU, and reload the module",
        argv=("modprobe", "--remove", *modules),
        verify=("nvidia-smi",),
        lasts=Lasts.ALWAYS,
        root=True,
        fits=(Launcher.BARE,),
        advice=True,
    )
