"""PDR412: is a tensor pinned right before its copy?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import replaced
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR412", "A tensor is pinned only to be copied")
def pin_then_copy(source: Source, /) -> Findings:
    """
    Look for `tensor.pin_memory().to(device)`.

    ## Why it hurts

    Pinning copies the tensor once more, and blocks: it can be twice as slow as
    `.to(device)` alone.

    ## How it is judged

    Both calls stand in one expression. A loader pins in a thread of its own, which is
    another matter.

    ## Sources

    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    for event in source.of("pin-then-copy"):
        yield at(
            [event.at],
            Severity.SLOWS,
            f"{event.function} pins a tensor only to copy it: {event.name}",
            in_code(
                "Copy it as it is",
                "tensor.to(device)",
                edits=replaced(event, {"pin": ""}),
            ),
        )
