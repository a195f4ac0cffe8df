"""PDR106: workers are started anew for every epoch."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Interpreter
from pipedoctor_checks.loader.persistent_workers_missing import persistent_workers_missing
from tests.checks.code_samples import TRAIN_LOOP, find, loader_call, make_tests
from tests.checks.image_samples import IMAGE_EPOCHS, IMAGES, PHOTO_LOOP, photo_training

POINTS_TRAINING = """
class Points(Dataset):
    def __init__(self):
        self.points = np.load("points.npy")
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.points[index]

""" + PHOTO_LOOP.format(given="Points(), num_workers=2", between="pass", step="pass")
VALIDATE = """
def validate(data, net):
    loader = DataLoader(data, num_workers=2)
    for x in loader:
        net(x)

def main(data, net):
    for epoch in range(9):
        validate(data, net)
"""
LOADER_ARGUMENT = """
def run(loader, net):
    for x in loader:
        net(x)

def once(data, net):
    run(DataLoader(data, num_workers=2), net)

def main(data, other, net):
    again = DataLoader(other, num_workers={workers})
    for epoch in range(9):
        run(again, net)
"""
STAGES = """
def main(data, net):
    loader = DataLoader(data, num_workers=2)
    for epoch in range(9):
        if epoch == 5:
            loader = DataLoader(data, num_workers=4)
        for x in loader:
            net(x)
"""
SCRIPT_LOOP = """
import torch
from torch.utils.data import DataLoader

def main(rows):
    for epoch in range(9):
        for x in loader:
            print(x)

