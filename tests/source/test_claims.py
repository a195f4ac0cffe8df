"""Facts before claims: look-alikes that reports took for hazards, beside the hazard itself."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.engine.triage import triage
from pipedoctor.facts import Facts, Source
from tests.checks.code_samples import find, frames, read

CHECKS = {c.name: c for c in get_catalogue().checks.values() if c.needs.get(Source)}
LOOP = """
def main(data, net):
    loader = DataLoader(data, 64, shuffle=True, num_workers=2, pin_memory=True)
    best = 9.0
    for epoch in range(9):
        epoch_loss = 0.0
        for x in loader:
            loss = net(x.cuda(non_blocking=True))
            loss.backward()
{body}
        if epoch_loss < best:
            best = epoch_loss
"""
CURRICULUM = """
class Rows(Dataset):
    def __init__(self):
        self.epoch = 0
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.files[index] * self.epoch

def main(net):
    told, other = Rows(), Rows()
    first = DataLoader(told, num_workers=2, persistent_workers={first})
    second = DataLoader(other, num_workers=2, persistent_workers={second})
    for epoch in range(9):
        told.epoch = epoch
        for x in first:
            net(x)
        for x in second:
            net(x)
"""
NETWORK = """
class Net(torch.nn.Module):
    def __init__(self):
        self.layers = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8){more})

def main(data, net):
    for x in DataLoader(data, batch_size=64, shuffle=True):
        net(x).backward()
"""
OTHERS_METHOD = """
class Job:
    def work(self):
        loader = DataLoader(rows, num_workers=2)
        for x in loader:
            self.net(x)

def main(net, job, policy):
    for epoch in range(9):
        job.work({given})
"""


def step(line: str) -> str:
    return LOOP.format(body=f"            {line}")


CASES = {
    "a mapped array": ("unpickle-per-item", frames("np.load(p, 'r', allow_pickle=True)"), False),
    "a mapped array by name": (
        "unpickle-per-item",
        frames("np.load(p, mmap_mode='r', allow_pickle=True)"),
        False,
    ),
    "an array with objects": ("unpickle-per-item", frames("np.load(p, allow_pickle=True)"), True),
    "a library that is imported when it is used": (
        "container-open-per-item",
        "h6 = lazy_import('h5py')\n"
        + frames("with h6.File('train.h5') as file:\n    return file['images'][index]"),
        True,
    ),
    "rows by comprehension": (
        "python-object-list",
        frames("return self.rows[index]", "self.rows = [(f, len(f)) for f in files]"),
        True,
    ),
    "a number that a helper prints": (
        "sync-in-loop",
        "def show(value):\n    print(value)\n" + step("show(x.shape[0])"),
        False,
    ),
    "a result that a helper prints": (
        "sync-in-loop",
        "def show(value):\n    print(value)\n" + step("show(loss)"),
        True,
    ),
    "a float array of an image": (
        "pil-open-to-float-in-item",
        frames(
            "image = Image.open(self.files[index]).convert('RGB')\n"
            "return np.array(image, dtype=np.float32)"
        ),
        True,
    ),
    "a sum that is compared after the loop": (
        "sync-in-loop",
        step("epoch_loss += loss.item()"),
        True,
    ),
    "a loss that ends the loop": (
        "sync-in-loop",
        step("value = loss.item()\n            if value > 9:\n                break"),
        True,
    ),
    "printed sizes": ("sync-in-loop", step("print(x.shape, len(x))"), False),
    "a printed result": ("sync-in-loop", step("print(loss)"), True),
    "another dataset of the class": (
        "epoch-state-in-persistent-worker",
        CURRICULUM.format(first=False, second=True),
        False,
    ),
    "the dataset that is told": (
        "epoch-state-in-persistent-worker",
        CURRICULUM.format(first=True, second=False),
        True,
    ),
    "whole maps": ("drop-last-missing", NETWORK.format(more=""), False),
    "one value a channel": (
        "drop-last-missing",
        NETWORK.format(more=", torch.nn.AdaptiveAvgPool2d(1), torch.nn.BatchNorm2d(8)"),
        True,
    ),
    "one value a channel, and nothing normalises it": (
        "drop-last-missing",
        NETWORK.format(more=", torch.nn.AdaptiveAvgPool2d(1)"),
        False,
    ),
    "a mapped checkpoint": ("unpickle-per-item", frames("torch.load(p, mmap=True)"), False),
    "a checkpoint": ("unpickle-per-item", frames("torch.load(p)"), True),
    "mapped arrays of objects": (
        "unpickle-per-item",
        "import joblib\n" + frames("joblib.load(p, mmap_mode='r')"),
        False,
    ),
    "a method of another class": (
        "loader-in-epoch-loop",
        OTHERS_METHOD.format(given="policy"),
        False,
    ),
    "its own method": ("loader-in-epoch-loop", OTHERS_METHOD.format(given=""), True),
}


@pytest.mark.parametrize(("name", "code", "speaks"), CASES.values(), ids=CASES)
def test_only_the_hazard_itself_is_claimed(name: str, code: str, speaks: bool) -> None:
    assert bool(find(CHECKS[name], code)) == speaks


@pytest.mark.parametrize(("given", "edits"), [("", True), (", persistent_workers=False", False)])
def test_what_is_written_out_is_not_turned_round(given: str, edits: bool) -> None:
    (finding,) = find(
        CHECKS["persistent-workers-missing"],
        f"def main(data, net):\n    loader = DataLoader(data, 64, num_workers=2{given})\n"
        "    for epoch in range(9):\n        for x in loader:\n            net(x).backward()\n",
    )
    assert bool(finding.remedies[0].edits) == edits


def test_a_guard_goes_before_what_each_worker_would_repeat() -> None:
    (finding,) = find(
        CHECKS["main-guard"],
        "seed = 3\nnet = torch.load('net.pt')\nloader = DataLoader(net, num_workers=2)\n"
        "for x in loader:\n    net(x)\n",
    )
    begin = min(edit.line for edit in finding.remedies[0].edits if "__main__" in edit.replacement)
    assert begin == finding.location.line - 1  # type: ignore[union-attr]


def test_what_accelerate_prepares_is_judged_as_well() -> None:
    code = {
        "train.py": "from accelerate import Accelerator\nimport torch\n"
        "from torch.utils.data import DataLoader\n\n"
        "def main(data, net):\n    accelerator = Accelerator()\n"
        "    loader = DataLoader(data, 64, shuffle=True, num_workers=2)\n"
        "    net, loader = accelerator.prepare(net, loader)\n"
        "    for epoch in range(9):\n        for x in loader:\n"
        "            accelerator.backward(net(x))\n"
    }
    names = [name for name, check in CHECKS.items() if find(check, code)]
    assert names == ["pin-memory-missing", "persistent-workers-missing"]


def test_a_test_of_what_a_value_is_decides_nothing() -> None:
    code = """
