"""PDR805: was this torch compiled for this GPU?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Gpu, Interpreter, Packages, Site, TorchBuild, TorchImport
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_torch import CudaDrivers, TorchBuilds, TorchPairs
from pipedoctor_checks import _architectures, _cuda, _install

_NO_CARD = "the compute capability of no GPU is known"


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

    `torch.cuda.is_available()` is True all the same, and the first kernel fails with
    "no kernel image is available for execution on the device".

    ## How it is judged

    Machine code runs on cards of the same major version and an equal or higher minor
    one: sm_80 serves 8.6 and 8.9, sm_37 does not serve 3.5. PTX (compute_90) serves
    everything newer. What torch itself says it was built for counts first, then the
    table of published builds, then what its CUDA can compile for at all. The capability
    comes from the driver; in the text of another machine from the card's name. What is
    not in the tables is not judged. The remedy names a build that has the code and that
    the driver runs.

    ## Sources

    - https://developer.nvidia.com/cuda-gpus
    - https://github.com/pytorch/pytorch/blob/main/RELEASE.md
    - https://github.com/moi90/pytorch_compute_capabilities/blob/main/table.md
    """
    if not torch.cuda:
        return
    said, owned = _cuda.words(torch_import), _cuda.capabilities(gpu, cards)
    complained = _cuda.unfit(said)
    if not owned and not complained:
        raise CannotJudge(_NO_CARD)
    build = _architectures.of(
        torch, torch_import, said, site, builds=builds, drivers=drivers
    )
    missing = dict.fromkeys(complained, "torch itself says so")
    missing |= {c: why for c in owned if (why := build.why_not(c))}
    if not missing:
        return
    sure = build.certain or missing.keys() <= set(complained)
    yield Finding(
        severity=Severity.BREAKS,
        summary=_summary(torch, gpu, missing),
        evidence={"capabilities": list(missing), "built_for": list(build.arch)},
        confidence=Confidence.CERTAIN if sure else Confidence.LIKELY,
        remedies=_install.other_torch(
            _install.Tables(drivers, builds, pairs),
            _install.Target(torch, interpreter, packages),
            site,
            driver=gpu.driver if gpu else "",
            capabilities=tuple(dict.fromkeys((*owned, *complained))),
        ),
    )


def _summary(torch: TorchBuild, gpu: Gpu | None, missing: dict[str, str]) -> str:
    named = f"torch {torch.version} for {_cuda.cuda_of(torch.cuda)}"
    reasons = "; ".join(dict.fromkeys(missing.values()))
    wanted = f"compute capability {', '.join(missing)}"
    return f"{named} has no code for {wanted} ({_cuda.named(gpu)}): {reasons}"
