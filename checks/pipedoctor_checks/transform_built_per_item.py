"""PDR215: is a pipeline of transforms built for every item?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import every, rewritten
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR215", "Transforms are built for every item")
def transform_built_per_item(source: Source, /) -> Findings:
    """
    Look for pipelines of transforms that are built again for every item.

    ## Why it hurts

    Building them costs time in each item, and whatever state they keep starts anew.

    ## How it is judged

    A Compose of torchvision, albumentations, imgaug or MONAI is made in code that
    runs for items.

    ## Sources

    - https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.v2.Compose.html
    """
    events = [
        e for e in source.per_item("transform-built") if not e.details.get("lazy")
    ]
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.NOTE,
            f"{first.function} builds its transforms for every item",
            in_code(
                "Build them once, in __init__",
                edits=every(map(rewritten, group)) if len(group) == 1 else (),
                unsafe="they keep what state they have from item to item",
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
