"""Edits that move, wrap or delay code: what they write, and which are safe."""

import ast

import pytest

from pipedoctor.facts import TorchBuild
from tests.fix.code.conftest import Mend
from tests.fix.code.moved_code import EPOCHS, HANDLE, LOADED, MAIN, READ, RNG, SEEK, STEPS, code

LAZY = """

    @property
    def {name}(self):
        if self.{own}_pid != os.getpid():
            {made}
        return self.{own}"""


def lazy(name: str, own: str, *lines: str) -> str:
    return LAZY.format(name=name, own=own, made="\n            ".join(lines))


DRAWN = "return self.rng.random()"
WAIT = """\
        try:
            x, y = next(batches)  # one
        except StopIteration:
            batches = iter(loader)
            x, y = next(batches)"""
MOVED: dict[str, tuple[str, str, str]] = {
    "a handle": (
        "PDR302",
        code(HANDLE, SEEK),
        code(
            "\n        self._file = self._file_pid = None"
            "\n        self._open_file = functools.partial(open, files, 'rb')  # once"
            + lazy(
                "file",
                "_file",
                "self._file, self._file_pid = self._open_file(), os.getpid()",
            )
            + "\n\n    def __getstate__(self):"
            + "\n        return {**self.__dict__, '_file': None, '_file_pid': None}",
            SEEK,
        ),
    ),
    "a generator": (
        "PDR507",
        code(RNG, DRAWN),
        code(
            "\n        self._rng_pid = os.getpid()"
            "\n        self._rng = np.random.default_rng(1)"
            + lazy(
                "rng",
                "_rng",
                "self._rng_pid = os.getpid()",
                "self._rng = np.random.default_rng(torch.initial_seed())",
            ),
            DRAWN,
        ),
    ),
    "an old generator with a private name": (
        "PDR507",
        code(RNG.replace("rng = np.random.default_rng", "_r = np.random.RandomState"))
        .replace(READ, "return self._r.rand()")
        .replace("return self._r", "return self._r"),
        code(
            "\n        self._own_r_pid = os.getpid()"
            "\n        self._own_r = np.random.RandomState(1)"
            + lazy(
                "_r",
                "_own_r",
                "self._own_r_pid = os.getpid()",
                "self._own_r = np.random.RandomState(torch.initial_seed() % 2**32)",
            ),
            "return self._r.rand()",
        ),
    ),
    "a file": (
        "PDR209",
        code(
            item="f = open(self.files[index])  # the text\n"
            "        # all of it\n        x = f.read()\n\n"
            '        for line in f:\n            x += """a\nb""" + line\n'
            "        return x"
        ),
        code(
            item="with open(self.files[index]) as f:  # the text\n"
            "            # all of it\n            x = f.read()\n\n"
            '            for line in f:\n                x += """a\nb""" + line\n'
            "        return x"
        ),
    ),
    "a file that is read in the return": (
        "PDR209",
        code(item="f = open(self.files[index])\n        return f.read()"),
        code(
            item="with open(self.files[index]) as f:\n            return f.read()",
        ),
    ),
    "a file without a name": (
        "PDR209",
        code(item="return torch.tensor(open(self.files[index]).read().split())  # x"),
        code(
            item="with open(self.files[index]) as file:\n"
            "            return torch.tensor(file.read().split())  # x"
        ),
    ),
    "a file without a name, for a variable": (
        "PDR209",
        code(item='x = open(self.files[index], "rb").read()\n        return x'),
        code(
            item='with open(self.files[index], "rb") as file:\n'
            "            x = file.read()\n        return x"
        ),
    ),
    "transforms": (
        "PDR215",
        code(item="t = transforms.Compose([transforms.Resize(self.size)])\n" + " " * 8).replace(
            " " * 8 + "\n", f"        {READ}\n"
        ),
        code(
            "\n        self._transforms = transforms.Compose([transforms.Resize(self.size)])",
            f"t = self._transforms\n        {READ}",
        ),
    ),
    "a lambda for collate_fn": (
        "PDR305",
        code(rest=MAIN.format(", collate_fn=lambda b: [x for x in b if x]")),
        code(
            rest="\ndef _collate(b):\n    return [x for x in b if x]\n\n"
            + MAIN.format(", collate_fn=_collate")
        ),
    ),
    "a lambda that calls one function": (
        "PDR305",
        code(
            "\n        self.ops = [transforms.Lambda(lambda x: torch.flatten(x))]",
            rest=MAIN.format(""),
        )
        .replace("self.ops = [", "self.op = (")
        .replace(")]", "))"),
        code("\n        self.op = (transforms.Lambda(_flatten))", rest=MAIN.format("")).replace(
            "class Items",
            "def _flatten(x):\n    return torch.flatten(x)\n\n\nclass Items",
        ),
    ),
    "a local function for collate_fn": (
        "PDR305",
        code(
            rest=MAIN.format(", collate_fn=join").replace(
                "    loader",
                "    def join(b, n=2):\n        return torch.stack(b)[:n]\n\n    loader",
            )
        ),
        code(
            rest="\ndef join(b, n=2):\n    return torch.stack(b)[:n]\n\n"
            + MAIN.format(", collate_fn=join")
        ),
    ),
    "a lambda on self": (
        "PDR305",
        code("\n        self.scale = (lambda x, /, k=2: x * k)"),
        code("\n        self.scale = (_scale)").replace(
            "class Items", "def _scale(x, /, k=2):\n    return x * k\n\n\nclass Items"
        ),
    ),
    "a seed for what is near": (
        "PDR506",
        code("\n        np.random.seed(3)\n        self.order = np.random.permutation(9)"),
        code(
            "\n        np_rng = np.random.RandomState(3)"
            "\n        self.order = np_rng.permutation(9)"
        ),
    ),
    "a loader in a loop": (
        "PDR107",
        code(rest=EPOCHS.format("loader = DataLoader(data, num_workers=n)  # new")).replace(
            "  # new", ""
        ),
        code(rest=EPOCHS.format("loader"))
        .replace(
            "    for epoch",
            "    loader = DataLoader(data, num_workers=n, persistent_workers=n > 0)\n    for epoch",
        )
        .replace("        loader\n", ""),
    ),
    "an iterator": (
        "PDR404",
        code(rest=STEPS.format(True, "        x, y = next(iter(loader))  # one")),
        code(rest=STEPS.format(True, WAIT)).replace(
            "    while", "    batches = iter(loader)\n    while"
        ),
    ),
    "a script": (
        "PDR306",
        code(rest=f"{LOADED.format('')}\n# go\nfor x in loader:\n    print(x)\nprint(1)"),
        code(
            rest='if __name__ == "__main__":\n'
            f"    {LOADED.format('')}\n    # go\n    for x in loader:\n        print(x)\n"
            "    print(1)"
        ),
    ),
    "OpenCV": (
        "PDR309",
        code(item="return cv2.imread(self.files[index])").replace(
            "import numpy", "import cv2\nimport numpy"
        ),
        code(item="return cv2.imread(self.files[index])")
        .replace("import numpy", "import cv2\nimport numpy")
        .replace("transforms\n", "transforms\n\ncv2.setNumThreads(0)\n", 1),
    ),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", MOVED)
def test_what_is_written(mend: Mend, name: str, end: str) -> None:
    select, before, after = MOVED[name]

    outcome = mend({"train.py": before.replace("\n", end)}, select=select, unsafe=True)

    assert [one.why for one in outcome.refused] == []
    new = outcome.files["train.py"].decode()
    assert new == after.replace("\n", end)
    ast.parse(new)
    again = mend({"train.py": new}, select=select, unsafe=True)
    assert not again.files
    assert not again.refused


SAFE = {name for name, (select, *_) in MOVED.items() if select == "PDR209"} | {
    "a lambda that calls one function",
    "a lambda for collate_fn",
    "a local function for collate_fn",
}


@pytest.mark.parametrize("name", MOVED)
def test_only_what_changes_no_result_is_safe(mend: Mend, name: str) -> None:
    select, before, _ = MOVED[name]

    outcome = mend({"train.py": before}, select=select)

    assert bool(outcome.files) == (name in SAFE | {"a lambda on self"})
    assert outcome.files or all(one.remedy.unsafe for one in outcome.needs_unsafe)


SEEDED = """\
def seed_numpy_in_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


"""


@pytest.mark.parametrize(("installed", "unsafe"), [("1.8.0", False), ("2.13", True)])
def test_numpy_is_seeded_where_torch_does_not(mend: Mend, installed: str, *, unsafe: bool) -> None:
    body = MAIN.format("").lstrip("\n")
    before = code(item="return np.random.rand()", rest="{}")
    texts = {"train.py": before.format(body), "requirements.txt": "torch==1.8\n"}
    torch = TorchBuild(version=installed)

    alone = mend(texts, torch, select="PDR501")
    outcome = mend(texts, torch, select="PDR501", unsafe=True)

    given = MAIN.format(", worker_init_fn=seed_numpy_in_worker").lstrip("\n")
    assert outcome.files["train.py"].decode() == before.format(SEEDED + given)
    assert bool(alone.files) != unsafe
