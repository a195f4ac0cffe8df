"""PDR816: do NVIDIA's wheels of two CUDA generations overwrite each other?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, Requirements, TorchBuild
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared import pip_command

_NVIDIA_WHEEL = compile_lazily(r"nvidia-(?P<library>[a-z0-9-]+?)-cu(?P<major>\d{2})")
_SHARED_FOLDER_LIBRARIES = frozenset(("cudnn", "cusparselt", "nccl", "nvshmem"))
"""These install into the same folder for every CUDA: the last one written is used."""
_REMOVE = "Remove all but CUDA {}"
_CPU = "Remove them: this torch is built for the CPU, and no other package requires them"


@check("PDR816", "NVIDIA wheels of two CUDA generations are installed")
def mixed_nvidia_wheels(
    packages: Packages,
    torch: TorchBuild | None,
    interpreter: Interpreter | None,
    requirements: Requirements | None = None,
    /,
) -> Findings:
    """
    Look for both `nvidia-*-cu12` and `nvidia-*-cu13`.

    ## Why it hurts

    cuDNN, NCCL, NVSHMEM and cuSPARSELt install into the same folder for every CUDA, so
    the one that was written last is loaded by both. The job then dies with a missing
    symbol or a version mismatch, or runs with a library it was not tested with.

    ## How it is judged

    Two generations of one of these four are a risk. Two generations of the others are
    in separate folders: they only waste space, which is a note. What another package
    than torch requires is not removed.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/.ci/manywheel/build_cuda.sh
    """
    majors: dict[str, set[str]] = {}
    for entry in packages.entries:
        if match := _NVIDIA_WHEEL.fullmatch(entry.name):
            majors.setdefault(match["library"], set()).add(match["major"])
    generations = sorted({number for found in majors.values() for number in found})
    if len(generations) < 2:  # noqa: PLR2004  (one is as it should be)
        return
    doubled = sorted(name for name in _SHARED_FOLDER_LIBRARIES if len(majors.get(name, ())) > 1)
    kept = torch.cuda.partition(".")[0] if torch else ""
    others = _list_unneeded(packages, kept, torch, requirements)
    named = " and ".join(f"CUDA {number}" for number in generations)
    unused = "torch uses neither" if torch and torch.is_cpu_only else "one is unused"
    what = f"{', '.join(doubled)} overwrote each other" if doubled else unused
    yield Finding(
        severity=Severity.RISKS if doubled else Severity.NOTE,
        summary=f"NVIDIA wheels of {named} are installed: {what}",
        evidence={"generations": generations, "doubled": doubled, "torch.cuda": kept},
        remedies=(
            pip_command.uninstall(interpreter, _REMOVE.format(kept) if kept else _CPU, *others),
            pip_command.reinstall(
                interpreter,
                f"Then restore what CUDA {kept} needs",
                *(_pin_version(f"nvidia-{name}-cu{kept}", packages, torch) for name in doubled),
            ),
        )[: 1 + bool(doubled and kept)]
        if others
        else (),
    )


def _list_unneeded(
    packages: Packages, kept: str, torch: TorchBuild | None, requirements: Requirements | None
) -> list[str]:
    """Those of other generations that nothing requires; all, where torch is for the CPU."""
    if not kept and (torch is None or not torch.is_cpu_only or requirements is None):
        return []
    bounds = requirements.bounds if requirements else ()
    required = {one.name for one in bounds if not _is_of_torch(one.owner)}
    return sorted(
        entry.name
        for entry in packages.entries
        if (match := _NVIDIA_WHEEL.fullmatch(entry.name))
        and match["major"] != kept
        and entry.name not in required
    )


def _is_of_torch(owner: str) -> bool:
    return owner == "torch" or _NVIDIA_WHEEL.fullmatch(owner) is not None


def _pin_version(name: str, packages: Packages, torch: TorchBuild | None) -> str:
    """The version that torch requires; else the one that is installed."""
    pins = {pin.name: pin.version for pin in torch.pins} if torch else {}
    entry = packages.find(name)
    version = pins.get(name, "") or (entry.version if entry else "")
    return f"{name}=={version}" if version else name
