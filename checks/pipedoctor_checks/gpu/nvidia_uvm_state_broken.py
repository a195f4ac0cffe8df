"""PDR808: can CUDA open the device files of NVIDIA's memory manager?"""

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Lasts,
    Remedy,
    Severity,
    check,
    docker_run,
    select_remedies,
)
from pipedoctor.facts import Accelerators, Gpu, Site, TorchBuild, TorchImport
from pipedoctor.facts.site import Launcher
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor_checks._shared import cuda_versions, torch_install
from pipedoctor_checks._shared.advice import is_wsl, restart_wsl

UVM_DEVICE = "/dev/nvidia-uvm"
CONTROL_DEVICE = "/dev/nvidiactl"
UVM_MODULE = "nvidia_uvm"


@check("PDR808", "NVIDIA's unified-memory device is not usable", after=("PDR803",))
def nvidia_uvm_state_broken(
    accelerators: Accelerators,
    drivers: CudaDrivers,
    gpu: Gpu | None,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Check /dev/nvidia-uvm and torch's messages when it initializes CUDA.

    ## Why it hurts

    `nvidia-smi` works, but CUDA does not start: "CUDA unknown error - this may be due
    to an incorrectly set up environment". Causes are suspend and resume, or a container
    that got only some of the device files.

    ## How it is judged

    By torch's own message with a driver that fits. Or, without torch: NVIDIA's device
    files exist, and those that CUDA must open are not accessible to this user, or a
    container has none for nvidia-uvm. Outside a container a missing file alone proves
    nothing, since the first CUDA program creates it. If CUDA works, nothing is
    reported.

    ## Sources

    - https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html#device-node-verification
    - https://github.com/pytorch/pytorch/issues/49081
    - https://github.com/pytorch/pytorch/issues/88639
    """
    if cuda_versions.is_cuda_available(torch_import) or (torch is not None and not torch.cuda):
        return
    reason, certain = _explain_broken_uvm(
        accelerators, cuda_versions.torch_messages(torch_import), site
    )
    cuda, driver = torch.cuda if torch else "", gpu.driver if gpu else ""
    fits = cuda_versions.is_driver_new_enough(
        drivers, cuda, driver, windows=torch_install.uses_windows_driver(site)
    )
    if not reason or fits is False:
        return
    asked = torch_import is not None
    yield Finding(
        severity=Severity.BREAKS if asked or certain else Severity.RISKS,
        summary=reason,
        evidence={
            "nodes": list(accelerators.nvidia_nodes),
            "unusable": list(accelerators.unusable_nodes),
            "uvm_loaded": accelerators.uvm_loaded,
        },
        confidence=Confidence.CERTAIN if certain else Confidence.LIKELY,
        remedies=_list_remedies(site),
    )


def _explain_broken_uvm(
    accelerators: Accelerators, messages: str, site: Site | None
) -> tuple[str, bool]:
    """What is wrong, in words, and whether that alone is enough."""
    shut = {UVM_DEVICE, CONTROL_DEVICE} & set(accelerators.unusable_nodes)
    if shut:
        return f"This user may not open {', '.join(sorted(shut))}", True
    inside = site is not None and bool(site.container)
    nodes = accelerators.nvidia_nodes
    if inside and CONTROL_DEVICE in nodes and UVM_DEVICE not in nodes:
        return f"This container has {CONTROL_DEVICE} but no {UVM_DEVICE}", False
    if "CUDA unknown error" in messages:
        return "CUDA does not start (unknown error) although the driver answers", False
    return "", False


def _list_remedies(site: Site | None) -> tuple[Remedy, ...]:
    if is_wsl(site):  # there is no such module
        return (restart_wsl("Restart WSL"),)
    return select_remedies(
        site.launcher if site else None,
        _advise_command(
            "Unload the module, which a suspend may have broken: no process may use the GPU",
            "modprobe",
            "-r",
            UVM_MODULE,
        ),
        _advise_command(
            "Then load it again, and create its device files", "nvidia-modprobe", "-c", "0", "-u"
        ),
        docker_run("Start the container with all device files", "--gpus", "all"),
    )


def _advise_command(title: str, *argv: str) -> Remedy:
    return Remedy(
        title=title,
        argv=argv,
        lasts=Lasts.BOOT,
        root=True,
        fits=(Launcher.BARE,),
        advice=True,
    )
