"""PDR110: the training order is the same in every epoch."""

import pytest

from pipedoctor_checks.loader.train_not_shuffled import train_not_shuffled
from tests.checks.code_samples import (
    BACKWARD,
    DATASETS,
    HEAD,
    TRAIN_LOOP,
    Code,
    find,
    loader_call,
    make_tests,
    model_loop,
)
from tests.checks.image_samples import IMAGE_EPOCHS, image_training

SINGLE_PASS = IMAGE_EPOCHS.replace("for epoch in range(9):", "if args.train:")
ONE_LOOP_FOR_BOTH = """
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __getitem__(self, i):
        return i
def run(net, optimizer, loader, training):
    for x in loader:
        loss = net(x)
        if training:
            loss.backward()
            optimizer.step()
def main(net, optimizer):
    first = DataLoader(Rows(), {of_first})
    second = DataLoader(Rows(), batch_size=1)
    for epoch in range(90):
        run(net, optimizer, first, True)
        run(net, optimizer, second, False)
"""
BY_PHASE = """
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __getitem__(self, i):
        return i
def build(rows, phase):
    if phase == "{first}":
        return DataLoader(rows, {of_first})
    elif phase == "{second}":
        return DataLoader(rows, batch_size=1)
def main(net, options):
    for phase, option in options.items():
        if phase == "{first}":
            loader = build(Rows(), phase)
    for epoch in range(90):
        for x in loader:
            net(x).backward()
"""
CHANGED = """
def build(shuffle=False, rect=False, sampler=None):
    if rect and shuffle:
        shuffle = False
    return DataLoader(Images(), shuffle=shuffle and sampler is None, sampler=sampler)
def main(net):
    loader, valid = build({given}), build(shuffle=False)
"""
SILENT: dict[str, Code] = {
    "a program that measures memory": {
        "scripts/mem_profiler.py": HEAD + loader_call("Images()", TRAIN_LOOP)
    },
    "shuffled, unless something forbids it": DATASETS
    + CHANGED.format(given="shuffle=True")
    + TRAIN_LOOP,
    "of another phase": BY_PHASE.format(
        first="train", second="val", of_first="shuffle=phase.mixed"
    ),
    "validation in the same loop": ONE_LOOP_FOR_BOTH.format(of_first="shuffle=True"),
    "validation beside a sampler": ONE_LOOP_FOR_BOTH.format(of_first="sampler=Mine(x)"),
    "shuffled": loader_call("Images(), shuffle=True", TRAIN_LOOP),
    "a sampler": loader_call("Images(), sampler=Sampler(x)", TRAIN_LOOP),
    "a stream": loader_call("Stream()", TRAIN_LOOP),
    "evaluation": loader_call("Images()", "\n    for x in loader:\n        net(x)"),
    "depends": loader_call("Images(), shuffle=args.shuffle", TRAIN_LOOP),
    "a stream of text": "import torchtext.datasets\n"
    + model_loop(BACKWARD, model="pass").replace("(data, num", "(torchtext.datasets.IMDB(), num"),
    "one pass": image_training("Images()", SINGLE_PASS),
}
SPEAKS = {
    "never asked to": DATASETS + CHANGED.format(given="shuffle=False") + TRAIN_LOOP,
    "never": loader_call("Images()", TRAIN_LOOP),
    "one branch": loader_call(
        "Images(), sampler=sampler", TRAIN_LOOP, "sampler = S(x) if many else None"
    ),
    "always in the same order": "import torchvision.datasets\n"
    + model_loop(BACKWARD, model="pass").replace(
        "(data, num", "(torchvision.datasets.MNIST(), num"
    ),
    "of this phase": BY_PHASE.format(first="train", second="val", of_first="batch_size=8"),
    "of one of two phases": BY_PHASE.format(first="a", second="b", of_first="shuffle=phase.mixed"),
    "neither of the two": ONE_LOOP_FOR_BOTH.format(of_first="batch_size=8"),
    "many passes": image_training("Images()"),
}
test_silent, test_speaks = make_tests(train_not_shuffled, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("arguments", "before", "told"),
    [
        ("Images()", "", "shuffle=True"),
        ("Images(), sampler=mine", "mine = S(x) if many else None", "mine is None"),
    ],
)
def test_shuffling_names_a_sampler_only_where_there_is_one(
    arguments: str, before: str, told: str
) -> None:
    (finding,) = find(train_not_shuffled, loader_call(arguments, TRAIN_LOOP, before))
    assert told in finding.remedies[0].snippet
