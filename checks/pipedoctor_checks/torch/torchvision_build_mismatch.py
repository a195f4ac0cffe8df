"""PDR833: was torchvision built for the same CUDA as torch?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    NotApplicable,
    Severity,
    check,
)
from pipedoctor.facts import Interpreter, Packages, Site, TorchBuild
from pipedoctor.facts.world_torch import TorchBuilds, TorchPairs
from pipedoctor_checks.torch import _version_pairs, _wheel_tags


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
    numbers match.

    ## How it is judged

    By the local versions (`+cu126`, `+cpu`). A torchvision without one is the default
    build of its release, which is compared if torch was installed from another index:
    on Windows that is a CPU build. Packages installed by conda are not judged, and
    versions that do not match are left to PDR831, whose remedy fixes both.

    ## Sources

    - https://github.com/pytorch/vision/blob/main/torchvision/extension.py
    - https://github.com/pytorch/vision#installation
    """
    copies = _version_pairs.imported_copies(packages, "torchvision")
    if not copies:
        where = "installed" if packages.complete else "in this text"
        reason = f"torchvision is not {where}"
        raise NotApplicable(reason) if packages.complete else CannotJudge(reason)
    copy, own = copies[0], _wheel_tags.find_index_tag(torch)
    other = copy.version.partition("+")[2]
    given = _wheel_tags.INDEX_TAG.fullmatch(other) is not None
    if not other and _has_index_tag(packages):
        other = _default_tag(torch, builds, site)
    if (
        any(entry.build or entry.version.endswith(f"+{own}") for entry in copies)
        or not own
        or not _wheel_tags.INDEX_TAG.fullmatch(other)
        or own == other
    ):
        return
    row = pairs.find(copy.name, copy.version)
    if row is not None and row.confirmed and not row.accepts_torch(torch.version):
        return  # another release puts both right
    same_major = own[:-1] == other[:-1] and own.startswith("cu")
    if same_major and not given:
        return
    yield Finding(
        severity=Severity.RISKS if same_major else Severity.BREAKS,
        summary=f"torchvision {copy.version} is built for {other}, but torch {torch.version}"
        f" for {own}",
        evidence={"torch": own, "torchvision": other},
        confidence=Confidence.CERTAIN if given else Confidence.LIKELY,
        remedies=_wheel_tags.install_from_index(torch, own, builds, pairs, interpreter),
    )


def _default_tag(torch: TorchBuild, builds: TorchBuilds, site: Site | None) -> str:
    """The build that pip installs without an index: on Windows always a CPU build."""
    if site is not None and site.system == "windows":
        return "cpu"
    default = builds.find_default_wheel(torch.version)
    return default.tag if default else ""


def _has_index_tag(packages: Packages) -> bool:
    """Was torch installed from its own index, so that its version has a tag?"""
    torch = packages.find("torch")
    tag = torch.version.partition("+")[2] if torch else ""
    return _wheel_tags.INDEX_TAG.fullmatch(tag) is not None
