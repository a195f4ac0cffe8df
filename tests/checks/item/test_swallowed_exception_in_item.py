"""PDR210: bad samples are replaced in silence."""

import pytest

from pipedoctor_checks.item.swallowed_exception_in_item import swallowed_exception_in_item
from tests.checks.code_samples import find, frames, make_tests

ITEM_CHECK = """
class Checked(Dataset):
    def __getitem__(self, index):
        return self.rows[index] if self.fits(index) else 0
    def fits(self, index):
        try:
            return parse(self.rows[index])
        except Exception:
            return {}
"""


LABELS = """
class Videos(Dataset):
    def __getitem__(self, index):
        path = self.paths[index]
        try:
            label = self.encode_label(path.split("/")[-3])
        except:
            label = self.encode_label(path.split("/")[-2])
        return label

    def encode_label(self, name):
        return {code}
"""

COLLATE = """
class Faces(Dataset):
    def __getitem__(self, index):
        return self.rows[index]

    def collate_fn(self, rows):
        batch = {{}}
        for key in rows[0]:
            try:
                batch[key] = torch.stack([one[key] for one in rows])
            except Exception:
                batch[key] = {kept}
        return batch

faces = Faces()
loader = DataLoader(faces, collate_fn=faces.collate_fn, num_workers=2)
"""


def catching_reader(body: str, name: str = "shape_of") -> str:
    return (
        "class Caught(Dataset):\n"
        "    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, index):\n"
        "        return self.shape_of(self.files[index])\n"
        f"    def {name}(self, image):\n"
        "        try:\n            shape = image.header(image)\n"
        f"        except Exception:\n            {body}\n"
        "        return shape\n"
    )


SILENT = {
    "a default for what is not there": frames(
        "try:\n    time = self.times[index]\nexcept:\n    time = index"
    ),
    "a certain error": frames("try:\n    open(index).close()\nexcept OSError:\n    pass"),
    "read in another way": frames(
        "try:\n    text = open(index).read()\n"
        "except Exception:\n    text = open(index, encoding='cp1252').read()"
    ),
    "what has no common shape stays a list": COLLATE.format(kept="[one[key] for one in rows]"),
    "logged": frames("try:\n    open(index).close()\nexcept Exception:\n    log.warning('bad')"),
    "raised again": frames("try:\n    open(index).close()\nexcept Exception:\n    raise"),
    "kept": frames("try:\n    open(index).close()\nexcept Exception as e:\n    self.bad = e"),
    "nothing of the sample": frames(
        "try:\n    major = [int(x) for x in cv2.__version__.split('.')]\n"
        "except Exception:\n    major = None"
    ),
    "what is not in a list": catching_reader("shape = []").replace(
        "shape = image.header(image)", "shape = image[: image.index(0)]"
    ),
    "the same is asked of something else": LABELS.format(code="self.codes[name]"),
    "none is handed on": catching_reader("shape = None"),
    "none is returned": catching_reader("return None"),
}
SPEAKS = {
    "another row of what may read": frames(
        "try:\n    x = self.rows[index]\nexcept:\n    x = self.rows[0]\nreturn x"
    ),
    "bare": frames("try:\n    x = open(index)\nexcept:\n    return self[0]"),
    "all of them": frames("try:\n    x = open(index)\nexcept Exception:\n    pass"),
    "of what was made before": frames(
        "path = 'x'\ntry:\n    x = open(path)\nexcept Exception:\n    pass"
    ),
    "another file is read": LABELS.format(code="Image.open(name)"),
    "other values where nothing fits": COLLATE.format(kept="[0 for one in rows]"),
    "another shape": catching_reader("shape = (1, 1)"),
    "a sample that is none": "class Caught(Dataset):\n"
    "    def __getitem__(self, index):\n"
    "        try:\n            return read(self.files[index])\n"
    "        except Exception:\n            return None\n",
}
test_silent, test_speaks = make_tests(swallowed_exception_in_item, SILENT, SPEAKS)


@pytest.mark.parametrize(("said", "found"), [("False", 0), ("None", 0), ("9", 1)])
def test_who_says_false_hands_it_on(said: str, found: int) -> None:
    assert len(find(swallowed_exception_in_item, ITEM_CHECK.format(said))) == found
