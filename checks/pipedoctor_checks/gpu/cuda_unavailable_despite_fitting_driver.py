"""PDR807: is CUDA unavailable although GPU, driver and build fit together?"""

from pipedoctor.check import Confidence, Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Interpreter, Site, TorchBuild, TorchImport
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor_checks._shared import cuda_versions, torch_install
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.gpu import _cuda_errors


@check(
    "PDR807",
    "CUDA is not available although GPU, driver and torch are compatible",
    after=("PDR803", "PDR804", "PDR805", "PDR808", "PDR809", "PDR820"),
)
def cuda_unavailable_despite_fitting_driver(  # noqa: PLR0913, PLR0917  (facts are injected)
    torch: TorchBuild,
    gpu: Gpu,
    torch_import: TorchImport,
    drivers: CudaDrivers,
    accelerators: Accelerators | None,
    site: Site | None,
    interpreter: Interpreter | None = None,
    /,
) -> Findings:
    """
    Report that torch finds no CUDA although all components are compatible.

    ## Why it hurts

    The job stops or trains on the CPU, and neither another driver nor another torch
    helps: the versions are not the cause.

    ## How it is judged

    This torch was built for CUDA, the driver lists a GPU and is new enough, and torch
    was tested and reports no CUDA. Its error number identifies some causes (802: no
    fabric manager, 803 and 804: a libcuda of another driver). Otherwise the usual ones
    are listed: a variable that hides the GPUs, device files without permission,
    nvidia-uvm after suspend, a driver update without a reboot. If torch reports an
    unknown error, `nvidia-uvm-state-broken` gives the remedy, and this is a note.

    ## Sources

    - https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html
    - https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
    """
    if torch_import.cuda_available is not False or not gpu.devices:
        return
    system = torch_install.uses_windows_driver(site)
    if not cuda_versions.is_driver_new_enough(drivers, torch.cuda, gpu.driver, windows=system):
        return
    messages = cuda_versions.torch_messages(torch_import)
    if cuda_versions.parse_driver_cuda(messages):
        return
    reason, remedy = _cuda_errors.find_cuda_error(messages)
    is_explained = accelerators is not None and "CUDA unknown error" in messages
    yield Finding(
        severity=Severity.NOTE if is_explained else Severity.BREAKS,
        summary=f"CUDA is not available, although {cuda_versions.format_gpus(gpu)}, driver"
        f" {gpu.driver} and {cuda_versions.format_cuda(torch.cuda)} are"
        f" compatible{f': {reason}' if reason else ''}",
        evidence={"cuda_error": torch_import.cuda_error, "gpu.driver": gpu.driver},
        confidence=Confidence.CERTAIN if reason else Confidence.LIKELY,
        remedies=(remedy or _start_cuda(interpreter),),
    )


def _start_cuda(place: Interpreter | None) -> Remedy:
    python = (place.executable if place else "") or "python"
    return advise_user(
        "Check CUDA_VISIBLE_DEVICES, the permissions of /dev/nvidia* and nvidia-uvm; reboot if"
        " the driver has been updated",
        argv=(python, "-c", "import torch; torch.cuda.init()"),
    )
