"""PDR412: is a tensor pinned right before its copy?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import PinThenCopy
from pipedoctor_checks._shared.code_finding import (
    group_by_function,
    list_spots,
    make_code_finding,
)


@check("PDR412", "A tensor is pinned only to be copied", fix="code")
def pin_then_copy(source: Source, /) -> Findings:
    """
    Look for `tensor.pin_memory().to(device)`, or `.cuda()`.

    ## Why it hurts

    Pinning copies the tensor once more, and blocks: it can be twice as slow as
    `.to(device)` alone.

    ## How it is judged

    Both calls are in one expression. Pinning by a loader happens in a separate thread,
    and is a different case. With `non_blocking=True` it is a note: pinning costs a copy
    in host memory, but if the GPU has other work, a plain copy would wait for all of
    that. Measure which is faster.

    ## Bad example

    ```python
    def to_gpu(rows):
        return rows.pin_memory().to("cuda")
    ```

    ## Good example

    ```python
    def to_gpu(rows):
        return rows.to("cuda")
    ```

    ## Sources

    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    for group in group_by_function(source.select_events(PinThenCopy)):
        waits = any(event.details.waits for event in group)
        yield make_code_finding(
            list_spots(group),
            Severity.SLOWS if waits else Severity.NOTE,
            f"{group[0].function} pins a tensor only to copy it: {group[0].name}",
            in_code(
                "Copy it without pinning"
                if waits
                else "Copy it without pinning, if that is faster",
                "tensor.to(device)",
                edits=combine_edits(replace_pieces(event, {"pin": ""}) for event in group),
                unsafe="" if waits else "the copy then waits for pending work of the GPU",
            ),
            confidence=Confidence.CERTAIN if waits else Confidence.LIKELY,
        )
