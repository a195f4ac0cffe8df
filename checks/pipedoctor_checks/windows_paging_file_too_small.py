"""PDR964: The paging file is too small for the workers."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place, in_code
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        ("Enlarge the paging file: System, Advanced, Performance, Virtual memory"),
        place=Place.HERE,
    ),
    in_code("Use fewer workers", "DataLoader(..., num_workers=2)"),
)


@check("PDR964", "The paging file is too small for the workers")
def windows_paging_file_too_small(log: Log, site: Site | None, /) -> Findings:
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
    yield from told(
        log,
        site,
        "windows_paging_file_too_small",
        (
            "Every worker loads the CUDA libraries again, and the paging file is "
            "too small for that"
        ),
        *_REMEDIES,
    )
