"""PDR940: torch 1.7 cannot combine pin_memory with persistent_workers."""

from pipedoctor.check import in_code
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR940",
    "The pin-memory thread ends at the second epoch (torch 1.7)",
    summary="Torch 1.7 cannot combine pin_memory with persistent_workers",
    remedies=(
        advise_user(
            "Install a newer torch",
            argv=("python", "-m", "pip", "install", "--upgrade", "torch>=1.8"),
        ),
        in_code(
            "Alternatively disable one of the two",
            "DataLoader(..., pin_memory=True, persistent_workers=False)",
        ),
    ),
)
def pin_memory_persistent_workers_bug_1_7() -> None:
    """
    Find the error of torch 1.7 with pin_memory and persistent_workers.

    ## Why it hurts

    In torch 1.7 the thread that pins memory cannot handle the message by which
    persistent workers start a new epoch.

    ## How it is judged

    The pin-memory thread ended. If a worker was killed as well, that is the cause and
    this is a consequence.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/47445
    - https://github.com/open-mmlab/mmaction2/issues/1030
    """
