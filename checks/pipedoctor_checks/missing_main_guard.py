"""PDR933: The script starts workers without a main guard."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        'Put everything that starts work under `if __name__ == "__main__":`',
        'if __name__ == "__main__":\n    main()',
    ),
)


@check("PDR933", "The script starts workers without a main guard")
def missing_main_guard(log: Log, site: Site | None, /) -> Findings:
    """
    Find a script that starts itself again in every worker.

    ## Why it hurts

    With the start methods spawn and forkserver (Windows, macOS, and Linux from
    Python 3.14 on) every worker imports the training script. Without a guard the
    import starts training, and so workers, again.

    ## How it is judged

    Python says that a process was started before the current one had finished its
    bootstrapping.

    ## Sources

    - https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods
    - https://docs.pytorch.org/docs/stable/notes/windows.html
    """
    yield from told(
        log,
        site,
        "missing_main_guard",
        (
            "Every worker imports the script again, and the script starts "
            "workers when it is imported"
        ),
        *_REMEDIES,
    )
