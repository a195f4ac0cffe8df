"""PDR802: does a torch that was built for CUDA find an NVIDIA driver at all?"""

from pipedoctor.check import Confidence, Finding, Findings, Lasts, Remedy, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Site, TorchBuild, TorchImport
from pipedoctor.facts.site import Launcher
from pipedoctor_checks._shared import cuda_versions
from pipedoctor_checks._shared.advice import is_wsl, restart_wsl
from pipedoctor_checks._shared.newer_driver import install_driver
from pipedoctor_checks.gpu._gpu_container import request_gpus

_NVML_DRIVER_NOT_LOADED = 9
"""NVML_ERROR_DRIVER_NOT_LOADED."""
_HIDDEN_SUMMARY = (
    "The NVIDIA driver is loaded, but /dev has none of its device files here"
    " (/dev/nvidiactl, /dev/nvidia0)"
)
_ORPHAN_SUMMARY = (
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

    There are five cases. An NVIDIA device is on the bus and no NVIDIA driver is loaded
    for it. Or the driver is loaded on the host and a container has no device files. Or
    there is no container, the driver is loaded for a device on the bus, /dev has no
    file of it, and NVML fails: a service or a sandbox may hide them. Or
    the bus is unknown, torch was not built for the CPU only, and a CUDA toolkit is
    installed but neither driver nor GPU is present. Or the text of a collector shows
    neither, but a torch that was built for CUDA: a note, because the machine may be meant
    to have none. A machine without NVIDIA hardware
    needs no driver, whatever torch was built for; only if the driver's library is
    installed nevertheless and itself reports that no driver is loaded, it is a risk,
    because this may be a login node. Devices passed through to a virtual machine
    (vfio), Jetson, ROCm and macOS are not judged.

    ## Sources

    - https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html
    - https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
    """
    if _needs_no_driver(accelerators, torch, torch_import, site) or cuda_versions.is_driver_present(
        gpu
    ):
        return
    wanted = torch is None or not torch.is_cpu_only
    reason = _explain_missing(accelerators, site, wanted=wanted)
    unloaded = not reason and gpu is not None and gpu.error_code == _NVML_DRIVER_NOT_LOADED
    orphan = unloaded and _is_library_orphaned(accelerators)
    hidden = unloaded and _are_device_files_missing(accelerators)
    reason = _ORPHAN_SUMMARY if orphan else _HIDDEN_SUMMARY if hidden else reason
    unseen = "" if reason else _describe_unseen(accelerators, torch, gpu)
    reason += unseen
    if not reason:
        return
    evidence = {
        "nvidia_module": accelerators.nvidia_module,
        "nodes": list(accelerators.nvidia_nodes),
        "toolkit": accelerators.toolkit,
    }
    severity = Severity.RISKS if orphan else Severity.BREAKS
    yield Finding(
        severity=severity if wanted and not unseen else Severity.NOTE,
        summary=reason,
        evidence=evidence,
        confidence=Confidence.CERTAIN if accelerators.nvidia_devices else Confidence.LIKELY,
        remedies=_bring_driver(site, hidden=hidden),
    )


def _needs_no_driver(
    accelerators: Accelerators,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    site: Site | None,
) -> bool:
    other = torch is not None and bool(torch.hip or torch.xpu)
    mac = site is not None and site.system == "darwin"
    works = bool(cuda_versions.is_cuda_available(torch_import))
    return other or mac or works or accelerators.jetson or accelerators.rocm


def _is_library_orphaned(accelerators: Accelerators) -> bool:
    """The library finds no driver, and there is no NVIDIA GPU."""
    return not accelerators.nvidia_devices and not accelerators.nvidia_module


def _are_device_files_missing(accelerators: Accelerators) -> bool:
    """The driver runs and has a card, but its library cannot reach it."""
    driven = bool(accelerators.nvidia_module and accelerators.nvidia_devices)
    return driven and not accelerators.nvidia_nodes


def _explain_missing(accelerators: Accelerators, site: Site | None, *, wanted: bool) -> str:
    drivers = {device.driver for device in accelerators.nvidia_devices}
    inside = site is not None and bool(site.container)
    if accelerators.nvidia_module:
        bare = inside and not accelerators.nvidia_nodes
        return "The NVIDIA driver runs on the host, but this container got no GPU" * bare
    if drivers - {"vfio-pci"} and "nvidia" not in drivers:
        rival = ": the nouveau driver is using it" * ("nouveau" in drivers)
        return f"An NVIDIA GPU is present, but the NVIDIA driver is not loaded{rival}"
    if accelerators.pci is None and accelerators.toolkit and wanted:
        return (
            f"CUDA {accelerators.toolkit} is installed, but neither an NVIDIA driver "
            "nor a GPU is visible"
        )
    return ""


def _describe_unseen(accelerators: Accelerators, torch: TorchBuild | None, gpu: Gpu | None) -> str:
    """A text that names no part of CUDA but that of torch."""
    known = accelerators.pci is not None or gpu is not None
    if known or torch is None or torch.origin != "text" or not torch.cuda:
        return ""
    return f"torch is built for CUDA {torch.cuda}, but neither an NVIDIA driver nor a GPU is shown"


def _bring_driver(site: Site | None, *, hidden: bool) -> tuple[Remedy, ...]:
    if is_wsl(site):
        return (restart_wsl("Install the NVIDIA driver in Windows, not in WSL; then restart WSL"),)
    title = "Install and load the NVIDIA driver, or choose a machine with a GPU"
    return request_gpus(site, _DEVICE_FILES_REMEDY if hidden else install_driver(title, site))


_DEVICE_FILES_REMEDY = Remedy(
    title="Create the device files, unless a service or a sandbox hides them (PrivateDevices=)",
    argv=("nvidia-modprobe", "-c", "0", "-u"),
    verify=("nvidia-smi",),
    lasts=Lasts.BOOT,
    root=True,
    fits=(Launcher.BARE,),
    advice=True,
)
