"""PDR411: is a tensor made on the CPU in every step and then moved?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import Edits, every, insert, replaced
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR411", "Tensors are made on the CPU and then moved")
def cpu_create_then_move(source: Source, /) -> Findings:
    """
    Look for new tensors that are moved to a device at once, in every step.

    ## Why it hurts

    The CPU fills memory, and a blocking copy carries it over; on the device it would
    take a single kernel.

    ## How it is judged

    A factory of torch such as `zeros` is called in a loop over batches, and its
    result moved in the same expression.

    ## Sources

    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#create-tensors-directly-on-the-target-device
    """
    for group in by_class(source.of("created-then-moved")):
        yield at(
            spots(group),
            Severity.NOTE,
            f"{group[0].function} makes tensors on the CPU in every step, to move them",
            in_code(
                "Make them there",
                "torch.zeros(size, device=device)",
                edits=every(map(_there, group)),
                unsafe="other random numbers: the device draws its own"
                if any(event.details.get("draws") for event in group)
                else "",
            ),
        )


def _there(event: Event) -> Edits:
    moved = replaced(event, {"move": ""})
    if event.call is None or not moved:
        return ()
    word = f"device={event.details['device']}"
    return (*insert(event.at, event.call, word), *moved)
