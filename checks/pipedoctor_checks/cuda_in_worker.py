"""PDR301: does code for items touch CUDA?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR301", "Code for items touches the GPU")
def cuda_in_worker(source: Source, /) -> Findings:
    """
    Look for CUDA in code that runs in workers.

    ## Why it hurts

    A forked worker cannot use a CUDA that its parent has begun to use: Cannot re-
    initialize CUDA in forked subprocess. Tensors on the GPU that travel through the
    queue of a worker are freed too early or too late.

    ## How it is judged

    `.cuda()`, `.to("cuda")` or a call of `torch.cuda` stands in code that runs for
    items. A device in a variable may be the CPU, and is left alone. Without workers
    it works, so this is likely.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
    - https://github.com/pytorch/pytorch/issues/40403
    """
    events = [
        e
        for e in source.per_item("cuda")
        if not any("worker_info" in g or "is_cuda" in g for g in e.guards)
    ]
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.BREAKS,
            f"{first.function} uses CUDA, which a forked worker cannot",
            in_code("Move to the device after the loader, in the loop"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
