"""PDR203: is an image in OpenCV's order normalised for RGB?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import Edits, every, replaced
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR203", "Blue and red are swapped")
def cv2_bgr(source: Source, /) -> Findings:
    """
    Look for images of OpenCV normalised with ImageNet's statistics as they are.

    ## Why it hurts

    OpenCV reads blue, green, red; the statistics and the weights are for red, green,
    blue. Nothing fails, the accuracy is lower.

    ## How it is judged

    Neither the files of the data set nor those that its items reach turn the order
    anywhere, and ImageNet's means stand in them. Greyscale and unchanged images are
    left alone.

    ## Sources

    - https://docs.opencv.org/4.x/d4/da8/group__imgcodecs.html
    - https://docs.pytorch.org/vision/stable/models.html
    """
    events = source.per_item("bgr")
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.RISKS,
            f"{first.function} reads in the order BGR, but normalises for RGB",
            in_code(
                "Turn the order",
                "image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)",
                edits=every(map(_turned, group)),
                unsafe="a model that was trained on swapped colours expects them",
            ),
            confidence=Confidence.POSSIBLE,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )


def _turned(event: Event) -> Edits:
    cv2 = event.details.get("local", "cv2")
    around = {"start": f"{cv2}.cvtColor(", "end": f", {cv2}.COLOR_BGR2RGB)"}
    return replaced(event, around)
