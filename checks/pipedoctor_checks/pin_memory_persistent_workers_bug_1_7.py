"""PDR940: torch 1.7 cannot combine pin_memory with persistent_workers."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place, in_code
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Take a newer torch",
        argv=("python", "-m", "pip", "install", "--upgrade", "torch>=1.8"),
        place=Place.HERE,
    ),
    in_code(
        "Or do without one of the two",
        ("DataLoader(..., pin_memory=True, persistent_workers=False)"),
    ),
)


@check("PDR940", "The pin-memory thread ends at the second epoch (torch 1.7)")
def pin_memory_persistent_workers_bug_1_7(log: Log, site: Site | None, /) -> Findings:
    """
    Find the error of torch 1.7 with pin_memory and persistent_workers.

    ## Why it hurts

    In torch 1.7 the thread that pins memory does not understand the message by
    which persistent workers start a new epoch.

    ## How it is judged

    The pin-memory thread ended. Where a worker was killed as well, that is the
    cause and this its echo.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/47445
    - https://github.com/open-mmlab/mmaction2/issues/1030
    """
    yield from told(
        log,
        site,
        "pin_memory_persistent_workers_bug_1_7",
        "Torch 1.7 cannot combine pin_memory with persistent_workers",
        *_REMEDIES,
    )
