"""PDR806: is torch a CPU build on a machine with an NVIDIA GPU?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Accelerators, Gpu, Interpreter, Packages, Site, TorchBuild
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_torch import CudaDrivers, TorchBuilds, TorchPairs
from pipedoctor_checks import _cuda, _install


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
    Look for a GPU that this torch cannot use, since it was built without CUDA.

    ## Why it hurts

    `Torch not compiled with CUDA enabled`, or a job that trains on the CPU without a
    word. Plain `pip install torch` on Windows, a conda environment that was solved
    without a GPU, and an index for CPU builds in a requirements file lead here.

    ## How it is judged

    The build has no CUDA, no ROCm and no XPU, and an NVIDIA driver or GPU is at work
    here. A CPU build on a machine without a GPU is right. Where the text of another
    machine does not say whether there is a GPU, a build that was asked for as a CPU
    build (`+cpu`, conda's `cpu_0`) is only a note, and so is one beside a CUDA toolkit
    without a visible driver: that compiles, and says nothing of a GPU.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/cuda.html
    - https://github.com/pytorch/pytorch/blob/main/RELEASE.md
    """
    if not torch.cpu_only or (accelerators is not None and accelerators.jetson):
        return
    build, signs = _named(torch), accelerators.signs if accelerators else ()
    evidence: dict[str, object] = {"torch.version": torch.version}
    evidence |= {"gpu": _cuda.named(gpu)} if gpu and gpu.devices else {}
    evidence |= {"signs": signs} if signs else {}
    if _cuda.working(gpu, accelerators) or signs:
        seen = _cuda.named(gpu) if gpu and gpu.devices else "; ".join(signs)
        yield Finding(
            severity=Severity.BREAKS,
            summary=f"torch {build} is built without CUDA, but this machine has "
            f"{seen or 'an NVIDIA driver'}",
            evidence=evidence,
            confidence=Confidence.CERTAIN if gpu else Confidence.LIKELY,
            remedies=_install.other_torch(
                _install.Tables(drivers, builds, pairs),
                _install.Target(torch, interpreter, packages),
                site,
                driver=gpu.driver if gpu else "",
                capabilities=_cuda.capabilities(gpu, cards),
            ),
        )
    elif torch.origin == "text" and (
        accelerators.toolkit if accelerators else _asked_for(torch)
    ):
        yield _perhaps(build, evidence)


def _perhaps(build: str, evidence: dict[str, object]) -> Finding:
    return Finding(
        severity=Severity.NOTE,
        summary=f"torch {build} is built without CUDA: wrong if this machine has "
        "an NVIDIA GPU, which the text does not say",
        evidence=evidence,
        confidence=Confidence.POSSIBLE,
    )


def _named(torch: TorchBuild) -> str:
    return torch.conda_build or f"{torch.version}{'+cpu' * (torch.local == 'cpu')}"


def _asked_for(torch: TorchBuild) -> bool:
    return torch.local == "cpu" or "cpu" in torch.conda_build
