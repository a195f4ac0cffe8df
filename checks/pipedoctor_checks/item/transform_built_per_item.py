"""PDR215: is a pipeline of transforms built for every item?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check, in_code
from pipedoctor.check.edits import rewrite_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import TransformConstruction
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
    name_functions,
)


@check("PDR215", "Transforms are built for every item", fix="code", subject="item", merges=True)
def transform_built_per_item(source: Source, /) -> Findings:
    """
    Look for pipelines of transforms that are built again for every item.

    ## Why it hurts

    Building them costs time for each item, and any state they keep is reset.

    ## How it is judged

    A Compose of torchvision, albumentations, imgaug or MONAI is created in code that
    runs for items. Classes that cannot be edited automatically are reported in one
    finding.

    ## Bad example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            transform = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224)])
            return transform(self.images[index])
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __init__(self, images):
            self.images = images
            self.transform = transforms.Compose(
                [transforms.Resize(256), transforms.CenterCrop(224)]
            )

        def __getitem__(self, index):
            return self.transform(self.images[index])
    ```

    ## Sources

    - https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.v2.Compose.html
    """
    events = [e for e in source.select_item_events(TransformConstruction) if not e.details.lazy]
    alone, others = (
        list[list[Event[TransformConstruction]]](),
        list[list[Event[TransformConstruction]]](),
    )
    for group in group_by_class(events):
        edits = len(group) == 1 and rewrite_pieces(group[0])
        (alone if edits else others).append(group)
    for groups in (*([group] for group in alone), others):
        if groups:
            yield _report_building(groups)


def _report_building(groups: list[list[Event[TransformConstruction]]]) -> Finding:
    events = [event for group in groups for event in group]
    first = events[0]
    whose = "its" if len(groups) == 1 else "their"
    return make_code_finding(
        list_spots(events),
        Severity.NOTE,
        f"{name_functions(groups, 'build')} {whose} transforms for every item",
        in_code(
            "Build them once, in __init__",
            edits=rewrite_pieces(first) if len(events) == 1 else (),
            unsafe="any state in the transforms is kept from item to item",
        ),
        confidence=Confidence.LIKELY,
        calls=sorted({event.name for event in events}),
        function=first.function,
        dataset=first.dataset,
    )
