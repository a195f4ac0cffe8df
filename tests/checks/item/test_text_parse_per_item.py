"""PDR204: text is parsed for every item."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.item.text_parse_per_item import text_parse_per_item
from tests.checks.code_samples import MANY_ITEMS, STREAM, find, frames, make_tests

LAZY_LABELS = """
class Rows(Dataset):
    def __init__(self):
        self.labels = None
    {cached}
    def load(self):
        with open("labels.json") as file:
            return json.load(file)
    def __getitem__(self, index):
        {body}
        return index
    def __len__(self):
        return 9
"""
IMAGE_AND_LABEL = """
class Labelled(Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {image}
        return {label}(self.labels[index])
"""
SILENT = {
    "many items of each file": STREAM.format(read="np.loadtxt(path)", items=MANY_ITEMS),
    "many items, here": STREAM.format(read="path", items=MANY_ITEMS).replace(
        "read(path)\n            for", "np.loadtxt(path)\n            for"
    ),
    "all items of each file": STREAM.format(read="np.loadtxt(path)", items="yield from rows"),
    "a text in memory": frames("x = json.loads(self.files[index])"),
    "once": frames(init="self.table = json.load(open(files))"),
    "when first needed": frames("if self.table is None:\n    self.table = json.load(open('x'))"),
    "read once": LAZY_LABELS.format(
        cached="", body="if self.labels is None:\n            self.labels = self.load()"
    ),
    "kept by a cache": LAZY_LABELS.format(cached="@functools.lru_cache(None)", body="self.load()"),
}
SPEAKS = {
    "one item of each file": STREAM.format(read="np.loadtxt(path)", items="yield rows"),
    "an item after many": STREAM.format(read="np.loadtxt(path)", items="yield rows").replace(
        "        for path", "        for row in self.rows:\n            yield row\n        for path"
    ),
    "the text of a file": frames("x = json.loads(open(self.files[index]).read())"),
    "the text of a file in a variable": frames(
        "with open(self.files[index]) as f:\n    text = f.read()\nx = json.loads(text)"
    ),
    "numbers": frames("x = np.loadtxt(self.files[index])"),
    "where the cache has none": frames(
        "if index in self.cache:\n    x = 1\nelse:\n    x = np.loadtxt(index)"
    ),
    "read each time": LAZY_LABELS.format(cached="", body="self.load()"),
}
test_silent, test_speaks = make_tests(text_parse_per_item, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("image", "label", "severity"),
    [
        ("Image.open(self.files[index])", "json.load", Severity.NOTE),
        ("Image.open(self.files[index])", "np.loadtxt", Severity.SLOWS),
        ("self.files[index]", "json.load", Severity.SLOWS),
    ],
)
def test_a_label_beside_an_image_is_small(image: str, label: str, severity: Severity) -> None:
    (finding,) = find(text_parse_per_item, IMAGE_AND_LABEL.format(image=image, label=label))

    assert finding.severity is severity


def test_labels_beside_images_are_said_once() -> None:
    one = IMAGE_AND_LABEL.format(image="Image.open(self.files[index])", label="json.load")

    (finding,) = find(text_parse_per_item, one + one.replace("Labelled", "Other"))

    assert finding.summary == ("Labelled.__getitem__ and 1 more parse text for every item")
    assert len(finding.also_at) == 1