loader = DataLoader(rows, num_workers=2)
"""
REUSED_ITERATOR = """
class Reused(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.again = super().__iter__()
    {method}
        for _ in range(len(self)):
            yield next(self.again)

loader = Reused(Images(), num_workers=2)
"""
SAMPLER = """
class Groups(torch.utils.data.Sampler):
    def __iter__(self):
        {loop}

def main(rows):
    loader = DataLoader(rows, num_workers=2, batch_sampler=Groups(rows))
    for epoch in range(9):
        for x in loader:
            net(x).backward()
"""
INNER = """
def main(rows):
    loader = DataLoader(rows, num_workers=2)

    def run(batches):
        {make}
        for x in batches:
            net(x).backward()

    for epoch in range(9):
        run({given})
"""
TOLD = (
    """
class Told(Dataset):
    def __init__(self):
        self.epoch = 0
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return Image.open(str(index + self.epoch))

def grow():
    told = Told()
    for epoch in range(9):
        told.epoch = epoch
        for x in DataLoader(told):
            print(x)

"""
    + IMAGES
)
AT_INTERVALS = """
def validate(loader, net):
    bar = tqdm(loader)
    for x in bar:
        net(x)

def main(data, other, net):
    loader = DataLoader(data)
    held = DataLoader(other, num_workers=2)
    for step, x in enumerate(loader):
        net(x).backward()
        {when}validate(held, net)
"""
TWO_ITERATORS = """
def main(data, other, net):
    first, second = DataLoader(data), DataLoader(other, num_workers=2)
    step = 0
    while step < 900:
        try:
            x = next(one)
        except:
            one = iter(first)
            x = next(one)
        try:
            y = next(two)
        except:
            two = iter(second)
            y = next(two)
        net(x, y).backward()
        step += 1
"""
OWN_BAR = """
from tqdm import tqdm as bar_of

def bar(*args, **more):
    return bar_of(*args, **more)

def run(loader, net):
    for x in bar(loader):
        net(x).backward()

def main(data, net):
    loader = DataLoader(data, num_workers=2)
    for epoch in range(9):
        run(loader, net)
"""
ANOTHER_BAR = """
def run(loader, net):
    bar = tqdm(loader)
    for x in bar:
        net(x)

def main(data, other, net):
    again = DataLoader(other)
    for epoch in range(9):
        run(again, net)
    run(DataLoader(data, num_workers=2), net)
"""
SILENT = {
    "a dataset is tried out under its class": IMAGES + "if __name__ == '__main__':\n"
    "    loader = DataLoader(Images(), 4, num_workers=2)\n    for epoch in range(4):\n"
    "        for rows in loader:\n            print(rows.shape)\n",
    "another loader comes again, by a variable": ANOTHER_BAR,
    "made anew in a function within": INNER.format(
        make="batches = DataLoader(batches, num_workers=2)", given="rows"
    ),
    "kept": loader_call("Images(), num_workers=2, persistent_workers=True", TRAIN_LOOP),
    "no workers": loader_call("Images()", TRAIN_LOOP),
    "one epoch": loader_call("Images(), num_workers=2", "\n    for x in loader:\n        x"),
    "an endless sampler": loader_call("Images(), num_workers=2, batch_sampler=s", TRAIN_LOOP),
    "a sampler without an end": SAMPLER.format(loop="while True:\n            yield [1]"),
    "nobody knows": loader_call("Images(), num_workers=2, **args", TRAIN_LOOP),
    "a method changes the dataset": photo_training(between="loader.dataset.grow(epoch)"),
    "a method shuffles its list": photo_training(between="loader.dataset.grow(epoch)").replace(
        "self.size = size", "random.shuffle(self.files)"
    ),
    "a method sets a row of it": photo_training(between="loader.dataset.grow(epoch)").replace(
        "self.size = size", "self.files[0] = size"
    ),
    "a method of the dataset itself, by its variable": photo_training(
        "rows, num_workers=2", between="rows.grow(epoch)"
    ).replace("    loader =", "    rows = Photos(files)\n    loader ="),
    "an attribute changes": photo_training(between="loader.dataset.stage = epoch // 3"),
    "workers that had better not be": POINTS_TRAINING,
    "made anew by each validation": VALIDATE,
    "another loader comes again": LOADER_ARGUMENT.format(workers=0),
    "a class that keeps them": IMAGES
    + REUSED_ITERATOR.format(method="def __iter__(self):")
    + IMAGE_EPOCHS,
}
SPEAKS = {
    "a dataset of another class is told the epoch": TOLD
    + loader_call("Images(), num_workers=2", TRAIN_LOOP),
    "an evaluation between steps": AT_INTERVALS.format(when="if step % 500 == 0:\n            "),
    "an iterator of two that begins anew": TWO_ITERATORS,
    "a progress bar of its own": OWN_BAR,
    "a loader of a library": """
import webdataset as wds
def main(rows, net):
    loader = wds.WebLoader(rows, num_workers=2)
    for epoch in range(9):
        for x in loader:
            net(x).backward()
""",
    "workers": loader_call("Images(), num_workers=2", TRAIN_LOOP),
    "a sampler that ends": SAMPLER.format(loop="yield [1]"),
    "a sampler of torch": loader_call(
        "Images(), num_workers=2, batch_sampler=torch.utils.data.BatchSampler("
        "torch.utils.data.RandomSampler(Images()), 8, True)",
        TRAIN_LOOP,
    ),
    "a function within the function": INNER.format(make="", given="loader"),
    "perhaps": loader_call("Images(), num_workers=args.workers", TRAIN_LOOP),
    "nothing changes": photo_training(between="loader.dataset.count()"),
    "a method reads its list": photo_training(between="loader.dataset.grow(epoch)").replace(
        "self.size = size", "print(self.files[0], self.files.index(size))"
    ),
    "another object changes": photo_training(between="bars.grow(epoch)"),
    "it changes once, before": photo_training() + "\nmain(0).dataset.stage = 1\n",
    "handed on, and again": LOADER_ARGUMENT.format(workers=2),
    "made anew once": STAGES,
    "a class of its own name": IMAGES
    + REUSED_ITERATOR.format(method="def other(self):")
    + IMAGE_EPOCHS,
}
test_silent, test_speaks = make_tests(persistent_workers_missing, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("version", "severity"), [("3.13.9", Severity.NOTE), ("3.14.0", Severity.SLOWS)]
)
def test_restarting_workers_is_dear_from_python_3_14_on(version: str, severity: Severity) -> None:
    code = loader_call("Images(), num_workers=2", TRAIN_LOOP)

    (finding,) = find(persistent_workers_missing, code, Interpreter(version=version))

    assert finding.severity is severity


def test_workers_that_start_slowly_are_worth_a_change() -> None:
    code = photo_training(between="loader.dataset.grow(epoch)")

    (finding,) = find(persistent_workers_missing, code, Interpreter(version="3.14.1"))

    assert finding.severity is Severity.SLOWS
    assert finding.remedies[0].kept


@pytest.mark.parametrize(
    ("how", "severity"),
    [("", "NOTE"), ("fork", "NOTE"), ("spawn", "SLOWS"), ("forkserver", "SLOWS")],
)
def test_a_loader_that_starts_its_workers_in_a_way_of_its_own(how: str, severity: str) -> None:
    more = f", multiprocessing_context='{how}'" if how else ""
    code = f"loader = DataLoader(rows, num_workers=2{more})\n"
    code += "for epoch in range(9):\n    for x in loader:\n        print(x)\n"

    (finding,) = find(persistent_workers_missing, code)

    assert finding.severity is Severity[severity]
    assert ("its" in finding.evidence["start_method"]) is bool(how)


@pytest.mark.parametrize(
    ("guard", "severity"), [("if __name__ == '__main__'", "NOTE"), ("if 1", "SLOWS")]
)
def test_a_script_starts_its_own_workers(guard: str, severity: str) -> None:
    other = f"import torch\n{guard}:\n"
    other += "    torch.multiprocessing.set_start_method('spawn')\n"

    (finding,) = find(persistent_workers_missing, {"train.py": SCRIPT_LOOP, "demo.py": other})

    assert finding.severity is Severity[severity]
