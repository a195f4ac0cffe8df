"""PDR411: is a tensor made on the CPU in every step and then moved?"""

import re
from collections.abc import Sequence

from pipedoctor.check import Finding, Findings, Severity, check, in_code
from pipedoctor.check.edits import (
    Edits,
    combine_edits,
    insert_arguments,
    replace_pieces,
)
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import CreatedThenMoved
from pipedoctor.facts.source import Event, Spot
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)

_EMPTY = compile_lazily(
    r"^(?:\w+\.)*(?:(?:empty|zeros|ones)\([(\[]?0[,)\]]|\w*Tensor\((?:0[,)]|\[\]\)|\))"
    r"|(?:as_)?tensor\(\[\][,)])"
)
"""``torch.empty(0, 4)``, ``torch.tensor([])``: there is nothing to be copied."""


@check("PDR411", "Tensors are created on the CPU and then moved", fix="code", merges=True)
def cpu_create_then_move(source: Source, /) -> Findings:
    """
    Look for new tensors that are moved to a device immediately, in every step.

    ## Why it hurts

    The CPU fills the memory, and a blocking copy transfers it; on the device a single
    kernel would do it.

    ## How it is judged

    A factory function of torch such as `zeros` is called in a loop over batches, in a
    function that such a loop calls in each step, in `forward` of a module, in a function
    that is called a loss or in a loop without gradients, and its result is moved in the
    same expression, or by the variable that keeps it with nothing done in between but a
    change of shape. A
    conversion of a constant or of an array that NumPy makes here is such a function, too. So
    is the copy of a tensor that `__init__` makes on the CPU and that the object keeps there.
    Tensors without elements are not reported.

    ## Bad example

    ```python
    for rows in loader:
        noise = torch.randn(64, 100).to(device)
        generator(noise, rows).backward()
    ```

    ## Good example

    ```python
    for rows in loader:
        noise = torch.randn(64, 100, device=device)
        generator(noise, rows).backward()
    ```

    ## Sources

    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#create-tensors-directly-on-the-target-device
    """
    events = [x for x in source.select_events(CreatedThenMoved) if not _EMPTY.search(x.name)]
    for group in group_by_class([one for one in events if _is_kept(one)]):
        yield _report_kept(group)
    for group in group_by_class([one for one in events if not _is_kept(one)]):
        made = _list_made(group)
        yield make_code_finding(
            [*list_spots(group), *made],
            Severity.NOTE,
            f"{group[0].function} creates tensors on the CPU in every step and then moves them",
            in_code(
                "Create them on the device",
                _name_device(group[0]),
                edits=combine_edits(map(_create_on_device, group)),
                unsafe="different random numbers: the device has its own generator"
                if any(event.details.draws for event in group)
                else "",
            ),
            together=[(event.at, spot) for event in group for spot in made if _is_of(spot, event)],
        )


def _list_made(group: Sequence[Event[CreatedThenMoved]]) -> list[Spot]:
    """Where the variables are given their tensors, which is where the device belongs."""
    moved = {(one.at.path, one.at.line) for one in group}
    lines = {(one.at.path, one.details.made_line) for one in group if one.details.made_line}
    return [
        Spot(path=path, line=line, column=1, end_line=line, end_column=1)
        for path, line in sorted(lines - moved)
    ]


def _is_of(spot: Spot, event: Event[CreatedThenMoved]) -> bool:
    """Is what is copied here made there?"""
    return (spot.path, spot.line) == (event.at.path, event.details.made_line)


def _is_kept(event: Event[CreatedThenMoved]) -> bool:
    """Is it a tensor that an object keeps on the CPU?"""
    return event.details.variable.startswith("self.")


def _report_kept(group: Sequence[Event[CreatedThenMoved]]) -> Finding:
    """Tensors that lie on the CPU all the time, and are copied again in every step."""
    name = group[0].details.variable.removeprefix("self.")
    return make_code_finding(
        list_spots(group),
        Severity.NOTE,
        f"{group[0].function} copies tensors that it keeps on the CPU to the device in every step",
        in_code(
            "Register them as buffers, which move with the module",
            f'self.register_buffer("{name}", ..., persistent=False)',
        ),
    )


def _create_on_device(event: Event[CreatedThenMoved]) -> Edits:
    moved = replace_pieces(event, {"move": ""})
    if event.call is None or not moved:
        return ()
    word = f"device={event.details.device}"
    return (*insert_arguments(event.at, event.call, word), *moved)


def _name_device(event: Event[CreatedThenMoved]) -> str:
    """``torch.zeros(9, device=device)`` for ``torch.zeros(9).to(device)``."""
    device = event.details.device
    made = re.sub(r"\.(?:cuda|to)\([^()]*\)$", "", event.name)
    if not device or made == event.name or not made.endswith(")"):
        return ""
    return f"{made[:-1]}{'' if made.endswith('()') else ', '}device={device})"
