"""PDR953: MKL 2024.1 or newer lacks a symbol that this torch needs."""

from pipedoctor.check import (
    Finding,
    Findings,
    Lasts,
    NotApplicable,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import Conda
from pipedoctor.versions import is_at_least

_BROKEN_CHANNEL = "pytorch"
_BROKEN_MKL = "2024.1"


@check("PDR953", "MKL 2024.1 is too new for this torch")
def mkl_2024_1_symbol_missing(conda: Conda, /) -> Findings:
    """
    Find a conda build of torch with an MKL that dropped a symbol.

    ## Why it hurts

    Builds of the conda channel `pytorch` are linked to the separately installed MKL,
    and need its symbol `iJIT_NotifyEvent`. MKL 2024.1 hides that symbol, and so does
    every newer one: torch cannot be imported. Recipes of that channel set no upper
    bound for MKL, so a new environment gets the newest.

    ## How it is judged

    The records of conda contain a torch of the channel `pytorch`, of any version up to
    its last, 2.5, and an MKL of 2024.1 or newer. conda-forge limits the MKL version of
    its own builds, and wheels contain their own MKL: they are not affected.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/123097
    - https://github.com/pytorch/pytorch/issues/129310
    - https://github.com/agentmorris/MegaDetector/issues/127
    """
    torch, mkl = conda.find("pytorch"), conda.find("mkl")
    if torch is None or any(record.name == "torch" for record in conda.clobbered):
        message = "the torch that is imported does not come from conda"
        raise NotApplicable(message)
    if torch.channel != _BROKEN_CHANNEL or mkl is None or not is_at_least(mkl.version, _BROKEN_MKL):
        return
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"mkl {mkl.version} lacks a symbol that pytorch {torch.version} of the "
        f"channel `{_BROKEN_CHANNEL}` needs: torch cannot be imported",
        evidence={"pytorch": torch.version, "mkl": mkl.version},
        remedies=(_install_older_mkl(conda),),
    )


def _install_older_mkl(conda: Conda) -> Remedy:
    where = ("--prefix", conda.prefix) if conda.prefix else ()
    return Remedy(
        title="Install an older MKL",
        argv=("conda", "install", *where, f"mkl<{_BROKEN_MKL}"),
        lasts=Lasts.ALWAYS,
        verify=("python", "-c", "import torch"),
    )
