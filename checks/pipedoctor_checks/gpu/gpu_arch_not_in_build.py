"""PDR805: was this torch compiled for this GPU?"""

from collections.abc import Iterable

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Gpu, Interpreter, Packages, Site, TorchBuild, TorchImport
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_torch import CudaDrivers, TorchBuilds, TorchPairs
from pipedoctor_checks._shared import cuda_versions, torch_install
from pipedoctor_checks.gpu import _architectures

_UNKNOWN_CAPABILITY = "the compute capability of no GPU is known"


@check("PDR805", "This torch has no code for this GPU")
def gpu_arch_not_in_build(  # noqa: PLR0913, PLR0917  (facts are injected)
    torch: TorchBuild,
    drivers: CudaDrivers,
    cards: GpuCapabilities,
    builds: TorchBuilds,
    pairs: TorchPairs,
    gpu: Gpu | None,
    torch_import: TorchImport | None,
    interpreter: Interpreter | None,
    packages: Packages | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Compare the compute capability of each GPU with the code inside this torch.

    ## Why it hurts

    `torch.cuda.is_available()` is True nevertheless, and the first kernel fails with
    "no kernel image is available for execution on the device".

    ## How it is judged

    Machine code runs on GPUs of the same major version and an equal or higher minor
    one: sm_80 runs on 8.6 and 8.9, sm_37 does not run on 3.5. PTX (compute_90) runs on
    everything newer. Torch's own list of architectures has priority, then the table of
    published builds, then the architectures that its CUDA can compile for. The
    capability comes from the driver; in text from another machine, from the GPU's name.
    What is not in the tables is not judged. The remedy names a build that has the code
    and that the driver supports.

    ## Sources

    - https://developer.nvidia.com/cuda-gpus
    - https://github.com/pytorch/pytorch/blob/main/RELEASE.md
    - https://github.com/moi90/pytorch_compute_capabilities/blob/main/table.md
    """
    if not torch.cuda:
        return
    messages = cuda_versions.torch_messages(torch_import)
    owned = cuda_versions.find_capabilities(gpu, cards)
    complained = cuda_versions.parse_unfit_capabilities(messages)
    if not owned and not complained:
        raise CannotJudge(_UNKNOWN_CAPABILITY)
    build = _architectures.find_architectures(
        torch, torch_import, messages, site, builds=builds, drivers=drivers
    )
    if not (missing := _explain_missing(build, owned, complained)):
        return
    sure = build.certain or missing.keys() <= set(complained)
    yield Finding(
        severity=Severity.BREAKS,
        summary=_summarize(torch, gpu, missing),
        evidence={"capabilities": list(missing), "built_for": list(build.arch)},
        confidence=Confidence.CERTAIN if sure else Confidence.LIKELY,
        remedies=torch_install.replace_torch(
            torch_install.TorchTables(drivers, builds, pairs),
            torch_install.TorchEnvironment(torch, interpreter, packages),
            site,
            driver=gpu.driver if gpu else "",
            capabilities=tuple(dict.fromkeys((*owned, *complained))),
        ),
    )


def _explain_missing(
    build: _architectures.BuildArchitectures, capabilities: Iterable[str], complained: Iterable[str]
) -> dict[str, str]:
    missing = dict.fromkeys(complained, "torch itself reports it")
    return missing | {c: why for c in capabilities if (why := build.explain_unsupported(c))}


def _summarize(torch: TorchBuild, gpu: Gpu | None, missing: dict[str, str]) -> str:
    named = f"torch {torch.version} for {cuda_versions.format_cuda(torch.cuda)}"
    reasons = "; ".join(dict.fromkeys(missing.values()))
    wanted = f"compute capability {', '.join(missing)}"
    return f"{named} has no code for {wanted} ({cuda_versions.format_gpus(gpu)}): {reasons}"
