"""PDR802: does a torch that was built for CUDA find an NVIDIA driver at all?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Site, TorchBuild, TorchImport
from pipedoctor.facts.site import Habitat
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks import _cuda
from pipedoctor_checks._with_gpus import with_gpus

_NOT_LOADED = 9
"""NVML_ERROR_DRIVER_NOT_LOADED."""
_ORPHAN = (
    "NVIDIA's driver library is installed, but no driver is loaded (NVML 9), and no "
    "NVIDIA GPU is visible"
)


@check("PDR802", "No NVIDIA driver is visible to the job", after=("PDR804",))
def nvidia_driver_missing(
    accelerators: Accelerators,
    gpu: Gpu | None,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Look for the driver that a CUDA build of torch needs.

    ## Why it hurts

    `Found no NVIDIA driver on your system`: the job stops, or trains on the CPU. Most
    often a container was started without its GPUs, or a job runs on a login node.

    ## How it is judged

    An NVIDIA device is on the bus and no driver of NVIDIA's is loaded for it; or the
    driver is loaded on the host and a container got no device files; or, where the bus
    is not known, torch was not built for the CPU alone, and a CUDA toolkit is here but
    neither driver nor GPU are. A machine without NVIDIA hardware needs no driver,
    whatever torch was built for; only where the driver's library is installed all the
    same and says itself that no driver is loaded, it is a risk: perhaps this is a login
    node. Devices that are handed on to a virtual machine (vfio), Jetson, ROCm and macOS
    are left alone.

    ## Sources

    - https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html
    - https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
    """
    if _needless(accelerators, torch, torch_import, site) or _cuda.answers(gpu):
        return
    wanted = torch is None or not torch.cpu_only
    reason = _reason(accelerators, site, wanted=wanted)
    orphan = not reason and _orphan(accelerators, gpu)
    reason = _ORPHAN if orphan else reason
    if not reason:
        return
    evidence = {
        "nvidia_module": accelerators.nvidia_module,
        "nodes": list(accelerators.nvidia_nodes),
        "toolkit": accelerators.toolkit,
    }
    severity = Severity.RISKS if orphan else Severity.BREAKS
    yield Finding(
        severity=severity if wanted else Severity.NOTE,
        summary=reason,
        evidence=evidence,
        confidence=Confidence.CERTAIN if accelerators.nvidia else Confidence.LIKELY,
        remedies=with_gpus(site, _INSTALL),
    )


def _needless(
    accelerators: Accelerators,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    site: Site | None,
) -> bool:
    other = torch is not None and bool(torch.hip or torch.xpu)
    mac = site is not None and site.system == "darwin"
    works = bool(_cuda.available(torch_import))
    return other or mac or works or accelerators.jetson or accelerators.rocm


def _orphan(accelerators: Accelerators, gpu: Gpu | None) -> bool:
    """The library is there and finds no driver, and there is no card of NVIDIA's."""
    unloaded = gpu is not None and gpu.error_code == _NOT_LOADED
    return unloaded and not accelerators.nvidia and not accelerators.nvidia_module


def _reason(accelerators: Accelerators, site: Site | None, *, wanted: bool) -> str:
    drivers = {device.driver for device in accelerators.nvidia}
    inside = site is not None and bool(site.container)
    if accelerators.nvidia_module:
        bare = inside and not accelerators.nvidia_nodes
        return (
            "The NVIDIA driver runs on the host, but this container got no GPU" * bare
        )
    if drivers - {"vfio-pci"} and "nvidia" not in drivers:
        rival = ": the nouveau driver has it" * ("nouveau" in drivers)
        return f"An NVIDIA GPU is here, but NVIDIA's driver is not loaded{rival}"
    if accelerators.pci is None and accelerators.toolkit and wanted:
        return (
            f"CUDA {accelerators.toolkit} is installed, but neither an NVIDIA driver "
            "nor a GPU is visible"
        )
    return ""


_INSTALL = Remedy(
    title="Install and load NVIDIA's driver, or choose a machine with a GPU",
    verify=("nvidia-smi",),
    lasts=Lasts.ALWAYS,
    root=True,
    fits=(Habitat.BARE,),
    advice=True,
)
