"""PDR104: is `persistent_workers` given to a loader without workers?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import edit_arguments, get_plain_argument
from pipedoctor.facts import Source
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    argument_confidence,
    argument_places,
    format_argument,
    has_no_workers,
    loader_name,
)
from pipedoctor_checks._shared.merge_per_file import merge_per_file


@check("PDR104", "persistent_workers without workers", fix="code", subject="loader", merges=True)
def persistent_with_zero_workers(source: Source, /) -> Findings:
    """
    Look for `persistent_workers` in a loader that has no workers.

    ## Why it hurts

    The constructor raises ValueError: the job stops before the first batch.

    ## How it is judged

    Both values are known: literals, values traced through variables and dictionaries,
    or defaults of options. If a default decides, the finding is likely. A value
    computed from the number of workers is not reported. If one of the two is an option
    that is not set anywhere, it is a risk: setting it raises the error.

    ## Bad example

    ```python
    loader = DataLoader(dataset, batch_size=64, persistent_workers=True)
    ```

    ## Good example

    ```python
    loader = DataLoader(dataset, batch_size=64, num_workers=4, persistent_workers=True)
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    yield from merge_per_file(source, (*_judge_options(source), *_judge_arguments(source)))


def _judge_arguments(source: Source) -> Findings:
    """Loaders that raise ValueError as they are."""
    for loader in source.loaders:
        value = loader.get("persistent_workers")
        workers = loader.get("num_workers")
        name = "" if workers.how == "literal" else get_plain_argument(loader, "num_workers")
        wanted = f"{name} > 0" if name else "False"
        if value.is_known and value.value is True and has_no_workers(loader):
            yield make_code_finding(
                argument_places(loader, value),
                Severity.BREAKS,
                f"{loader_name(loader)} sets persistent_workers without workers: ValueError",
                in_code(
                    "Make it depend on the number of workers",
                    f"DataLoader(..., persistent_workers={wanted})",
                    edits=edit_arguments(loader, persistent_workers=wanted)
                    if value.how == "literal"
                    else (),
                ),
                confidence=argument_confidence(value, workers),
                persistent_workers=format_argument(value),
                num_workers=format_argument(workers),
            )


def _judge_options(source: Source) -> Findings:
    """Loaders that raise ValueError once one of their options is set."""
    for loader in source.loaders:
        value = loader.get("persistent_workers")
        workers = loader.get("num_workers")
        set_later = workers.how == "literal" and workers.value == 0
        option = value.form == "call" and ".get(" in value.text and value.value is not True
        kept = value.value is True and value.why.startswith("default of ")
        free = workers.form == "parameter" and not workers.is_known
        if not ((set_later and option) or (kept and free)):
            continue
        name = "persistent_workers" if option else "num_workers=0"
        yield make_code_finding(
            [loader.at, *([value.at] if value.at else [])],
            Severity.RISKS,
            f"{loader_name(loader)} raises ValueError if {name} is set",
            in_code(
                "Make it depend on the number of workers",
                _format_condition(value.text, get_plain_argument(loader, "num_workers")),
            ),
            confidence=Confidence.POSSIBLE,
            persistent_workers=format_argument(value),
            num_workers=format_argument(workers),
        )


def _format_condition(expression: str, workers: str) -> str:
    """In the names of the code; empty where it has none for the number of workers."""
    both = expression and workers and not expression.endswith("...")
    return f"DataLoader(..., persistent_workers={expression} and {workers} > 0)" if both else ""
