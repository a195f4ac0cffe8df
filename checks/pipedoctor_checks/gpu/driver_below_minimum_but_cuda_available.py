"""PDR817: does CUDA work on a driver that is too old according to the tables?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Gpu, Site, TorchBuild, TorchImport
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor_checks._shared import cuda_versions, torch_install


@check("PDR817", "CUDA works only through its forward-compatibility package")
def driver_below_minimum_but_cuda_available(
    torch: TorchBuild,
    torch_import: TorchImport,
    gpu: Gpu,
    drivers: CudaDrivers,
    site: Site | None,
    /,
) -> Findings:
    """
    Report that CUDA works although the driver is older than its family's minimum.

    ## Why it hurts

    It does not hurt here. But the same environment fails on a machine without the
    `cuda-compat` package, and on GPUs that this package does not support.

    ## How it is judged

    Torch reports that CUDA is available, and the driver is older than the minimum of
    the CUDA that this torch was built with. This is a note, never an error.

    ## Sources

    - https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
    """
    if not torch_import.cuda_available:
        return
    system = torch_install.uses_windows_driver(site)
    if cuda_versions.is_driver_new_enough(drivers, torch.cuda, gpu.driver, windows=system) is False:
        least = drivers.find_minimum_driver(torch.cuda, windows=system)
        yield Finding(
            severity=Severity.NOTE,
            summary=f"{cuda_versions.format_cuda(torch.cuda)} works although driver "
            f"{gpu.driver} "
            f"is older than {least}: forward compatibility",
            evidence={"gpu.driver": gpu.driver, "minimum": least},
        )
