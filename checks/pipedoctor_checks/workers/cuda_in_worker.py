"""PDR301: does code for items touch CUDA?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import CudaUse
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR301", "Code for items uses CUDA", subject="item")
def cuda_in_worker(source: Source, /) -> Findings:
    """
    Look for CUDA in code that runs in workers.

    ## Why it hurts

    A forked worker cannot use CUDA once its parent has initialized it: Cannot
    re-initialize CUDA in forked subprocess. GPU tensors sent through the queue of a
    worker are freed too early or too late.

    ## How it is judged

    `.cuda()`, `.to("cuda")` or a call of `torch.cuda` is in code that runs for items. A
    device in a variable may be the CPU, and is not reported. The finding is likely,
    because the code works without workers.

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
            Severity.BREAKS,
            f"{first.function} uses CUDA, which fails in a forked worker",
            in_code("Move data to the device in the training loop, after the loader"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )
