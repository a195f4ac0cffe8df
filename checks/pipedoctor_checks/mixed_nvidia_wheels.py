"""PDR816: do NVIDIA's wheels of two CUDA generations lie over each other?"""

import re

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, TorchBuild
from pipedoctor_checks import _pip

_WHEEL = re.compile(r"nvidia-(?P<library>[a-z0-9-]+?)-cu(?P<major>\d{2})")
_ONE_FOLDER = frozenset(("cudnn", "cusparselt", "nccl", "nvshmem"))
"""These lie in the same folder whatever their CUDA: the last one written wins."""


@check("PDR816", "NVIDIA wheels of two CUDA generations are installed")
def mixed_nvidia_wheels(
    packages: Packages, torch: TorchBuild | None, interpreter: Interpreter | None, /
) -> Findings:
    """
    Look for `nvidia-*-cu12` beside `nvidia-*-cu13`.

    ## Why it hurts

    cuDNN, NCCL, NVSHMEM and cuSPARSELt install into the same folder whatever CUDA they
    are for, so the one that was written last is loaded by both. The job then dies with
    a missing symbol or a version mismatch, or runs with a library it was not tested
    with.

    ## How it is judged

    Two generations of one of these four are a risk. Two generations of the others lie
    in folders of their own: they only take room, which is a note.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/.ci/manywheel/build_cuda.sh
    """
    majors: dict[str, set[str]] = {}
    for entry in packages.entries:
        if match := _WHEEL.fullmatch(entry.name):
            majors.setdefault(match["library"], set()).add(match["major"])
    generations = sorted({number for found in majors.values() for number in found})
    if len(generations) < 2:  # noqa: PLR2004  (one is as it should be)
        return
    doubled = sorted(name for name in _ONE_FOLDER if len(majors.get(name, ())) > 1)
    kept = torch.cuda.partition(".")[0] if torch else ""
    others = sorted(
        entry.name
        for entry in packages.entries
        if (match := _WHEEL.fullmatch(entry.name)) and kept and match["major"] != kept
    )
    named = " and ".join(f"CUDA {number}" for number in generations)
    what = f"{', '.join(doubled)} overwrote each other" if doubled else "one is unused"
    yield Finding(
        severity=Severity.RISKS if doubled else Severity.NOTE,
        summary=f"NVIDIA wheels of {named} are installed: {what}",
        evidence={"generations": generations, "doubled": doubled, "torch.cuda": kept},
        remedies=(
            _pip.uninstall(interpreter, f"Remove all but CUDA {kept}", *others),
            _pip.reinstall(
                interpreter,
                f"Then put back what CUDA {kept} needs",
                *(f"nvidia-{name}-cu{kept}" for name in doubled),
            ),
        )[: 1 + bool(doubled)]
        if others
        else (),
    )
