"""PDR807: is CUDA unavailable although GPU, driver and build fit together?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Site, TorchBuild, TorchImport
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks import _cuda, _cuda_errors, _install


@check(
    "PDR807",
    "CUDA is not available although GPU, driver and torch fit",
    after=("PDR803", "PDR804", "PDR805", "PDR808", "PDR809", "PDR820"),
)
def cuda_unavailable_despite_fitting_driver(
    torch: TorchBuild,
    gpu: Gpu,
    torch_import: TorchImport,
    drivers: CudaDrivers,
    accelerators: Accelerators | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Notice that torch finds no CUDA on a machine where everything seems to fit.

    ## Why it hurts

    The job stops or trains on the CPU, and neither another driver nor another torch
    helps: the versions are not the reason.

    ## How it is judged

    This torch was built for CUDA, the driver lists a GPU and is new enough, and torch
    was asked and says no. Its error number tells some reasons (802: no fabric manager,
    803 and 804: a foreign libcuda). Else the usual ones are named: a variable that
    hides the GPUs, device files that may not be opened, nvidia-uvm after suspend, a
    driver that was updated without a reboot. Where torch speaks of an unknown error,
    `nvidia-uvm-state-broken` says what to do, and this is a note.

    ## Sources

    - https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html
    - https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
    """
    if torch_import.cuda_available is not False or not gpu.devices:
        return
    system = _install.windows(site)
    if not _cuda.fits(drivers, torch.cuda, gpu.driver, windows=system):
        return
    said = _cuda.words(torch_import)
    if _cuda.driver_cuda(said):
        return
    reason, remedy = _cuda_errors.cure(said)
    told = accelerators is not None and "CUDA unknown error" in said
    yield Finding(
        severity=Severity.NOTE if told else Severity.BREAKS,
        summary=f"CUDA is not available, although {_cuda.named(gpu)}, driver "
        f"{gpu.driver} and {_cuda.cuda_of(torch.cuda)} fit"
        f"{f': {reason}' if reason else ''}",
        evidence={"cuda_error": torch_import.cuda_error, "gpu.driver": gpu.driver},
        confidence=Confidence.CERTAIN if reason else Confidence.LIKELY,
        remedies=(remedy or _LOOK,),
    )


_LOOK = Remedy(
    title="Look at CUDA_VISIBLE_DEVICES, at the rights on /dev/nvidia* and at "
    "nvidia-uvm; reboot if the driver was updated since",
    argv=("python", "-c", "import torch; torch.cuda.init()"),
    lasts=Lasts.ALWAYS,
    advice=True,
)
