"""PDR964: The paging file is too small for the workers."""

from pipedoctor.check import Remedy
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._fewer_workers import use_fewer_workers
from pipedoctor_checks.crashes._log_check import log_check

_LARGER_FILE = advise_user(
    "Increase the paging file: System, Advanced, Performance, Virtual memory"
)
_PARTS = 4


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Fewer workers at once, where the log says how many there are."""
    fewer = use_fewer_workers(log, "Use fewer workers", _PARTS)
    return (fewer, _LARGER_FILE) if " in place of " in fewer.title else (_LARGER_FILE, fewer)


@log_check(
    "PDR964",
    "The paging file is too small for the workers",
    summary="Every worker loads the CUDA libraries again, "
    "and the paging file is too small for that",
    remedies=_choose_remedies,
)
def windows_paging_file_too_small() -> None:
    """
    Find Windows machines whose commit limit is reached.

    ## Why it hurts

    Every spawned worker loads torch with its CUDA libraries again, and Windows
    reserves their memory in the paging file.

    ## How it is judged

    Windows reports error 1455, or such a library cannot be loaded in a spawned
    worker.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/windows.html
    - https://github.com/cszn/KAIR/issues/127
    """
