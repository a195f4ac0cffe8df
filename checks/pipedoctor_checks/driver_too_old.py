"""PDR801: is the NVIDIA driver older than this torch's CUDA needs?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import (
    Accelerators,
    Gpu,
    Interpreter,
    Packages,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_torch import CudaDrivers, TorchBuilds, TorchPairs
from pipedoctor.remedy import Remedy
from pipedoctor.versions import major, numbers, reaches
from pipedoctor_checks import _cuda, _install
from pipedoctor_checks._newer_driver import newer_driver


@check("PDR801", "The NVIDIA driver is too old for this torch")
def driver_too_old(  # noqa: PLR0913, PLR0917  (facts are injected, nobody passes them)
    torch: TorchBuild,
    drivers: CudaDrivers,
    cards: GpuCapabilities,
    builds: TorchBuilds,
    pairs: TorchPairs,
    gpu: Gpu | None,
    torch_import: TorchImport | None,
    accelerators: Accelerators | None,
    interpreter: Interpreter | None,
    packages: Packages | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Compare the driver with the oldest one that this torch's CUDA runs on.

    ## Why it hurts

    `torch.cuda.is_available()` is False: the job stops, or trains on the CPU without
    a word. Since torch 2.11 plain `pip install torch` brings CUDA 13, which no driver
    before R580 runs.

    ## How it is judged

    From CUDA 11 on the whole family counts (minor-version compatibility): CUDA 11
    runs from driver 450.80.02 on, CUDA 12 from 525.60.13, CUDA 13 from R580; before,
    every CUDA has its own minimum. Windows and WSL have their own numbers. The driver
    that a toolkit was released with does not matter, and neither does `nvcc`. Torch's
    own words ("driver on your system is too old") count without a driver number. When
    CUDA is available all the same (forward compatibility), this check is silent.
    A newer driver is only advised to cards that can have it, and the remedy names the
    index of the torch that driver, card and Python can have.

    ## Sources

    - https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
    - https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html
    """
    if not torch.cuda or _cuda.available(torch_import):
        return
    driver = gpu.driver if gpu else ""
    complaint = _cuda.driver_cuda(_cuda.words(torch_import))
    _must_be_known(driver, complaint, accelerators)
    least = _least(torch, drivers, site)
    if numbers(driver) and reaches(driver, least):
        return

    capabilities = _cuda.capabilities(gpu, cards)
    fitting = _install.other_torch(
        _install.Tables(drivers, builds, pairs),
        _install.Target(torch, interpreter, packages),
        site,
        driver=driver or drivers.minimum(complaint, windows=_install.windows(site)),
        capabilities=capabilities,
    )
    forward = bool(accelerators and accelerators.compat_libcuda) and not complaint
    close = major(driver) == major(least) and not complaint
    yield Finding(
        severity=Severity.RISKS if forward else Severity.BREAKS,
        summary=_summary(torch, driver, complaint, least),
        evidence={"gpu.driver": driver, "torch.cuda": torch.cuda, "minimum": least},
        confidence=Confidence.LIKELY if forward or close else Confidence.CERTAIN,
        remedies=_ordered(fitting, newer_driver(drivers, site, least, capabilities)),
    )


def _summary(torch: TorchBuild, driver: str, complaint: str, least: str) -> str:
    have = f"driver {driver}" if driver else f"a driver for CUDA {complaint}"
    named = f"torch {torch.version} for {_cuda.cuda_of(torch.cuda)}"
    return f"{named} needs driver {least} or newer, this machine has {have}"


def _must_be_known(driver: str, complaint: str, seen: Accelerators | None) -> None:
    """Raise CannotJudge where nothing can be said of this driver: why."""
    reason = "" if complaint or numbers(driver) else "the driver's version is not known"
    if seen is not None and seen.jetson:
        reason = "the driver of a Jetson comes with its JetPack"
    if reason:
        raise CannotJudge(reason)


def _least(torch: TorchBuild, drivers: CudaDrivers, site: Site | None) -> str:
    if least := drivers.minimum(torch.cuda, windows=_install.windows(site)):
        return least
    reason = f"{_cuda.cuda_of(torch.cuda)} is not in the tables"
    raise CannotJudge(reason)


def _ordered(
    torch: tuple[Remedy, ...], driver: tuple[Remedy, ...]
) -> tuple[Remedy, ...]:
    """A torch that fits is the smaller change; that there is none comes last."""
    lines = tuple(remedy for remedy in torch if remedy.argv)
    return (*lines, *driver, *(remedy for remedy in torch if not remedy.argv))
