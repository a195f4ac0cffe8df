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


@pytest.mark.parametrize(
    ("opened", "snippet"),
    [
        (
            "self.files[index]",
            "import torchvision\n\npic = torchvision.io.decode_image(self.files[index])",
        ),
        ("io.BytesIO(self.raw[index])", ""),
    ],
)
def test_the_remedy_reads_the_same_file_into_the_same_variable(opened: str, snippet: str) -> None:
    code = frames(
        f"pic = Image.open({opened})\nreturn self.t(pic)",
        "self.t = transforms.Compose([transforms.ToTensor()])",
    )

    (remedy,) = find_one(pil_open_to_float_in_item, code).remedies

    assert remedy.snippet == snippet
