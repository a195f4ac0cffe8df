"""PDR202: images become floats in the worker."""

import pytest

from pipedoctor_checks.item.pil_open_to_float_in_item import pil_open_to_float_in_item
from tests.checks.code_samples import find_one, frames, make_tests, rows_training

TO_TENSOR = "self.show = transforms.ToTensor()"
SILENT = {
    "an augmentation in between": frames(
        "return self.t(Image.open(self.files[index]))",
        "self.t = transforms.Compose([transforms.RandomCrop(9), transforms.ToTensor()])",
    ),
    "a palette": frames(
        "return self.t(Image.open(self.files[index]).convert('P'))",
        "self.t = transforms.ToTensor()",
    ),
    "nobody knows the transform": frames("return self.t(Image.open(index))"),
    "made smaller": rows_training(
        TO_TENSOR, "img = Image.open(path)\nimg = img.resize((9, 9))\nreturn self.show(img)"
    ),
}
SPEAKS = {
    "straight to a tensor": frames(
        "img = Image.open(self.files[index]).convert('RGB')\nreturn self.t(img)",
        "self.t = transforms.Compose([transforms.ToTensor()])",
    ),
    "in one expression": frames(
        "return self.t(Image.open(index))", "self.t = transforms.ToTensor()"
    ),
    "in other colors": rows_training(
        TO_TENSOR, "img = Image.open(path)\nimg = img.convert('RGB')\nreturn self.show(img)"
    ),
}
test_silent, test_speaks = make_tests(pil_open_to_float_in_item, SILENT, SPEAKS)


PIL_TO_TENSOR = "torchvision.transforms.PILToTensor()"
TO_TENSOR_OF_VISION = "torchvision.transforms.ToTensor()"


@pytest.mark.parametrize(
    ("item", "init", "snippet"),
    [
        (
            "return transforms.ToTensor()(Image.open(index))",
            "",
            "transforms.PILToTensor()  # in place of transforms.ToTensor()",
        ),
        (
            "return self.t(Image.open(self.raw[index]))",
            "self.t = transforms.Compose([transforms.ToTensor()])",
            f"import torchvision\n\n{PIL_TO_TENSOR}  # in place of {TO_TENSOR_OF_VISION}",
        ),
        (
            "pic = Image.open(index)\nreturn np.asarray(pic, dtype=np.float32)",
            "",
            "np.asarray(pic)  # no float, and no division",
        ),
    ],
)
def test_the_remedy_keeps_the_bytes_that_the_code_opens(item: str, init: str, snippet: str) -> None:
    (remedy,) = find_one(pil_open_to_float_in_item, frames(item, init or "self.x = 1")).remedies

    assert remedy.snippet == snippet
