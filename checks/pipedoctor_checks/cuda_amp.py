"""PDR601: are the old names of mixed precision used?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import Edits, every, replaced
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor.versions import reaches
from pipedoctor_checks._code import at, by_file, spots
from pipedoctor_checks._start import least_torch


@check("PDR601", "Old names of mixed precision")
def cuda_amp(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for `torch.cuda.amp`.

    ## Why it hurts

    From torch 2.4 on it warns in each run (FutureWarning), and it may be gone in a
    later one.

    ## How it is judged

    The old name is called, and not in a branch for old versions beside the new one.
    Below 2.4 the new one may not be there for all devices: the note says from which
    version on.

    ## Sources

    - https://docs.pytorch.org/docs/stable/amp.html
    """
    least = least_torch(source, torch)[0]
    for group in by_file(source.of("cuda-amp")):
        yield at(
            spots(group),
            Severity.NOTE,
            f"{group[0].name} is deprecated from torch 2.4 on",
            in_code(
                "Use the name for all devices",
                _now(group[0].name),
                edits=_renamed(source, group[0], least),
                unsafe="" if least else "needs torch 2.4 or newer",
            ),
            names=sorted({event.name for event in group}),
        )


def _now(name: str) -> str:
    last = name.rpartition(".")[2]
    given = "device_type='cuda'" if last.startswith("custom") else "'cuda'"
    return f"torch.amp.{last}({given})"


def _renamed(source: Source, event: Event, least: str) -> Edits:
    """All of the file at once, for what is imported must be what is called."""
    if least and not reaches(least, "2.4"):
        return ()
    mine = [e for e in source.of("cuda-amp") if e.at.path == event.at.path]
    imported = any("module" in one.spans for one in mine)
    calls = [one for one in mine if one.details.get("given") is not None]
    return every(_new(one, imported=imported) for one in calls)


def _new(event: Event, *, imported: bool) -> Edits:
    """The old module goes, and the device comes first."""
    if "module" in event.spans:
        return replaced(event, {"module": "torch.amp"})
    if "cuda" not in event.spans and not imported:
        return ()
    text = {"first": str(event.details.get("first")), "cuda": ""}
    return replaced(event, {k: text[k] for k in text if k in event.spans})
