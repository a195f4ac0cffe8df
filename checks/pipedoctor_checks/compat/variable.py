"""PDR605: is Variable still used?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, combine_edits, replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.program import VariableWrapper
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_file,
    list_spots,
    make_code_finding,
    name_functions,
)


@check("PDR605", "Variable is a leftover from torch 0.3", fix="code", merges=True)
def variable(source: Source, /) -> Findings:
    """
    Look for `torch.autograd.Variable`.

    ## Why it hurts

    Tensors do not need it since torch 0.4, and it hides a side effect: it detaches its
    argument from the graph, so no gradient flows back through it (seen on torch 2.13:
    `Variable(2 * weight).requires_grad` is False).

    ## How it is judged

    Variable is called. A batch of a loader, or a tensor made from plain numbers in the
    call, has no graph, and removing Variable changes nothing; elsewhere `detach()` states
    the effect. With
    `requires_grad=True` it does what `detach().requires_grad_()` does. `volatile=True`
    has had no effect since 0.4: the graph is kept, and so is its memory. What is only no
    longer needed is reported once per project, apart from files that no edit fits.

    ## Bad example

    ```python
    from torch.autograd import Variable

    inputs = Variable(torch.zeros(8))
    ```

    ## Good example

    ```python
    inputs = torch.zeros(8)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
    """
    every_one = source.select_events(VariableWrapper)
    wanting = [e for e in every_one if e.details.wants_grad]
    frozen = [e for e in every_one if e.details.volatile]
    plain = [e for e in every_one if e not in wanting and e not in frozen]
    for group in group_by_file(frozen):
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE if _is_constant(group) else Severity.RISKS,
            f"{group[0].function} uses volatile, which has had no effect since torch 0.4",
            in_code("Disable gradients explicitly", "with torch.no_grad():"),
            names=sorted({event.name for event in group}),
        )
    groups = list(group_by_file(wanting))
    if plain:  # one finding: the call goes, whether or not a gradient is wanted
        yield from _report_plain([*group_by_file(plain), *groups])
        return
    for group in groups:
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE,
            f"{group[0].function} wraps a tensor in Variable only for its gradient",
            in_code(
                "Call requires_grad_() on the tensor itself",
                edits=combine_edits(_remove_variable(event, group) for event in group),
            ),
            names=sorted({event.name for event in group}),
        )


def _report_plain(groups: list[list[Event[VariableWrapper]]]) -> Findings:
    """Once for all files that can be edited, and once for all others."""
    edits = [combine_edits(_remove_variable(event, group) for event in group) for group in groups]
    for editable in (True, False):
        pairs = [(g, its) for g, its in zip(groups, edits, strict=True) if bool(its) is editable]
        if not pairs:
            continue
        events = [event for group, _ in pairs for event in group]
        wraps = name_functions([group for group, _ in pairs], "wrap")
        yield make_code_finding(
            list_spots(events),
            Severity.NOTE,
            f"{wraps} tensors in Variable, which is no longer needed",
            in_code(
                "Remove it; detach() says that no gradient flows through",
                edits=combine_edits(its for _, its in pairs),
            ),
            names=sorted({event.name for event in events}),
        )


def _is_constant(group: list[Event[VariableWrapper]]) -> bool:
    """Is it a constant stored in an object, through which no batch passes?"""
    return all(event.function.endswith("__init__") for event in group)


def _remove_variable(event: Event[VariableWrapper], group: list[Event[VariableWrapper]]) -> Edits:
    """
    ``x`` or ``x.detach().requires_grad_()``: exactly what the call gave.

    Lines that would then only give names what they have already go.
    """
    lines = event.spans.get("lines")
    if lines and all(other.details.leaf for other in group if other.spans.get("lines") == lines):
        return replace_pieces(event, {"lines": ""})
    fresh = "" if event.details.leaf else ".detach()"
    after = fresh + (".requires_grad_()" if event.details.wants_grad else "")
    pieces = {"open": "", "close": after, "left": "(", "right": f"){after}"}
    known = {name: pieces[name] for name in event.spans if name in pieces}
    whole = known.keys() in ({"open", "close"}, {"left", "right"})
    return replace_pieces(event, known) if whole else ()
