"""PDR953: MKL 2024.1 or newer lacks a symbol that this torch needs."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Take an older MKL", argv=("conda", "install", "mkl<2024.1"), place=Place.HERE
    ),
)


@check("PDR953", "MKL 2024.1 is too new for this torch")
def mkl_2024_1_symbol_missing(log: Log, site: Site | None, /) -> Findings:
    """
    Find a conda build of torch with an MKL that dropped a symbol.

    ## Why it hurts

    MKL 2024.1 dropped the symbol `iJIT_NotifyEvent` that conda builds of torch up
    to 2.0 ask for: torch cannot be imported.

    ## How it is judged

    The loader misses the symbol in libtorch_cpu.so.

    ## Sources

    - https://github.com/agentmorris/MegaDetector/issues/127
    - https://github.com/pytorch/pytorch/issues/123097
    """
    yield from told(
        log,
        site,
        "mkl_2024_1_symbol_missing",
        "MKL 2024.1 or newer lacks a symbol that this torch needs",
        *_REMEDIES,
    )