def accuracy(y):
    if torch.is_tensor(y):
        y = y.cpu()
    return 0 if y is None else y

def train(loader):
    for x in loader:
        y = net(x.cuda(non_blocking=True))
        loss = error(y)
        loss.backward()
        accuracy(y)
"""

    (finding,) = find(CHECKS["sync-in-loop"], code)

    assert finding.severity is Severity.SLOWS


@pytest.mark.parametrize(
    ("step", "titles"),
    [
        ("if y.mean().item() > 0:\n            y = -y", ["Test the value at intervals, or decide"]),
        ("print(loss.item())", ["Accumulate"]),
        (
            "if y.mean().item() > 0:\n            y = -y\n        print(loss.item())",
            ["Accumulate", "Test the value at intervals, or decide"],
        ),
        (
            "if torch.isnan(loss):\n            break",
            ["Test the value at intervals, or on the device"],
        ),
        (
            "if y.isnan().any():\n            break",
            ["Test the value at intervals, or on the device"],
        ),
    ],
)
def test_advice_is_for_what_is_read(step: str, titles: list[str]) -> None:
    code = f"""
def train(loader):
    for x in loader:
        y = net(x.cuda(non_blocking=True))
        loss = error(y)
        loss.backward()
        {step}
"""

    (finding,) = find(CHECKS["sync-in-loop"], code)

    assert all(one.title.startswith(t) for one, t in zip(finding.remedies, titles, strict=True))


def test_what_an_environment_is_given_has_to_be_on_the_host() -> None:
    code = """
def play(envs, net):
    obs = envs.reset()
    for step in range(9):
        x = torch.Tensor(obs).to("cuda")
        actions = net(x)
        actions = actions.cpu().numpy()
        obs, reward = {}
        memory.add(obs, reward)
        batch = memory.sample(64)
        loss = error(net(batch.obs))
        loss.backward()
        optimizer.step()
"""

    given = find(CHECKS["sync-in-loop"], code.format("envs.step(actions)"))
    other = find(CHECKS["sync-in-loop"], code.format("show(actions), 0"))

    assert not given
    assert other


@pytest.mark.parametrize(
    ("name", "item"),
    [
        (
            "swallowed-exception-in-item",
            "try:\n            return Image.open(index)\n        except:\n            return None",
        ),
        ("text-parse-per-item", "return np.loadtxt(self.files[index])"),
        ("dir-scan-per-item", "return os.listdir(self.root)[index]"),
    ],
)
def test_classes_with_the_same_hazard_are_one_finding(name: str, item: str) -> None:
    code = "".join(
        f"class {one}(Dataset):\n    def __len__(self):\n        return 9\n"
        f"    def __getitem__(self, index):\n        {item}\n\n"
        for one in ("One", "Two")
    )

    (ranked,) = triage(get_catalogue(), [CHECKS[name].run(Facts(read(code)))])

    assert "the same at 1 more place" in ranked.finding.summary
