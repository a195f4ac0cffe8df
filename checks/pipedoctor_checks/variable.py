"""PDR605: is Variable still used?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import Edits, every, replaced
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_file, spots

_GRAPH = "gradients then pass where Variable stopped them"


@check("PDR605", "Variable is left over from torch 0.3")
def variable(source: Source, /) -> Findings:
    """
    Look for `torch.autograd.Variable`.

    ## Why it hurts

    No tensor needs it since torch 0.4, and it hides what it still does: it takes what
    it is given off its graph, so no gradient flows back through it (seen on torch 2.13:
    `Variable(2 * weight).requires_grad` is False).

    ## How it is judged

    It is called. What is made from plain numbers there has no graph, and leaving it out
    changes nothing; elsewhere `detach()` says what it does. With `requires_grad=True`
    it does one thing, which the tensor can do. `volatile=True` has stopped nothing
    since 0.4: the graph is kept again, and the memory that it takes.

    ## Sources

    - https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
    """
    every_one = source.of("variable")
    wanting = [e for e in every_one if e.details.get("wants_grad")]
    frozen = [e for e in every_one if e.details.get("volatile")]
    plain = [e for e in every_one if e not in wanting and e not in frozen]
    for group in by_file(frozen):
        yield at(
            spots(group),
            Severity.NOTE if _made_once(group) else Severity.RISKS,
            f"{group[0].function} asks for volatile, which has stopped no gradient"
            " since torch 0.4",
            in_code("Say that no gradient is needed", "with torch.no_grad():"),
            names=sorted({event.name for event in group}),
        )
    for group in by_file(plain):
        yield at(
            spots(group),
            Severity.NOTE,
            f"{group[0].function} wraps tensors in Variable, which none needs any more",
            in_code(
                "Leave it out, or say detach() where no gradient shall pass",
                edits=every(map(_bare, group)),
                unsafe="" if all(e.details.get("leaf") for e in group) else _GRAPH,
            ),
            names=sorted({event.name for event in group}),
        )
    for group in by_file(wanting):
        yield at(
            spots(group),
            Severity.NOTE,
            f"{group[0].function} wraps a tensor in Variable only for its gradient",
            in_code("Ask the tensor for it", "tensor.requires_grad_()"),
            names=sorted({event.name for event in group}),
        )


def _made_once(group: list[Event]) -> bool:
    """Is it a constant that an object keeps, and nothing that a batch goes through?"""
    return all(event.function.endswith("__init__") for event in group)


def _bare(event: Event) -> Edits:
    return replaced(event, dict.fromkeys(event.spans, "")) if event.spans else ()
