"""PDR202: is an image turned into floats right after it is opened?"""

from pipedoctor.check import Confidence, Counterfactual, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR202", "Images become floats in the worker")
def pil_open_to_float_in_item(source: Source, /) -> Findings:
    """
    Look for images that are opened and made float tensors with nothing in between.

    ## Why it hurts

    Floats are four times the bytes to convert, to collate and to send through shared
    memory: a 640x480 JPEG took 5.0 ms as float, 1.9 ms kept as bytes.

    ## How it is judged

    The result of `PIL.Image.open`, at most converted to RGB, goes straight to
    ToTensor or to a Compose that begins with it. Transforms of PIL images in between,
    palettes and greyscale are left alone.

    ## Sources

    - https://docs.pytorch.org/vision/stable/generated/torchvision.io.decode_image.html
    """
    events = source.per_item("float-image")
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.NOTE,
            f"{first.function} decodes an image to floats in the worker",
            in_code(
                "Decode to bytes, and convert on the device",
                "image = torchvision.io.decode_image(path)",
            ),
            confidence=Confidence.LIKELY,
            counterfactual=Counterfactual(uint8=True),
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
