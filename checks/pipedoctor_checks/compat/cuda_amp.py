"""PDR601: are the old names of mixed precision used?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, combine_edits, replace_pieces
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.facts.code_events.program import OldAmpUse
from pipedoctor.facts.source import Event
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared.code_finding import (
    group_by_file,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.start_method import oldest_torch


@check("PDR601", "Deprecated mixed-precision API", fix="code", merges=True)
def cuda_amp(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for `torch.cuda.amp`.

    ## Why it hurts

    From torch 2.4 on each run shows a FutureWarning, and a later version may remove the
    name.

    ## How it is judged

    The old name is called, and not in a branch for old versions next to the new name.
    Below 2.4 the new name may not exist for all devices: the note states the version
    that added it.

    ## Bad example

    ```python
    with torch.cuda.amp.autocast():
        loss = model(rows)
    ```

    ## Good example

    ```python
    with torch.amp.autocast("cuda"):
        loss = model(rows)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/amp.html
    """
    least = oldest_torch(source, torch)[0]
    for group in group_by_file(source.select_events(OldAmpUse)):
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE,
            f"{group[0].name} is deprecated from torch 2.4 on",
            in_code(
                "Use the device-independent name",
                _new_call(group[0].name),
                edits=_rename_calls(source, group[0], least),
                unsafe="" if least else "needs torch 2.4 or newer",
            ),
            names=sorted({event.name for event in group}),
        )


def _new_call(name: str) -> str:
    last = name.rpartition(".")[2]
    given = "device_type='cuda'" if last.startswith("custom") else "'cuda'"
    return f"torch.amp.{last}({given})"


def _rename_calls(source: Source, event: Event[OldAmpUse], least: str) -> Edits:
    """Rename all calls of the file at once, because imports and calls must agree."""
    if least and not is_at_least(least, "2.4"):
        return ()
    mine = [e for e in source.select_events(OldAmpUse) if e.at.path == event.at.path]
    imported = any("module" in one.spans for one in mine)
    return combine_edits(_rename_call(one, imported=imported) for one in mine)


def _rename_call(event: Event[OldAmpUse], *, imported: bool) -> Edits:
    """Replace the old module, and put the device first."""
    if "module" in event.spans:
        return replace_pieces(event, {"module": "torch.amp"})
    if "cuda" not in event.spans and not imported:
        return ()
    text = {"first": event.details.first or "", "cuda": ""}
    return replace_pieces(event, {k: text[k] for k in text if k in event.spans})
