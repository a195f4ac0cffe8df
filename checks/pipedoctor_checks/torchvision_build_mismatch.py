"""PDR833: was torchvision built for the same CUDA as torch?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, Site, TorchBuild
from pipedoctor.facts.world_torch import TorchBuilds, TorchPairs
from pipedoctor_checks import _pairs, _tags


@check(
    "PDR833",
    "torchvision and torch are built for different backends",
    after=("PDR831",),
)
def torchvision_build_mismatch(
    packages: Packages,
    torch: TorchBuild,
    builds: TorchBuilds,
    pairs: TorchPairs,
    interpreter: Interpreter | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Compare what torch and torchvision were built with: CUDA, ROCm or only the CPU.

    ## Why it hurts

    torchvision's own operators are missing (`torchvision::nms` for CUDA), or importing
    it fails with "compiled with different CUDA major versions", although the version
    numbers pair.

    ## How it is judged

    By the local versions (`+cu126`, `+cpu`). A torchvision without one is the default
    build of its release, which is compared where torch was installed from another
    index: on Windows that is a CPU build. What conda installed is left to conda, and
    versions that do not pair to PDR831, whose remedy puts both right.

    ## Sources

    - https://github.com/pytorch/vision/blob/main/torchvision/extension.py
    - https://github.com/pytorch/vision#installation
    """
    copies = _pairs.imported(packages, "torchvision")
    if not copies:
        where = "installed" if packages.complete else "in this text"
        reason = f"torchvision is not {where}"
        raise CannotJudge(reason)
    copy, own = copies[0], _tags.own(torch)
    other = copy.version.partition("+")[2]
    given = _tags.TAG.fullmatch(other) is not None
    if not other and _other_index(packages):
        other = _default(torch, builds, site)
    if (
        any(entry.build for entry in copies)
        or not own
        or not _tags.TAG.fullmatch(other)
        or own == other
    ):
        return
    row = pairs.find(copy.name, copy.version)
    if row is not None and row.confirmed and not row.fits(torch.version):
        return  # another release puts both right
    same_major = own[:-1] == other[:-1] and own.startswith("cu")
    if same_major and not given:
        return
    yield Finding(
        severity=Severity.RISKS if same_major else Severity.BREAKS,
        summary=f"torchvision {copy.version} is built for {other}, torch "
        f"{torch.version} for {own}",
        evidence={"torch": own, "torchvision": other},
        confidence=Confidence.CERTAIN if given else Confidence.LIKELY,
        remedies=_tags.same_index(torch, own, builds, pairs, interpreter),
    )


def _default(torch: TorchBuild, builds: TorchBuilds, site: Site | None) -> str:
    """What the registry gives without an index: on Windows always a CPU build."""
    if site is not None and site.system == "windows":
        return "cpu"
    default = builds.default(torch.version)
    return default.tag if default else ""


def _other_index(packages: Packages) -> bool:
    """Was torch installed from an index of its own, so that its version has a tag?"""
    torch = packages.find("torch")
    tag = torch.version.partition("+")[2] if torch else ""
    return _tags.TAG.fullmatch(tag) is not None
