"""PDR807: is CUDA unavailable although GPU, driver and build fit together?"""

import re

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Gpu, Site, TorchBuild, TorchImport
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor.remedy import Lasts, Place, Remedy
from pipedoctor_checks import _cuda, _install

_ERROR = re.compile(r"Error (80[234])\b")
_CURES = {
    "802": (
        "the GPUs of this NVSwitch machine wait for their fabric manager (Error 802)",
        "Start the fabric manager of exactly the driver's version",
        ("systemctl", "enable", "--now", "nvidia-fabricmanager"),
    ),
    "803": (
        "the libcuda that is loaded does not belong to this driver (Error 803)",
        "Take the libcuda of another driver (cuda-compat) out of the loader's path",
        (),
    ),
    "804": (
        "a cuda-compat libcuda is loaded, which this card does not support (Error 804)",
        "Take cuda-compat out of the loader's path: only data-center cards run it",
        (),
    ),
}


@check(
    "PDR807",
    "CUDA is not available although GPU, driver and torch fit",
    after=("PDR803", "PDR804", "PDR805", "PDR808", "PDR809", "PDR820"),
)
def cuda_unavailable_despite_fitting_driver(
    torch: TorchBuild,
    torch_import: TorchImport,
    gpu: Gpu,
    drivers: CudaDrivers,
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
    driver that was updated without a reboot.

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
    match = _ERROR.search(said)
    reason, title, argv = _CURES[match[1]] if match else ("", "", ())
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"CUDA is not available, although {_cuda.named(gpu)}, driver "
        f"{gpu.driver} and {_cuda.cuda_of(torch.cuda)} fit"
        f"{f': {reason}' if reason else ''}",
        evidence={"cuda_error": torch_import.cuda_error, "gpu.driver": gpu.driver},
        confidence=Confidence.CERTAIN if reason else Confidence.LIKELY,
        remedies=(_remedy(title, argv) if match else _LOOK,),
    )


def _remedy(title: str, argv: tuple[str, ...]) -> Remedy:
    place = Place.HERE if argv else Place.LAUNCHER
    return Remedy(
        title=title,
        argv=argv,
        lasts=Lasts.ALWAYS,
        place=place,
        root=bool(argv),
        advice=True,
    )


_LOOK = Remedy(
    title="Look at CUDA_VISIBLE_DEVICES, at the rights on /dev/nvidia* and at "
    "nvidia-uvm; reboot if the driver was updated since",
    argv=("python", "-c", "import torch; torch.cuda.init()"),
    lasts=Lasts.ALWAYS,
    advice=True,
)
