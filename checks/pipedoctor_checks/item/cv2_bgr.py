"""PDR203: is an image in OpenCV's order normalised for RGB?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, combine_edits, replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.images import BgrImage
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_name


@check("PDR203", "Red and blue channels are swapped", fix="code", subject="item")
def cv2_bgr(source: Source, /) -> Findings:
    """
    Look for images read by OpenCV and normalized with ImageNet's statistics unconverted.

    ## Why it hurts

    OpenCV reads blue, green, red; the statistics and the weights are for red, green,
    blue. Nothing fails, but accuracy is lower.

    ## How it is judged

    Neither the files of the dataset nor the files that its items call convert the
    channel order, and they contain ImageNet's means. Greyscale and unchanged images are
    not reported.

    ## Bad example

    ```python
    cv2.setNumThreads(0)
    normalize = transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))

    class Images(Dataset):
        def __getitem__(self, index):
            image = cv2.imread(self.files[index])
            return normalize(transforms.functional.to_tensor(image))
    ```

    ## Good example

    ```python
    cv2.setNumThreads(0)
    normalize = transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))

    class Images(Dataset):
        def __getitem__(self, index):
            image = cv2.cvtColor(cv2.imread(self.files[index]), cv2.COLOR_BGR2RGB)
            return normalize(transforms.functional.to_tensor(image))
    ```

    ## Sources

    - https://docs.opencv.org/4.x/d4/da8/group__imgcodecs.html
    - https://docs.pytorch.org/vision/stable/models.html
    """
    events = source.select_item_events(BgrImage)
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            Severity.RISKS,
            f"{first.function} reads images as BGR, but normalizes them as RGB",
            in_code(
                "Convert BGR to RGB",
                "{0} = cv2.cvtColor({0}, cv2.COLOR_BGR2RGB)".format(
                    choose_name(first.details.local, "image")
                ),
                edits=combine_edits(map(_convert_to_rgb, group)),
                unsafe="a model trained with swapped channels expects them",
            ),
            confidence=Confidence.POSSIBLE,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )


def _convert_to_rgb(event: Event[BgrImage]) -> Edits:
    cv2 = event.details.local or "cv2"
    around = {"start": f"{cv2}.cvtColor(", "end": f", {cv2}.COLOR_BGR2RGB)"}
    return replace_pieces(event, around)
