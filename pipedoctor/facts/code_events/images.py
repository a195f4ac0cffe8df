"""
Events of the code that makes one item from images; it runs in the workers.

Each example stands in ``__getitem__(self, index)`` of a dataset.
"""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from pipedoctor.facts.code_events.details import EventDetails


class BgrImage(EventDetails, frozen=True, kw_only=True):
    """
    An image stays in OpenCV's order of colors, and is normalised for RGB.

        image = cv2.imread(self.files[index])
        return (image / 255 - [0.485, 0.456, 0.406]) / 0.25
    """

    kind: ClassVar[str] = "bgr"

    local: str | UnsetType = UNSET


class FloatImage(EventDetails, frozen=True, kw_only=True):
    """
    An image becomes floats as soon as it is opened.

        to_tensor = transforms.ToTensor()
        return to_tensor(Image.open(self.files[index]))
    """

    kind: ClassVar[str] = "float-image"
    opened: str = ""
    """What is opened, as it is written: ``self.files[index]``."""
    variable: str = ""
    """The variable that holds the opened image, if there is one."""


class OpenCVCall(EventDetails, frozen=True, kw_only=True):
    """
    OpenCV is called.

        image = cv2.resize(cv2.imread(self.files[index]), (224, 224))
    """

    kind: ClassVar[str] = "cv2"
