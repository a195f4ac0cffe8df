"""PDR311: is the start method of processes set at import?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.program import StartMethodCall
from pipedoctor_checks._shared.code_finding import make_code_finding

_METHODS = ("fork", "spawn", "forkserver")


@check("PDR311", "The start method is set at import", merges=True)
def start_method(source: Source, /) -> Findings:
    """
    Look for `set_start_method` at the top level of a module.

    ## Why it hurts

    In a program that imports the module, processes start by another method, or the call
    raises RuntimeError: context has already been set.

    ## How it is judged

    It is called when the module is imported, outside a main guard. In a function, the
    caller decides, and it is not reported.

    ## Bad example

    ```python
    import torch.multiprocessing

    torch.multiprocessing.set_start_method("spawn")
    ```

    ## Good example

    ```python
    import torch.multiprocessing

    if __name__ == "__main__":
        torch.multiprocessing.set_start_method("spawn")
    ```

    ## Sources

    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    for event in source.select_events(StartMethodCall):
        if event.details.at_import:
            yield make_code_finding(
                [event.at],
                Severity.NOTE,
                f"Importing {event.at.path} sets the start method for all processes",
                in_code(
                    "Set it for this loader only",
                    f"DataLoader(..., multiprocessing_context={event.details.method!r})",
                )
                if event.details.method in _METHODS
                else in_code("Set it in the main guard"),
                method=event.details.method,
            )
