"""PDR105: is `prefetch_factor` given to a loader without workers?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import (
    Edits,
    edit_arguments,
    get_plain_argument,
    remove_argument,
)
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    argument_confidence,
    argument_places,
    format_argument,
    has_no_workers,
    has_workers,
    loader_name,
)
from pipedoctor_checks._shared.merge_per_file import merge_per_file


@check("PDR105", "prefetch_factor without workers", fix="code", subject="loader", merges=True)
def prefetch_with_zero_workers(source: Source, /) -> Findings:
    """
    Look for `prefetch_factor` in a loader that has no workers.

    ## Why it hurts

    The constructor raises ValueError; a factor of 0 with workers raises
    AssertionError when the loop begins.

    ## How it is judged

    Both values are known: literals, values traced through variables and dictionaries,
    or defaults of options. If a default decides, the finding is likely. A value
    computed from the number of workers is not reported.

    ## Bad example

    ```python
    loader = DataLoader(dataset, batch_size=64, prefetch_factor=4)
    ```

    ## Good example

    ```python
    loader = DataLoader(dataset, batch_size=64, num_workers=4, prefetch_factor=4)
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    yield from merge_per_file(source, _judge_loaders(source))


def _judge_loaders(source: Source) -> Findings:
    for loader in source.loaders:
        value = loader.get("prefetch_factor")
        workers = loader.get("num_workers")
        if (
            value.is_known
            and value.value is not None
            and value.how != "absent"
            and has_no_workers(loader)
        ):
            yield make_code_finding(
                argument_places(loader, value),
                Severity.BREAKS,
                f"{loader_name(loader)} sets prefetch_factor without workers: ValueError",
                in_code(
                    "Make it depend on the number of workers",
                    _format_condition(loader),
                    edits=_make_conditional(loader) if value.how == "literal" else (),
                ),
                confidence=argument_confidence(value, workers),
                prefetch_factor=format_argument(value),
                num_workers=format_argument(workers),
            )
        elif value.value == 0 and has_workers(loader):
            yield make_code_finding(
                argument_places(loader, value),
                Severity.BREAKS,
                f"{loader_name(loader)} has workers with a prefetch factor of zero: AssertionError",
                in_code(
                    "Set a positive prefetch_factor",
                    "prefetch_factor=2",
                    edits=edit_arguments(loader, prefetch_factor="2")
                    if value.how == "literal"
                    else (),
                ),
                prefetch_factor=0,
            )


def _name_workers(loader: LoaderCall) -> str:
    """The name that holds the number of workers, if it may differ from 0."""
    literal = loader.get("num_workers").how == "literal"
    return "" if literal else get_plain_argument(loader, "num_workers")


def _format_condition(loader: LoaderCall) -> str:
    name, factor = _name_workers(loader), loader.get("prefetch_factor").value
    wanted = f"{factor} if {name} > 0 else None" if name else "None"
    return f"DataLoader(..., prefetch_factor={wanted})"


def _make_conditional(loader: LoaderCall) -> Edits:
    """Set it only if there are workers; remove it if there are certainly none."""
    value, name = loader.get("prefetch_factor"), _name_workers(loader)
    if not name:
        return remove_argument(loader, "prefetch_factor", "None")
    wanted = f"{value.value} if {name} > 0 else None"
    return edit_arguments(loader, prefetch_factor=wanted)
