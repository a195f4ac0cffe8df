"""PDR808: can CUDA open the device files of NVIDIA's memory manager?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Site, TorchBuild, TorchImport
from pipedoctor.facts.site import Habitat
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor.remedy import Lasts, Remedy, docker_run, fitting
from pipedoctor_checks import _cuda, _install

UVM = "/dev/nvidia-uvm"
CONTROL = "/dev/nvidiactl"
MODULE = "nvidia_uvm"


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
    Look at /dev/nvidia-uvm and at what torch says when it starts CUDA.

    ## Why it hurts

    `nvidia-smi` works, but CUDA does not start: "CUDA unknown error - this may be due
    to an incorrectly set up environment". Suspend and resume, or a container that got
    only some of the device files, leave the machine so.

    ## How it is judged

    Torch's own words with a driver that fits. Or, without asking torch: NVIDIA's device
    files are here, and those that CUDA must open may not be opened by this user, or a
    container has none for nvidia-uvm. On a machine of its own a missing file alone says
    nothing, since the first CUDA program makes it. Where CUDA works, nothing is wrong.

    ## Sources

    - https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html#device-node-verification
    - https://github.com/pytorch/pytorch/issues/49081
    - https://github.com/pytorch/pytorch/issues/88639
    """
    if _cuda.available(torch_import) or (torch is not None and not torch.cuda):
        return
    reason, certain = _reason(accelerators, _cuda.words(torch_import), site)
    cuda, driver = torch.cuda if torch else "", gpu.driver if gpu else ""
    fits = _cuda.fits(drivers, cuda, driver, windows=_install.windows(site))
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
        remedies=_remedies(site),
    )


def _reason(
    accelerators: Accelerators, said: str, site: Site | None
) -> tuple[str, bool]:
    """What is wrong, in words, and whether it alone is enough."""
    shut = {UVM, CONTROL} & set(accelerators.unusable_nodes)
    if shut:
        return f"This user may not open {', '.join(sorted(shut))}", True
    inside = site is not None and bool(site.container)
    nodes = accelerators.nvidia_nodes
    if inside and CONTROL in nodes and UVM not in nodes:
        return f"This container has {CONTROL} but no {UVM}", False
    if "CUDA unknown error" in said:
        return "CUDA does not start (unknown error) although the driver answers", False
    return "", False


def _remedies(site: Site | None) -> tuple[Remedy, ...]:
    return fitting(
        site.habitat if site else None,
        _line("Make the device files", "nvidia-modprobe", "-c", "0", "-u"),
        _line("After suspend: unload it, it loads again", "modprobe", "-r", MODULE),
        docker_run("Start the container with all device files", "--gpus", "all"),
    )


def _line(title: str, *argv: str) -> Remedy:
    return Remedy(
        title=title,
        argv=argv,
        lasts=Lasts.BOOT,
        root=True,
        fits=(Habitat.BARE,),
        advice=True,
    )
