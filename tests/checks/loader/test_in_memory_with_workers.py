"""PDR111: workers for data that lies in memory."""

import pytest

from pipedoctor_checks.loader.in_memory_with_workers import in_memory_with_workers
from tests.checks.code_samples import DATASETS, find, loader_call, make_tests, rows_training

IMAGE_FOLDER_SUBCLASS = """
from torchvision import datasets
class Numbered(datasets.ImageFolder):
    def __getitem__(self, index):
        {item}
loader = DataLoader(Numbered(root), num_workers=2)
"""
OWN_LOADER = (
    DATASETS
    + """
class Mine(DataLoader):
    def __init__(self, rows, size=8, workers=2, **options):
        super().__init__({given})
        {after}
loader = Mine({call})
"""
)
DIGITS = """
class Base(Dataset):
    def change(self, transform):
        {later}

class Digits(Base):
    def __init__(self, mode, transform=None):
        self.data = load(mode)
        self.transform = transform
    def __len__(self):
        return len(self.data)
    def __getitem__(self, index):
        row = self.data[index]
        if self.transform:
            row = self.transform(row)
        return row

rows = Digits("train")
{more}
loader = DataLoader(rows, batch_size=64, num_workers=2)
"""
SILENT = {
    "a transform that is set from outside": DIGITS.format(
        later="pass", more="rows.transform = Flip()"
    ),
    "a transform that a method above sets": DIGITS.format(
        later="self.transform = transform", more="pass"
    ),
    "a class of loaders that collates": OWN_LOADER.format(
        given="rows, size, num_workers=workers, **options",
        after="self.collate_fn = heavy",
        call="Memory()",
    ),
    "a class of loaders without workers": OWN_LOADER.format(
        given="rows, size, **options", after="pass", call="Memory(), workers=4"
    ),
    "a dataset is tried out": DATASETS + "if __name__ == '__main__':\n"
    "    for x in DataLoader(Memory(), num_workers=2):\n        print(x)\n",
    "no workers": loader_call("Memory()"),
    "files": loader_call("Images(), num_workers=2"),
    "a collate of its own": loader_call("Memory(), num_workers=2, collate_fn=heavy"),
    "a file that is kept open": rows_training(
        "self.x = h5py.File(path)['x']", "return self.x[index]"
    ),
    "a class that wraps who knows what": rows_training(
        "self.x = path", "return self.x[index]", base="object"
    ),
}
BUSY = {
    f"items that {what}": rows_training("self.x = path", item)
    for what, item in {
        "wait": "time.sleep(0.01)\nreturn self.x[index]",
        "compute in a library": "return scipy.signal.resample(self.x[index], 9)",
        "compute": "return np.linalg.svd(self.x[index])",
        "loop until they have enough": "n = 0\nwhile n < 9:\n    n += 1\nreturn n",
    }.items()
}
SPEAKS = {
    "a transform that nobody gives": DIGITS.format(later="pass", more="pass"),
    "workers by the default of a class of loaders": OWN_LOADER.format(
        given="rows, size, num_workers=workers", after="pass", call="Memory(), 16"
    ),
    "workers that a class of loaders is given": OWN_LOADER.format(
        given="rows, size, num_workers=workers, **options",
        after="self.size = size",
        call="rows=Memory(), workers=3, pin_memory=True",
    ),
    "workers among what a class of loaders hands on": OWN_LOADER.format(
        given="rows, size, **options", after="pass", call="Memory(), num_workers=4"
    ),
    "picked and converted": rows_training(
        "self.x = path", "return torch.as_tensor(self.x[index]).float(), len(self.x)"
    ),
    "tensors": loader_call("TensorDataset(x), num_workers=2"),
    "our own": loader_call("Memory(), num_workers=2"),
}
test_silent, test_speaks = make_tests(in_memory_with_workers, SILENT | BUSY, SPEAKS)


@pytest.mark.parametrize(
    ("item", "found"),
    [("return super().__getitem__(index), index", 0), ("return self.rows[index]", 1)],
)
def test_items_of_a_base_class_are_work(item: str, found: int) -> None:
    assert len(find(in_memory_with_workers, IMAGE_FOLDER_SUBCLASS.format(item=item))) == found
