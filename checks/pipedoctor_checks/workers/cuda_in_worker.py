"""PDR301: does code for items touch CUDA?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import CudaUse
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.loader_calls import has_no_workers, has_workers
from pipedoctor_checks._shared.own_names import choose_expression


@check("PDR301", "CUDA is used while items are loaded", subject="item")
def cuda_in_worker(source: Source, /) -> Findings:
    """
    Look for CUDA in code that runs in workers.

    ## Why it hurts

    A forked worker cannot use CUDA once its parent has initialized it: Cannot
    re-initialize CUDA in forked subprocess. GPU tensors sent through the queue of a
    worker are freed too early or too late.

    ## How it is judged

    `.cuda()`, `.to("cuda")`, `device="cuda"` or a call of `torch.cuda` is in code that runs
    for items. A device in a variable counts if the code makes it a GPU wherever there is
    one; what may be the CPU on purpose is not reported. It breaks where a loader of
    the dataset has workers; it is a risk where no such loader is seen, or the number of
    its workers is not; and a note where all of them load in the training process, in
    which it works.

    ## Bad example

    ```python
    class Rows(Dataset):
        def __getitem__(self, index):
            return torch.from_numpy(self.rows[index]).cuda()
    ```

    ## Good example

    ```python
    class Rows(Dataset):
        def __getitem__(self, index):
            return torch.from_numpy(self.rows[index])
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
    - https://github.com/pytorch/pytorch/issues/40403
    """
    events = [
        e
        for e in source.select_item_events(CudaUse)
        if not any("worker_info" in g or "is_cuda" in g for g in e.guards)
    ]
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            severity := _choose_severity(source, first),
            f"{first.function} uses CUDA, which fails in a forked worker"
            + ("; its loaders have none" if severity is Severity.NOTE else ""),
            in_code(
                "Move data to the device in the training loop, after the loader",
                _stay_on_host(first),
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )


def _choose_severity(source: Source, event: Event[CudaUse]) -> Severity:
    """By the workers of the loaders that are given this dataset."""
    real = [one for one in source.loaders if not one.testing]
    name = event.dataset.rpartition(".")[2]
    mine = [x for x in real if x.dataset and x.dataset.name.rpartition(".")[2] == name]
    users = mine if name else real
    if any(map(has_workers, users)):
        return Severity.BREAKS
    return Severity.NOTE if users and all(map(has_no_workers, users)) else Severity.RISKS


def _stay_on_host(event: Event[CudaUse]) -> str:
    """``x`` in place of ``x.cuda()``; empty: it is another call of CUDA."""
    tensor = choose_expression(event.details.tensor, "")
    call = choose_expression(event.details.call, "")
    return f"{tensor}  # in place of {call}" if tensor and call else ""
