"""PDR801: is the NVIDIA driver older than this torch's CUDA needs?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
)
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
from pipedoctor.versions import get_major, get_series, is_at_least, parse_version
from pipedoctor_checks._shared import cuda_versions, torch_install
from pipedoctor_checks._shared.newer_driver import update_driver

_TORCH = "torch=="
_COMMON_PYTHON = "3.10"
"""What distributions have had since 2022."""
_NO_DRIVER = "0"
"""Of a CUDA that is older than every recorded toolkit: no wheel runs with it."""


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

    `torch.cuda.is_available()` is False: the job stops, or silently trains on the CPU.
    Since torch 2.11 plain `pip install torch` installs CUDA 13, which needs driver R580
    or newer.

    ## How it is judged

    From CUDA 11 on the whole family counts (minor-version compatibility): CUDA 11 runs
    from driver 450.80.02 on, CUDA 12 from 525.60.13, CUDA 13 from R580; before that,
    every CUDA has its own minimum. Windows and WSL have their own numbers. The driver
    that a toolkit was released with does not matter, and neither does `nvcc`. Torch's
    own message ("driver on your system is too old") counts without a driver version. If
    CUDA is available nevertheless (forward compatibility), this check reports nothing.
    A newer driver is recommended only for GPUs that support it, and the remedy names
    the index of the torch that fits the driver, the GPU and Python.

    ## Sources

    - https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
    - https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html
    """
    if not torch.cuda or cuda_versions.is_cuda_available(torch_import):
        return
    driver = gpu.driver if gpu else ""
    complaint = cuda_versions.parse_driver_cuda(cuda_versions.torch_messages(torch_import))
    _require_known_driver(driver, complaint, accelerators)
    least = _least_driver(torch, drivers, site)
    if parse_version(driver) and is_at_least(driver, least):
        return
    capabilities = cuda_versions.find_capabilities(gpu, cards)
    fitting = torch_install.replace_torch(
        torch_install.TorchTables(drivers, builds, pairs),
        torch_install.TorchEnvironment(torch, interpreter, packages),
        site,
        driver=driver or _minimum_driver(drivers, complaint, site) or _NO_DRIVER,
        capabilities=capabilities,
    )
    newer = update_driver(drivers, site, least, capabilities)
    forward = bool(accelerators and accelerators.compat_libcuda) and not complaint
    close = get_major(driver) == get_major(least) and not complaint
    yield Finding(
        severity=Severity.RISKS if forward else Severity.BREAKS,
        summary=_summarize(torch, driver, complaint, least),
        evidence={"gpu.driver": driver, "torch.cuda": torch.cuda, "minimum": least},
        confidence=Confidence.LIKELY if forward or close else Confidence.CERTAIN,
        remedies=_order_remedies(fitting, newer, torch, builds, interpreter),
    )


def _minimum_driver(drivers: CudaDrivers, cuda: str, site: Site | None) -> str:
    """The driver of this CUDA; empty: it is older than every recorded toolkit."""
    windows = torch_install.uses_windows_driver(site)
    older = [t.cuda for t in drivers.toolkits if is_at_least(cuda, t.cuda)]
    known = (cuda, *sorted(older, key=parse_version, reverse=True))
    return next(filter(None, (drivers.find_minimum_driver(c, windows=windows) for c in known)), "")


def _summarize(torch: TorchBuild, driver: str, complaint: str, least: str) -> str:
    have = f"driver {driver}" if driver else f"a driver for CUDA {complaint}"
    named = f"torch {torch.version} for {cuda_versions.format_cuda(torch.cuda)}"
    return f"{named} needs driver {least} or newer, but this machine has {have}"


def _require_known_driver(driver: str, complaint: str, accelerators: Accelerators | None) -> None:
    """Raise CannotJudge with a reason if this driver cannot be judged."""
    reason = "" if complaint or parse_version(driver) else "the driver's version is not known"
    if accelerators is not None and accelerators.jetson:
        reason = "the driver of a Jetson is part of its JetPack"
    if reason:
        raise CannotJudge(reason)


def _least_driver(torch: TorchBuild, drivers: CudaDrivers, site: Site | None) -> str:
    if least := drivers.find_minimum_driver(
        torch.cuda, windows=torch_install.uses_windows_driver(site)
    ):
        return least
    reason = f"{cuda_versions.format_cuda(torch.cuda)} is not in the tables"
    raise CannotJudge(reason)


def _is_dated(fitting: tuple[Remedy, ...], builds: TorchBuilds) -> bool:
    """Is the torch that fits published only for Pythons that few still have?"""
    words = fitting[0].argv if fitting else ()
    version = next((word[len(_TORCH) :] for word in words if word.startswith(_TORCH)), "")
    series = get_series(version.partition("+")[0])
    release = next((one for one in builds.releases if one.torch == series), None)
    return release is not None and not is_at_least(release.python_to, _COMMON_PYTHON)


def _order_remedies(
    fitting: tuple[Remedy, ...],
    driver: tuple[Remedy, ...],
    torch: TorchBuild,
    builds: TorchBuilds,
    place: Interpreter | None,
) -> tuple[Remedy, ...]:
    """
    A torch that fits is the smaller change; that there is none comes last.

    Where the Python is not known, a torch for old ones comes behind the driver. The very build
    for which the driver is known to be too old does not fit.
    """
    same = f"torch=={torch.version}+{torch.local}" if torch.local else ""
    lines = tuple(remedy for remedy in fitting if remedy.argv and same not in remedy.argv)
    none = (one for one in fitting if not one.argv and not one.title.endswith(f" {_NO_DRIVER}"))
    known = place is not None and place.version
    behind = not known and _is_dated(fitting, builds)
    return (*driver, *lines, *none) if behind else (*lines, *driver, *none)
