"""PDR202: images become floats in the worker."""

from pipedoctor_checks.item.pil_open_to_float_in_item import pil_open_to_float_in_item
from tests.checks.code_samples import frames, make_tests, rows_training

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
