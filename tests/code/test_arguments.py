"""Arguments of loaders: literal, by default, through variables and dictionaries."""

from collections.abc import Callable

import pytest

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import Interpreter
from tests.code.conftest import HEAD

Find = Callable[..., list[Finding]]
DATA = """
class Images(Dataset):
    def __getitem__(self, index):
        return Image.open(self.files[index])
    def __len__(self):
        return 9

class Memory(Dataset):
    def __getitem__(self, index):
        return self.rows[index]
    def __len__(self):
        return 9

class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(9))
"""
TRAIN = """
    for epoch in range(9):
        for x, y in loader:
            x = x.to(device)
            loss = net(x)
            loss.backward()
"""


def loader(arguments: str, then: str = "", before: str = "") -> str:
    return (
        f"{DATA}\n{before}\ndef main(args):\n"
        f"    loader = DataLoader({arguments}){then}\n"
    )


ARGS = "parser.add_argument('--workers', default={}, type=int)\n"
DICTIONARY = """
def main(cuda):
    given = {{'batch_size': 4}}
    if cuda:
        more = {{'num_workers': {workers}, 'pin_memory': True{more}}}
        given.update(more)
    loader = DataLoader(Images(), **given)
"""
SILENT: dict[str, dict[str, str]] = {
    "num_workers_zero": {
        "workers": loader("Images(), num_workers=2"),
        "positional": loader("Images(), 4, True, None, None, 2"),
        "in memory": loader("Memory()"),
        "nobody knows the data": loader("data"),
        "arguments that nobody sees": loader("Images(), **args"),
        "through a dictionary": DATA + DICTIONARY.format(workers=1, more=""),
        "an option": loader("Images(), num_workers=args.workers"),
        "a test": "import pytest\n" + loader("Images()"),
    },
    "num_workers_hardcoded": {
        "the CPUs of the process": loader(
            "Images(), num_workers=os.process_cpu_count() // 2"
        ),
        "CPUs and something else": loader(
            "Images(), num_workers=os.cpu_count() // ranks"
        ),
        "the lesser of two": loader("Images(), num_workers=min(os.cpu_count(), n)"),
        "few": loader("Images(), num_workers=7"),
        "an option": loader("Images(), num_workers=args.workers"),
    },
    "pin_memory_missing": {
        "pinned": loader("Images(), pin_memory=True", TRAIN),
        "on the CPU": loader("Images()", TRAIN.replace("x.to(device)", "x.float()")),
        "nobody knows": loader("Images(), pin_memory=args.pin", TRAIN),
        "through a dictionary": loader("Images(), **args", TRAIN),
        "only a type": loader("Images()", TRAIN.replace("device", "torch.float16")),
        "back to the host": loader("Images()", TRAIN.replace("device", "self.cpu_dev")),
        "to a named host": loader(
            "Images()", TRAIN.replace("device", "device=torch.device('cpu')")
        ),
        "to no device": loader("Images()", TRAIN.replace("device", "None")),
    },
    "persistent_with_zero_workers": {
        "workers": loader("Images(), num_workers=1, persistent_workers=True"),
        "it depends": loader("Images(), persistent_workers=args.workers > 0"),
        "none, and not kept": loader("Images(), persistent_workers=False"),
        "nobody knows": loader("Images(), persistent_workers=True, **args"),
    },
    "prefetch_with_zero_workers": {
        "workers": loader("Images(), num_workers=1, prefetch_factor=4"),
        "it depends": loader("Images(), prefetch_factor=4 if args.workers else None"),
        "None": loader("Images(), prefetch_factor=None"),
    },
    "persistent_workers_missing": {
        "kept": loader("Images(), num_workers=2, persistent_workers=True", TRAIN),
        "no workers": loader("Images()", TRAIN),
        "one epoch": loader(
            "Images(), num_workers=2", "\n    for x in loader:\n        x"
        ),
        "an endless sampler": loader("Images(), num_workers=2, batch_sampler=s", TRAIN),
        "nobody knows": loader("Images(), num_workers=2, **args", TRAIN),
    },
    "loader_in_epoch_loop": {
        "before it": loader("Images(), num_workers=2", TRAIN),
        "another size each time": DATA + "def main():\n    for size in range(9):\n"
        "        loader = DataLoader(Images(), batch_size=size, num_workers=2)\n",
        "no workers": DATA + "def main():\n    for epoch in range(9):\n"
        "        loader = DataLoader(Images())\n",
    },
    "shuffle_with_sampler": {
        "only without": loader("Images(), shuffle=(sampler is None), sampler=sampler"),
        "no sampler": loader("Images(), shuffle=True, sampler=None"),
        "not shuffled": loader("Images(), shuffle=False, sampler=Sampler(x)"),
        "perhaps none": loader("Images(), shuffle=True, sampler=sampler"),
    },
    "drop_last_missing": {
        "dropped": loader("Images(), 4, drop_last=True", TRAIN) + "nn.BatchNorm2d(3)",
        "no BatchNorm": loader("Images(), 4", TRAIN),
        "evaluation": loader("Images()").replace("loader", "val_loader")
        + "nn.BatchNorm2d(3)",
    },
    "train_not_shuffled": {
        "shuffled": loader("Images(), shuffle=True", TRAIN),
        "a sampler": loader("Images(), sampler=Sampler(x)", TRAIN),
        "a stream": loader("Stream()", TRAIN),
        "evaluation": loader("Images()", "\n    for x in loader:\n        net(x)"),
        "depends": loader("Images(), shuffle=args.shuffle", TRAIN),
    },
    "in_memory_with_workers": {
        "no workers": loader("Memory()"),
        "files": loader("Images(), num_workers=2"),
        "a collate of its own": loader("Memory(), num_workers=2, collate_fn=heavy"),
    },
    "iterable_with_shuffle_sampler": {
        "not shuffled": loader("Stream(), shuffle=False"),
        "no sampler": loader("Stream(), sampler=None"),
        "a map": loader("Images(), shuffle=True"),
    },
    "drop_last_on_eval": {
        "training": loader("Images(), 4, drop_last=True", TRAIN),
        "kept": loader("Images(), 4").replace("loader", "val_loader"),
        "single samples": loader("Images(), batch_size=1, drop_last=True").replace(
            "loader", "val_loader"
        ),
        "for training, too": loader(
            "Images(), 4, drop_last=True, shuffle=args.train"
        ).replace("loader", "val_loader"),
    },
    "pin_memory_device": {
        "not given": loader("Images()"),
        "empty": loader("Images(), pin_memory_device=''"),
    },
}
SPEAKS: dict[str, dict[str, str]] = {
    "num_workers_zero": {
        "not given": loader("Images()"),
        "zero": loader("Images(), num_workers=0"),
        "zero by default": loader(
            "Images(), num_workers=args.workers", before=ARGS.format(0)
        ),
        "a framework's data": "from torchvision import datasets\n"
        + loader("datasets.ImageFolder(root)"),
    },
    "num_workers_hardcoded": {
        "many": loader("Images(), num_workers=8"),
        "half the CPUs": loader("Images(), num_workers=os.cpu_count() // 2"),
        "some CPUs": loader(
            "Images(), num_workers=max(1, int((os.cpu_count() or 1) * 0.8))"
        ),
        "all CPUs": loader("Images(), num_workers=os.cpu_count()"),
        "through a variable": loader(
            "Images(), **common", before="common = dict(num_workers=os.cpu_count())"
        ),
    },
    "pin_memory_missing": {
        "not given": loader("Images()", TRAIN),
        "False": loader("Images(), pin_memory=False", TRAIN),
        "by keyword": loader("Images()", TRAIN.replace("device", "device=dev")),
        "where there is a GPU": loader(
            "Images()", TRAIN.replace("device", "'cuda' if args.gpu else 'cpu'")
        ),
        "in another function": loader("Images()", "\n    train(loader)\n")
        + "\ndef train(batches):\n    for x in batches:\n        x.cuda()\n",
    },
    "persistent_with_zero_workers": {
        "not given": loader("Images(), persistent_workers=True"),
        "zero": loader("Images(), num_workers=0, persistent_workers=True"),
        "zero by default": loader(
            "Images(), num_workers=args.workers, persistent_workers=True",
            before=ARGS.format(0),
        ),
        "in a dictionary": DATA
        + DICTIONARY.format(workers=0, more=", 'persistent_workers': True"),
        "a partial": DATA + "from functools import partial\n"
        "make = partial(DataLoader, persistent_workers=True)\n"
        "def main():\n    loader = make(Images())\n",
        "a subclass": DATA + "class Mine(DataLoader):\n    pass\n"
        "def main():\n    loader = Mine(Images(), persistent_workers=True)\n",
        "a wrapper": DATA + "def make(data, **given):\n"
        "    return DataLoader(data, **given)\n"
        "def main():\n    return make(Images(), persistent_workers=True)\n",
    },
    "prefetch_with_zero_workers": {
        "no workers": loader("Images(), prefetch_factor=4"),
        "nothing to prefetch": loader("Images(), num_workers=2, prefetch_factor=0"),
    },
    "persistent_workers_missing": {
        "workers": loader("Images(), num_workers=2", TRAIN),
        "perhaps": loader("Images(), num_workers=args.workers", TRAIN),
    },
    "loader_in_epoch_loop": {
        "each epoch": DATA + "def main():\n    for epoch in range(9):\n"
        "        loader = DataLoader(Images(), num_workers=2)\n"
    },
    "shuffle_with_sampler": {
        "both": loader("Images(), shuffle=True, sampler=Sampler(x)"),
        "a batch sampler": loader("Images(), shuffle=True, batch_sampler=Sampler(x)"),
    },
    "drop_last_missing": {
        "BatchNorm": loader("Images(), 4", TRAIN) + "\nnet = nn.BatchNorm2d(3)",
        "shuffled as somebody wants": loader("Images(), 4, shuffle=args.mix", TRAIN)
        + "\nnet = nn.BatchNorm2d(3)",
    },
    "train_not_shuffled": {
        "never": loader("Images()", TRAIN),
        "one branch": loader(
            "Images(), sampler=sampler", TRAIN, "sampler = S(x) if many else None"
        ),
    },
    "in_memory_with_workers": {
        "tensors": loader("TensorDataset(x), num_workers=2"),
        "our own": loader("Memory(), num_workers=2"),
    },
    "iterable_with_shuffle_sampler": {
        "shuffled": loader("Stream(), shuffle=True"),
        "sampled": loader("Stream(), sampler=Sampler(x)"),
    },
    "drop_last_on_eval": {
        "dropped": loader("Images(), 4, drop_last=True").replace(
            "loader", "val_loader"
        ),
        "and shuffled": loader("Images(), 4, drop_last=True, shuffle=True").replace(
            "loader", "val_loader"
        ),
    },
    "pin_memory_device": {"given": loader("Images(), pin_memory_device='cuda'")},
}


