"""PDR215: is a pipeline of transforms built for every item?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.edits import rewritten
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots, together


@check("PDR215", "Transforms are built for every item")
def transform_built_per_item(source: Source, /) -> Findings:
    """
    Look for pipelines of transforms that are built again for every item.

    ## Why it hurts

    Building them costs time in each item, and whatever state they keep starts anew.

    ## How it is judged

    A Compose of torchvision, albumentations, imgaug or MONAI is made in code that
    runs for items. Classes that nobody can edit for the user are one finding.

    ## Sources

    - https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.v2.Compose.html
    """
    events = [
        e for e in source.per_item("transform-built") if not e.details.get("lazy")
    ]
    alone, others = list[list[Event]](), list[list[Event]]()
    for group in by_class(events):
        edits = len(group) == 1 and rewritten(group[0])
        (alone if edits else others).append(group)
    for groups in (*([group] for group in alone), others):
        if groups:
            yield _said(groups)


def _said(groups: list[list[Event]]) -> Finding:
    events = [event for group in groups for event in group]
    first = events[0]
    whose = "its" if len(groups) == 1 else "their"
    return at(
        spots(events),
        Severity.NOTE,
        f"{together(groups, 'build')} {whose} transforms for every item",
        in_code(
            "Build them once, in __init__",
            edits=rewritten(first) if len(events) == 1 else (),
            unsafe="they keep what state they have from item to item",
        ),
        confidence=Confidence.LIKELY,
        calls=sorted({event.name for event in events}),
        function=first.function,
        dataset=first.details.get("dataset", ""),
    )
