"""PDR202: is an image turned into floats right after it is opened?"""

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.images import FloatImage
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR202", "Images are converted to float in the worker", subject="item", merges=True)
def pil_open_to_float_in_item(source: Source, /) -> Findings:
    """
    Look for images that are opened and converted straight to float tensors.

    ## Why it hurts

    Floats mean four times the bytes to convert, to collate and to send through shared
    memory: a 640x480 JPEG took 5.0 ms as float, 1.9 ms kept as bytes.

    ## How it is judged

    The result of `PIL.Image.open`, or of a function that returns it, converted to RGB at most,
    goes straight to ToTensor or to a Compose that begins with it. Images with PIL transforms
    in between, palette images and greyscale images are not reported. The same for what OpenCV,
    imageio, PyAV or decord decode, and for arrays of uint8, where the same function returns
    floats of them; what may have sixteen bits is not reported.

    ## Bad example

    ```python
    class Images(Dataset):
        def __init__(self, files):
            self.files = files
            self.transform = transforms.ToTensor()

        def __getitem__(self, index):
            return self.transform(Image.open(self.files[index]).convert("RGB"))
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __init__(self, files):
            self.files = files
            self.transform = transforms.PILToTensor()

        def __getitem__(self, index):
            return self.transform(Image.open(self.files[index]).convert("RGB"))
    ```

    ## Sources

    - https://docs.pytorch.org/vision/stable/generated/torchvision.io.decode_image.html
    """
    events = source.select_item_events(FloatImage)
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE,
            f"{first.function} decodes images to float in the worker",
            in_code(
                "Keep the bytes, and convert batches on the device: batch.float().div_(255)",
                _keep_bytes(first),
            ),
            confidence=Confidence.LIKELY,
            counterfactual=Counterfactual(uint8=True),
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )


def _keep_bytes(event: Event[FloatImage]) -> str:
    """What makes a tensor of bytes where the code makes one of floats."""
    called, image = event.name, event.details.variable
    for floats, same in _BYTES.items():
        if floats in called:
            return f"{called.replace(floats, same)}  # in place of {called}"
    if called.rpartition(".")[2] in {"array", "asarray"} and image:
        return f"{called}({image})  # no float, and no division"
    if not event.details.opened:
        return ""
    made = "torchvision.transforms"
    return f"import torchvision\n\n{made}.PILToTensor()  # in place of {made}.ToTensor()"


_BYTES = {"ToTensor": "PILToTensor", "to_tensor": "pil_to_tensor"}
