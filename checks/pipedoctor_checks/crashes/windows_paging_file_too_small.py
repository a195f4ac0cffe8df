"""PDR964: The paging file is too small for the workers."""

from pipedoctor.check import in_code
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR964",
    "The paging file is too small for the workers",
    summary="Every worker loads the CUDA libraries again, "
    "and the paging file is too small for that",
    remedies=(
        advise_user("Increase the paging file: System, Advanced, Performance, Virtual memory"),
        in_code("Use fewer workers", "DataLoader(..., num_workers=2)"),
    ),
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
