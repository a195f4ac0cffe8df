"""PDR806: is torch a CPU build on a machine with an NVIDIA GPU?"""

from pipedoctor.check import Confidence, Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Interpreter, Packages, Site, TorchBuild
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_torch import CudaDrivers, TorchBuilds, TorchPairs
from pipedoctor_checks._shared import cuda_versions, torch_install
from pipedoctor_checks._shared.newer_driver import update_driver

_WANTED_CUDA = "12.6"
"""What most published torches are built for."""


@check("PDR806", "torch is a CPU build on a machine with a GPU")
def cpu_only_torch_build(  # noqa: PLR0913, PLR0917  (facts are injected)
    torch: TorchBuild,
    drivers: CudaDrivers,
    cards: GpuCapabilities,
    builds: TorchBuilds,
    pairs: TorchPairs,
    gpu: Gpu | None,
    accelerators: Accelerators | None,
    interpreter: Interpreter | None,
    packages: Packages | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Look for a GPU that this torch cannot use because it was built without CUDA.

    ## Why it hurts

    `Torch not compiled with CUDA enabled`, or a job that silently trains on the CPU.
    Usual causes are plain `pip install torch` on Windows, a conda environment that was
    solved without a GPU, and an index for CPU builds in a requirements file.

    ## How it is judged

    The build has no CUDA, no ROCm and no XPU, and an NVIDIA driver or GPU is in use
    here. A CPU build on a machine without a GPU is correct. If the text of another
    machine does not say whether there is a GPU, a build that was requested as a CPU
    build (`+cpu`, conda's `cpu_0`) is only a note, and so is one next to a CUDA toolkit
    without a visible driver, because a toolkit compiles and does not show that there is
    a GPU.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/cuda.html
    - https://github.com/pytorch/pytorch/blob/main/RELEASE.md
    """
    if not torch.is_cpu_only or (accelerators is not None and accelerators.jetson):
        return
    build, signs = _format_build(torch), accelerators.signs if accelerators else ()
    evidence: dict[str, object] = {"torch.version": torch.version}
    evidence |= {"gpu": cuda_versions.format_gpus(gpu)} if gpu and gpu.devices else {}
    evidence |= {"signs": signs} if signs else {}
    if cuda_versions.is_driver_loaded(gpu, accelerators) or signs:
        seen = cuda_versions.format_gpus(gpu) if gpu and gpu.devices else "; ".join(signs)
        yield Finding(
            severity=Severity.BREAKS,
            summary=f"torch {build} is built without CUDA, but this machine has "
            f"{seen or 'an NVIDIA driver'}",
            evidence=evidence,
            confidence=Confidence.CERTAIN if gpu else Confidence.LIKELY,
            remedies=_list_remedies(
                torch_install.TorchTables(drivers, builds, pairs),
                torch_install.TorchEnvironment(torch, interpreter, packages),
                site,
                driver=gpu.driver if gpu else "",
                capabilities=cuda_versions.find_capabilities(gpu, cards),
            ),
        )
    elif torch.origin == "text" and (
        accelerators.toolkit if accelerators else _is_requested(torch)
    ):
        yield _report_possible(build, evidence)


def _report_possible(build: str, evidence: dict[str, object]) -> Finding:
    return Finding(
        severity=Severity.NOTE,
        summary=f"torch {build} is built without CUDA: wrong if this machine has an NVIDIA GPU,"
        " which the text does not say",
        evidence=evidence,
        confidence=Confidence.POSSIBLE,
    )


def _format_build(torch: TorchBuild) -> str:
    return torch.conda_build or f"{torch.version}{'+cpu' * (torch.local == 'cpu')}"


def _is_requested(torch: TorchBuild) -> bool:
    return torch.local == "cpu" or "cpu" in torch.conda_build


def _list_remedies(
    tables: torch_install.TorchTables,
    target: torch_install.TorchEnvironment,
    site: Site | None,
    *,
    driver: str,
    capabilities: tuple[str, ...],
) -> tuple[Remedy, ...]:
    """Where no published torch fits the driver, a newer driver comes before it."""
    fitting = torch_install.replace_torch(
        tables, target, site, driver=driver, capabilities=capabilities
    )
    if any(remedy.argv for remedy in fitting):
        return fitting
    windows = torch_install.uses_windows_driver(site)
    least = tables.drivers.find_minimum_driver(_WANTED_CUDA, windows=windows)
    return (*update_driver(tables.drivers, site, least, capabilities), *fitting)
