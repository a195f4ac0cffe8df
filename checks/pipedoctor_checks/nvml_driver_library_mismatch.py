"""PDR803: do the kernel's half and the library's half of the driver agree?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Site
from pipedoctor.facts.site import Habitat
from pipedoctor.remedy import Lasts, Place, Remedy, fitting

MISMATCH = 18
"""NVML_ERROR_LIB_RM_VERSION_MISMATCH."""


@check("PDR803", "The NVIDIA driver was updated, but not loaded anew")
def nvml_driver_library_mismatch(
    gpu: Gpu, accelerators: Accelerators | None, site: Site | None, /
) -> Findings:
    """
    Read NVML's own complaint that its version is not the kernel module's.

    ## Why it hurts

    `Failed to initialize NVML: Driver/library version mismatch`: new processes cannot
    use CUDA, while those that run already go on. An automatic update of the driver
    packages without a reboot does this.

    ## How it is judged

    NVML says so itself (error 18).

    ## Sources

    - https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceEnumvs.html
    """
    if gpu.error_code != MISMATCH and "version mismatch" not in gpu.error:
        return
    loaded = accelerators.nvidia_module if accelerators else ""
    yield Finding(
        severity=Severity.BREAKS,
        summary="NVIDIA's library and its kernel module"
        f"{f' (version {loaded})' if loaded else ''} are of different versions",
        evidence={"gpu.error": gpu.error, "nvidia_module": loaded},
        remedies=fitting(
            site.habitat if site else None,
            _reboot("Reboot, so that the installed driver is loaded", Habitat.BARE),
            _reload(),
            _reboot("Reboot the host, then restart the container", Habitat.DOCKER),
            _reboot("Drain and reboot the node", Habitat.KUBERNETES),
            _reboot("Ask for the node to be drained and rebooted", Habitat.SLURM),
        ),
    )


def _reboot(title: str, habitat: Habitat) -> Remedy:
    here = habitat is Habitat.BARE
    return Remedy(
        title=title,
        argv=("systemctl", "reboot") if here else (),
        lasts=Lasts.ALWAYS,
        place=Place.HERE if here else Place.LAUNCHER,
        root=here,
        fits=(habitat,),
        advice=True,
    )


def _reload() -> Remedy:
    modules = ("nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia")
    return Remedy(
        title="Or end every process that uses a GPU, and load the module anew",
        argv=("modprobe", "--remove", *modules),
        verify=("nvidia-smi",),
        lasts=Lasts.ALWAYS,
        root=True,
        fits=(Habitat.BARE,),
        advice=True,
    )
