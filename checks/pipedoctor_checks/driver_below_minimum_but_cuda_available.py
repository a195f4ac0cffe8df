"""PDR817: does CUDA work on a driver that the tables call too old?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Gpu, Site, TorchBuild, TorchImport
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor_checks import _cuda, _install


@check("PDR817", "CUDA works only by its forward-compatibility package")
def driver_below_minimum_but_cuda_available(
    torch: TorchBuild,
    torch_import: TorchImport,
    gpu: Gpu,
    drivers: CudaDrivers,
    site: Site | None,
    /,
) -> Findings:
    """
    Note that CUDA runs although the driver is older than its family's minimum.

    ## Why it hurts

    It does not, here. But the same environment fails on a machine without the
    `cuda-compat` package, and on cards that this package does not support.

    ## How it is judged

    Torch says that CUDA is available, and the driver is older than the minimum of
    the CUDA that this torch was built with. That is a note, never an error.

    ## Sources

    - https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
    """
    if not torch_import.cuda_available:
        return
    system = _install.windows(site)
    if _cuda.fits(drivers, torch.cuda, gpu.driver, windows=system) is False:
        least = drivers.minimum(torch.cuda, windows=system)
        yield Finding(
            severity=Severity.NOTE,
            summary=f"{_cuda.cuda_of(torch.cuda)} works although driver {gpu.driver} "
            f"is older than {least}: forward compatibility",
            evidence={"gpu.driver": gpu.driver, "minimum": least},
        )