def test_silent(find: Find, silent: tuple[str, str]) -> None:
    assert find(*silent) == []


def test_speaks(find_one: Find, speaks: tuple[str, str]) -> None:
    find_one(*speaks)


@pytest.mark.parametrize(
    ("folder", "told"), [("pkg/test_utils", 0), ("pkg/train_utils", 1), ("test", 1)]
)
def test_tools_for_tests_are_tests(find: Find, folder: str, told: int) -> None:
    code = {f"{folder}/made.py": HEAD + loader("Images()")}
    assert len(find("num_workers_zero", code)) == told


@pytest.mark.parametrize(
    ("arguments", "before", "told"),
    [
        ("Images()", "", "shuffle=True"),
        ("Images(), sampler=mine", "mine = S(x) if many else None", "mine is None"),
    ],
)
def test_shuffling_names_a_sampler_only_where_there_is_one(
    find: Find, arguments: str, before: str, told: str
) -> None:
    (finding,) = find("train_not_shuffled", loader(arguments, TRAIN, before))
    assert told in finding.remedies[0].snippet


def test_how_a_value_is_known_is_said(find: Find) -> None:
    code = loader(
        "Images(), num_workers=args.workers, persistent_workers=True",
        before=ARGS.format(0),
    )

    (finding,) = find("persistent_with_zero_workers", code)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.evidence == {
        "persistent_workers": "True",
        "num_workers": "0 (default of --workers)",
    }


@pytest.mark.parametrize(
    ("version", "severity"),
    [("3.13.9", Severity.NOTE), ("3.14.0", Severity.SLOWS)],
)
def test_restarting_workers_is_dear_from_python_3_14_on(
    find: Find, version: str, severity: Severity
) -> None:
    code = loader("Images(), num_workers=2", TRAIN)

    (finding,) = find("persistent_workers_missing", code, Interpreter(version=version))

    assert finding.severity is severity
