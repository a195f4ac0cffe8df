"""PDR111: do workers only copy what is in memory anyway?"""

from pipedoctor.check import Confidence, Counterfactual, Findings, Severity, check
from pipedoctor.edits import Edits, arguments
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, only_copies, told


@check("PDR111", "Workers for data that lies in memory")
def in_memory_with_workers(source: Source, /) -> Findings:
    """
    Look for workers whose data set only picks items from memory.

    ## Why it hurts

    Each batch is pickled and sent through shared memory: an epoch over a
    TensorDataset took 0.365 s with two workers and 0.099 s without, and 0.028 s by
    indexing whole batches.

    ## How it is judged

    The data set is a TensorDataset, or one of the project whose items read, decode
    and transform nothing; a collate function of its own may be work, and is left
    alone.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """
    yield from alike(source, _found(source))


def _found(source: Source) -> Findings:
    for loader in source.loaders:
        if only_copies(loader) and not loader.testing:
            yield at(
                [loader.at],
                Severity.SLOWS,
                f"{called(loader)} has workers, but its items lie in memory",
                in_code(
                    "Load in the process itself, or index whole batches of the tensors",
                    "DataLoader(..., num_workers=0)",
                    edits=_alone(loader),
                    unsafe="items may cost more than their names tell; measure it",
                ),
                confidence=Confidence.LIKELY,
                counterfactual=Counterfactual(workers=0),
                num_workers=told(loader.get("num_workers")),
                dataset=loader.dataset.name if loader.dataset else "",
            )


_WORKLESS = {
    "persistent_workers": "False",
    "prefetch_factor": "None",
    "multiprocessing_context": "None",
    "timeout": "0",
}


def _alone(loader: LoaderCall) -> Edits:
    """No workers, and nothing that a loader without workers refuses."""
    if loader.get("num_workers").how != "literal":
        return ()
    given = {k: v for k, v in _WORKLESS.items() if k in loader.arguments}
    return arguments(loader, num_workers="0", **given)
