"""Code that no edit moves, wraps or delays."""

import pytest

from tests.fix.code.conftest import Mend
from tests.fix.code.moved_code import EPOCHS, HANDLE, LOADED, MAIN, RNG, SEEK, STEPS, code

LAMBDA = ", collate_fn=lambda b: {}"
ALONE: dict[str, tuple[str, str]] = {
    "two handles": (
        "PDR302",
        code(f"{HANDLE}{HANDLE.replace('.file', '.other')}", SEEK),
    ),
    "a handle that is written to": ("PDR302", code(HANDLE.replace("rb", "r+b"), SEEK)),
    "a handle whose head is read": (
        "PDR302",
        code(f"{HANDLE}\n        self.file.readline()", SEEK),
    ),
    "a handle that is set elsewhere": (
        "PDR302",
        code(HANDLE, SEEK, "def main(items):\n    items.file = None"),
    ),
    "a handle under a condition": (
        "PDR302",
        code(HANDLE.replace("self", "if size:\n            self"), SEEK),
    ),
    "a handle that is opened by what is given": (
        "PDR302",
        code(HANDLE, SEEK).replace("size=3", "size=3, open=open"),
    ),
    "a handle of a class that pickles itself": (
        "PDR302",
        code(HANDLE, SEEK).replace(
            "    def __len__",
            "    def __reduce__(self):\n        pass\n\n    def __len__",
        ),
    ),
    "a private name that is taken": (
        "PDR507",
        code(RNG, "return self.rng.random() + self._rng"),
    ),
    "a generator of a device": (
        "PDR507",
        code(
            RNG.replace("np.random.default_rng(1)", "torch.Generator(size)"),
            "return torch.rand(1, generator=self.rng)",
        ),
    ),
    "a file that a generator reads later": (
        "PDR209",
        code(item="f = open(self.files[index])\n        return list(x for x in f)"),
    ),
    "a file that is opened only sometimes": (
        "PDR209",
        code(item="return open(self.files[index]).read() if index else 0"),
    ),
    "a file after something else": (
        "PDR209",
        code(item="return len(self.files), open(self.files[index]).read()"),
    ),
    "a file where its name is taken": (
        "PDR209",
        code(item="file = index\n        return open(self.files[file]).read()"),
    ),
    "two files of one statement": (
        "PDR209",
        code(item="return f(open(self.files[0]).read(), open(self.files[1]).read())"),
    ),
    "a file in two names": (
        "PDR209",
        code(item="f = g = open(self.files[index])\n        x = f.read()"),
    ),
    "a file that is opened twice": (
        "PDR209",
        code(
            item="f = open(self.files[index])\n        x = f.read()\n"
            "        f = open(self.files[0])\n        x = f.read()"
        ),
    ),
    "a descriptor": (
        "PDR209",
        code(item="f = os.open(self.files[index], 0)\n        return index"),
    ),
    "transforms of an item": (
        "PDR215",
        code(item="t = transforms.Compose([transforms.Resize(index)])"),
    ),
    "transforms of what changes": (
        "PDR215",
        code(item="self.size += 1\n        t = transforms.Compose([transforms.Resize(self.size)])"),
    ),
    "transforms that are drawn": (
        "PDR215",
        code(item="t = transforms.Compose([transforms.Resize(random.random())])"),
    ),
    "a lambda that sees a local name": (
        "PDR305",
        code(rest=MAIN.format(LAMBDA.format("net(b)"))),
    ),
    "a lambda that holds a string": (
        "PDR305",
        code(rest=MAIN.format(LAMBDA.format("b['x']"))),
    ),
    "a lambda that sees nothing": (
        "PDR305",
        code(rest=MAIN.format(LAMBDA.format("unheard_of(b)"))),
    ),
    "a local function with a decorator": (
        "PDR305",
        code(
            rest=MAIN.format(", collate_fn=join").replace(
                "    loader",
                "    @torch.no_grad()\n    def join(b):\n        return b\n    loader",
            )
        ),
    ),
    "a seed of torch": (
        "PDR506",
        code("\n        torch.manual_seed(3)\n        self.order = torch.randperm(9)"),
    ),
    "a seed for others": ("PDR506", code("\n        random.seed(3)")),
    "a seed under a condition": (
        "PDR506",
        code("\n        if size:\n            random.seed(3)\n        random.shuffle(files)"),
    ),
    "a loader of new data": (
        "PDR107",
        code(rest=EPOCHS.format("loader = DataLoader(Items([]), num_workers=2)")),
    ),
    "a loader with a string": (
        "PDR107",
        code(rest=EPOCHS.format("loader = DataLoader(data, num_workers=int('2'))")),
    ),
    "a first batch that is always the same": (
        "PDR404",
        code(rest=STEPS.format(False, "        x, y = next(iter(loader))")),
    ),
    "a batch that is handed on": (
        "PDR404",
        code(rest=STEPS.format(True, "        x = net(next(iter(loader)))")),
    ),
    "a script with functions to come": (
        "PDR306",
        code(
            rest=f"{LOADED.format('')}\nfor x in loader:\n    print(x)\n\ndef later():\n    pass\n"
        ),
    ),
    "OpenCV that may not be there": (
        "PDR309",
        code(item="return cv2.imread(self.files[index])").replace(
            "import numpy", "try:\n    import cv2\nfinally:\n    pass\nimport numpy"
        ),
    ),
    "an epoch that workers must hear": (
        "PDR505",
        code(
            "\n        self.epoch = 0",
            "return self.epoch",
            "def main():\n    dataset = Items([])\n    loader = DataLoader(dataset,"
            " num_workers=2, persistent_workers=True)\n"
            "    for epoch in range(9):\n        dataset.epoch = epoch\n"
            "        for x in loader:\n            print(x)\n",
        ),
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_what_is_left_alone(mend: Mend, name: str) -> None:
    select, before = ALONE[name]

    outcome = mend({"train.py": before}, select=select, unsafe=True)

    assert not outcome.files
    assert select != "PDR505" or "choose whether" in outcome.refused[0].why


def test_what_is_nested_too_deep_is_left_alone(mend: Mend) -> None:
    deep = "a" + ".b" * 900
    before = code(
        f"\n        self.rng = random.Random({deep})",
        f"f = open({deep})\n        return f.read(), self.rng.random()",
        MAIN.format(f", collate_fn=lambda x: {deep}"),
    )

    outcome = mend({"train.py": before}, select="PDR305", unsafe=True)

    assert not outcome.files
