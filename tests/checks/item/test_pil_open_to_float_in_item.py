"""PDR202: images become floats in the worker."""

import pytest

from pipedoctor_checks.item.pil_open_to_float_in_item import pil_open_to_float_in_item
from tests.checks.code_samples import find_one, frames, make_tests, rows_training

TO_TENSOR = "self.show = transforms.ToTensor()"
RGB = "Image.open(self.files[index]).convert('RGB')"
HELPER = "    def take(self, x):\n        {}\n        return x\n"
OPENER = """
def read(path):
    with open(path, "rb") as file:
        image = Image.open(file)
        {change}
        return image.convert("RGB")
"""
READS = frames(
    "x = self.read(index)\nif self.t is not None:\n    x = self.t(x)\nreturn x",
    "self.read = read\nself.t = transforms.Compose([transforms.ToTensor()])",
)
SILENT = {
    "opened by a function that makes it smaller": OPENER.format(
        change="image = image.resize((9, 9))"
    )
    + READS,
    "opened by a function that reads arrays, too": OPENER.format(
        change="if path.endswith('.npy'):\n            return np.load(path)"
    )
    + READS,
    "bytes again": frames(
        "x = cv2.imread(index)\nx = x.astype(float) * 0.5\nx = x.astype(np.uint8)\nreturn x"
    ),
    "a list that is not returned": frames("x = cv2.imread(index)\nself.all.append(x.float())"),
    "an augmentation in between": frames(
        "return self.t(Image.open(self.files[index]))",
        "self.t = transforms.Compose([transforms.RandomCrop(9), transforms.ToTensor()])",
    ),
    "a palette": frames(
        "return self.t(Image.open(self.files[index]).convert('P'))",
        "self.t = transforms.ToTensor()",
    ),
    "nobody knows the transform": frames("return self.t(Image.open(index))"),
    "an array that stays bytes": frames(f"x = np.array({RGB})\nreturn torch.from_numpy(x)"),
    "an image that may have sixteen bits": frames("return np.array(Image.open(index)) / 255"),
    "the size of an image": frames(f"x = np.array({RGB})\nreturn x.shape[0] / 2"),
    "made smaller": rows_training(
        TO_TENSOR, "img = Image.open(path)\nimg = img.resize((9, 9))\nreturn self.show(img)"
    ),
    "converted by a method that may be given floats": frames(
        "return self.take(cv2.imread(index)), self.take(np.load(index))"
    )
    + HELPER.format("x = x.astype(np.float32)"),
}
SPEAKS = {
    "made smaller where somebody asks for it": frames(
        "x = Image.open(index)\nif self.size is not None:\n    x = x.resize(self.size)\n"
        "return self.t(x)",
        "self.t = transforms.ToTensor()",
    ),
    "opened by a function": OPENER.format(change="pass") + READS,
    "opened by torchvision": "from torchvision.datasets.folder import default_loader\n"
    + frames("return self.t(default_loader(index))", "self.t = transforms.ToTensor()"),
    "in a list": frames(
        "found = []\nfor x in (cv2.imread(index), cv2.imread(self.other)):\n"
        "    found.append(torch.from_numpy(x).float())\nreturn found"
    ),
    "a tensor of floats": frames(
        "x = cv2.imread(index)\nx = x[:, ::-1] if flip else x\nreturn torch.FloatTensor(x.copy())"
    ),
    "by a type": frames("return torch.tensor(cv2.imread(index), dtype=torch.float32)"),
    "opened by a method": frames("x = self.take(index)\nreturn x.astype('float32')")
    + HELPER.format("x = cv2.warpAffine(cv2.imread(x), np.eye(2, 3), (3, 3))"),
    "converted by a method": frames("return self.take(cv2.imread(index))")
    + HELPER.format("x = x[:, :, ::-1]\n        x = x.astype(np.float32)"),
    "straight to a tensor": frames(
        "img = Image.open(self.files[index]).convert('RGB')\nreturn self.t(img)",
        "self.t = transforms.Compose([transforms.ToTensor()])",
    ),
    "in one expression": frames(
        "return self.t(Image.open(index))", "self.t = transforms.ToTensor()"
    ),
    "an array that is divided": frames(f"x = np.array({RGB}) / 255.0\nreturn x.transpose(2, 0, 1)"),
    "an array of a type": frames(f"x = np.array({RGB})\nx = x.astype('float32') / 255\nreturn x"),
    "an array of another library": frames("x = cv2.imread(index)\nreturn x / 127.5"),
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


def test_it_names_where_the_image_is_opened_and_where_it_is_converted() -> None:
    code = frames("x = Image.open(index)\nreturn self.t(x)", "self.t = transforms.ToTensor()")

    finding = find_one(pil_open_to_float_in_item, code)

    lines = [one.line for one in (finding.location, *finding.also_at) if one is not None]
    assert lines == [lines[0], lines[0] + 1]
