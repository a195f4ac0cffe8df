"""PDR833: was torchvision built for the same CUDA as torch?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, TorchBuild
from pipedoctor.facts.world_torch import TorchBuilds, TorchPairs
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.versions import series
from pipedoctor_checks import _install, _pairs
from pipedoctor_checks._wheels import Choice


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
    index. What conda installed is left to conda.

    ## Sources

    - https://github.com/pytorch/vision/blob/main/torchvision/extension.py
    - https://github.com/pytorch/vision#installation
    """
    copies = _pairs.imported(packages, "torchvision")
    if not copies:
        where = "installed" if packages.complete else "in this text"
        reason = f"torchvision is not {where}"
        raise CannotJudge(reason)
    copy, own = copies[0], _own_tag(torch)
    other = copy.version.partition("+")[2]
    given = _pairs.TAG.fullmatch(other) is not None
    if not other and _other_index(packages):
        default = builds.default(torch.version)
        other = default.tag if default else ""
    if copy.build or not own or not _pairs.TAG.fullmatch(other) or own == other:
        return
    same_major = own[:-1] == other[:-1] and own.startswith("cu")
    if same_major and not given:
        return
    yield Finding(
        severity=Severity.RISKS if same_major else Severity.BREAKS,
        summary=f"torchvision {copy.version} is built for {other}, torch "
        f"{torch.version} for {own}",
        evidence={"torch": own, "torchvision": other},
        confidence=Confidence.CERTAIN if given else Confidence.LIKELY,
        remedies=_remedies(torch, own, pairs, interpreter),
    )


def _own_tag(torch: TorchBuild) -> str:
    if _pairs.TAG.fullmatch(torch.local):
        return torch.local
    if torch.local or torch.conda_build or not torch.known_backend:
        return ""
    if torch.cuda:
        return f"cu{series(torch.cuda).replace('.', '')}"
    return "cpu" if torch.cpu_only and torch.origin != "text" else ""


def _other_index(packages: Packages) -> bool:
    """Was torch installed from an index of its own, so that its version has a tag?"""
    torch = packages.find("torch")
    tag = torch.version.partition("+")[2] if torch else ""
    return _pairs.TAG.fullmatch(tag) is not None


def _remedies(
    torch: TorchBuild, own: str, pairs: TorchPairs, interpreter: Interpreter | None
) -> tuple[Remedy, ...]:
    choice = Choice(torch=torch.version, tag=own)
    name = _install.companion(pairs, "torchvision", choice)
    return (
        Remedy(
            title="Install torchvision from the index that torch came from",
            argv=(
                *_install.installer(interpreter or _NOBODY),
                name,
                "--index-url",
                choice.index,
            ),
            lasts=Lasts.ALWAYS,
            advice=True,
        ),
    )


_NOBODY = Interpreter()
