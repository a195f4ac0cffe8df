"""PDR412: is a tensor pinned right before its copy?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import every, replaced
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_function, spots


@check("PDR412", "A tensor is pinned only to be copied")
def pin_then_copy(source: Source, /) -> Findings:
    """
    Look for `tensor.pin_memory().to(device)`, or `.cuda()`.

    ## Why it hurts

    Pinning copies the tensor once more, and blocks: it can be twice as slow as
    `.to(device)` alone.

    ## How it is judged

    Both calls stand in one expression. A loader pins in a thread of its own, which is
    another matter. With `non_blocking=True` it is a note: pinning costs a copy in host
    memory, but where the GPU has work to do meanwhile, a plain copy would wait for all
    of that. Measure which of the two is less.

    ## Sources

    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    for group in by_function(source.of("pin-then-copy")):
        waits = any(event.details.get("waits") for event in group)
        yield at(
            spots(group),
            Severity.SLOWS if waits else Severity.NOTE,
            f"{group[0].function} pins a tensor only to copy it: {group[0].name}",
            in_code(
                "Copy it as it is" if waits else "Copy it as it is, if that is faster",
                "tensor.to(device)",
                edits=every(replaced(event, {"pin": ""}) for event in group),
                unsafe=""
                if waits
                else "the copy then waits for what the GPU has to do",
            ),
            confidence=Confidence.CERTAIN if waits else Confidence.LIKELY,
        )
