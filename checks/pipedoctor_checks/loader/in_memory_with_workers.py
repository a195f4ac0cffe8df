"""PDR111: do workers only copy what is in memory anyway?"""

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.check.edits import Edits, edit_arguments
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    format_argument,
    is_copy_only,
    is_only_looked_at,
    loader_name,
)
from pipedoctor_checks._shared.merge_per_file import merge_per_file


@check(
    "PDR111",
    "Workers for data that is already in memory",
    fix="code",
    subject="loader",
    merges=True,
)
def in_memory_with_workers(source: Source, /) -> Findings:
    """
    Look for loaders with workers whose dataset only picks items from memory.

    ## Why it hurts

    Each batch is pickled and sent through shared memory: an epoch over a
    TensorDataset took 0.365 s with two workers and 0.099 s without, and 0.028 s by
    indexing whole batches.

    ## How it is judged

    The dataset is a TensorDataset, or a class of the project whose items read, decode
    and transform nothing. A loader with its own collate function is not reported,
    because that function may do real work, nor is a dataset that is only tried out under
    the main guard of its own file.

    ## Bad example

    ```python
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=64, num_workers=4)
    ```

    ## Good example

    ```python
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=64)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """
    yield from merge_per_file(source, _judge_loaders(source))


def _judge_loaders(source: Source) -> Findings:
    for loader in source.loaders:
        tried = loader.testing or is_only_looked_at(source, loader)
        if is_copy_only(loader) and not tried:
            yield make_code_finding(
                loader.places,
                Severity.SLOWS,
                f"{loader_name(loader)} has workers, but its items are already in memory",
                in_code(
                    "Load in the main process, or index whole batches of the tensors",
                    "DataLoader(..., num_workers=0)",
                    edits=_remove_workers(loader),
                    unsafe="items may cost more than the code suggests; measure it",
                ),
                confidence=Confidence.LIKELY,
                counterfactual=Counterfactual(workers=0),
                num_workers=format_argument(loader.get("num_workers")),
                dataset=loader.dataset.name if loader.dataset else "",
            )


_WORKERLESS_ARGUMENTS = {
    "persistent_workers": "False",
    "prefetch_factor": "None",
    "multiprocessing_context": "None",
    "timeout": "0",
}


def _remove_workers(loader: LoaderCall) -> Edits:
    """Set no workers and remove the arguments that require workers."""
    if loader.get("num_workers").how != "literal":
        return ()
    given = {k: v for k, v in _WORKERLESS_ARGUMENTS.items() if k in loader.arguments}
    return edit_arguments(loader, num_workers="0", **given)
