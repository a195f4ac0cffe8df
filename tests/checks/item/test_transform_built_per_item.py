"""PDR215: transforms are built for every item."""

import pytest

from pipedoctor_checks.item.transform_built_per_item import transform_built_per_item
from tests.checks.code_samples import COMPOSE_IN_ITEM, HEAD, find, frames, make_tests

SECOND_COMPOSE = "transforms.Compose([])"
SCALED = """
class Scaled(Dataset):
    def __init__(self, options):
        self.options = options

    def __getitem__(self, index):
        image = Image.open(self.names[index])
        return scale({given}, image)

def scale(image, other):
    sides = [round(image.height / 2), 9]
    return transforms.Compose([transforms.Resize(sides)])(other)
"""
CROPPED = """
class Crops(Dataset):
    def __getitem__(self, index):
        chosen = choose(self.names[index])
        return crop({given})(self.names[index])

def choose(name):
    return {{"flip": random.random() > 0.5, "name": name}}

def crop(how):
    steps = [transforms.ToTensor()]
    if how["flip"]:
        steps += [transforms.Lambda(lambda x: turn(x, how["flip"]))]
    return transforms.Compose(steps)
"""
RESAMPLED = """
import torchaudio
class Rows(IterableDataset):
    def __iter__(self):
        return resample(self.rows, 16000)
def resample(rows, rate):
    for row in rows:
        own = row["rate"]
        row["x"] = torchaudio.transforms.Resample({given}, rate)(row["x"])
        yield row
"""
SILENT = {
    "by the rate of the item": RESAMPLED.format(given="own"),
    "by its index": frames("t = transforms.Compose([transforms.Resize(self.sizes[index])])"),
    "by what a function has drawn for the item": CROPPED.format(given="chosen"),
    "once": frames(init="self.t = transforms.Compose([])"),
    "by the size of the item": SCALED.format(given="image"),
}
SPEAKS = {
    "by a rate": RESAMPLED.format(given="8000"),
    "by options, whatever is drawn beside": CROPPED.format(given="self.options"),
    "each time": frames("t = transforms.Compose([])"),
    "by the size that options have": SCALED.format(given="self.options"),
}
test_silent, test_speaks = make_tests(transform_built_per_item, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [("pass", "pass", 2), (SECOND_COMPOSE, SECOND_COMPOSE, 1), (SECOND_COMPOSE, "pass", 2)],
)
def test_transforms_that_only_people_can_move_are_said_once(
    first: str, second: str, found: int
) -> None:
    code = {
        "one.py": HEAD + COMPOSE_IN_ITEM.format(name="One", many=first),
        "two.py": HEAD + COMPOSE_IN_ITEM.format(name="Two", many=second),
    }

    built = find(transform_built_per_item, code)

    assert len(built) == found
    assert (found == 1) == any("and 1 more build their" in x.summary for x in built)
