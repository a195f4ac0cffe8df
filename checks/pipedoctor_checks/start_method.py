"""PDR311: is the start method of processes set at import?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR311", "The start method is set by an import")
def start_method(source: Source, /) -> Findings:
    """
    Look for `set_start_method` at the top of a module.

    ## Why it hurts

    Whoever imports the module has its processes started another way, or gets
    RuntimeError: context has already been set.

    ## How it is judged

    It is called when the module is imported, outside a main guard. In a function it
    is the caller's decision.

    ## Sources

    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    for event in source.of("start-method"):
        if event.details.get("at_import"):
            yield at(
                [event.at],
                Severity.NOTE,
                f"Importing {event.at.path} sets how all processes start",
                in_code(
                    "Say it for the loader alone", "multiprocessing_context='spawn'"
                ),
                method=event.details.get("method"),
            )
