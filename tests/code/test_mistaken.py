"""What looks like a hazard and is none; beside it stands the hazard it looks like."""

from collections.abc import Callable

import pytest

from pipedoctor.check import Finding, Severity

Find = Callable[..., list[Finding]]
ROWS = """
class Rows(Dataset):
    def __init__(self, path, keep=False, again=True):
        self.path, self.rows, self.keep, self.again = path, None, keep, again
        {made}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {item}
"""
LOSS = """
def main(device="cuda"):
    for x in DataLoader(rows):
        loss = net(x.to(device))
        loss.backward()
        {then}
        total += loss
"""
TESTED = "import torch\nfrom torch.utils.data import DataLoader\n"


def rows(item: str, made: str = "pass") -> str:
    return ROWS.format(item=item, made=made)


def evaluated(weights: str) -> str:
    return f"val_loader = DataLoader(rows, 4, sampler={weights}, drop_last=True)\n"


def counted(test: str) -> str:
    return rows(
        f"if {test}:\n            return self.turn.value\n        else:\n"
        "            self.turn += 1\n        return self.turn"
    )


SILENT: dict[str, dict[str, str]] = {
    "loss_graph_accumulated": {
        "taken off before": LOSS.format(then="loss = loss.detach().cpu()"),
        "a number by then": LOSS.format(then="loss = loss.item()"),
    },
    "rng_object_in_dataset": {
        "it gets a seed in the worker": rows(
            "self.rng.seed(index)\n        return self.rng.random()",
            "self.rng = random.Random()",
        ),
    },
    "cache_grows_in_item": {
        "shared by a manager": rows(
            "self.kept[index] = read(index)", "self.kept = manager.list()"
        ),
    },
    "container_open_per_item": {
        "only the first time": rows(
            "if self.rows is None:\n            with h5py.File(self.path) as f:\n"
            "                self.rows = f['rows'][:]\n        return self.rows[index]"
        ),
    },
    "drop_last_on_eval": {
        "drawn by their weights": evaluated("WeightedRandomSampler(w, 9)"),
    },
    "pin_memory_missing": {
        "nobody knows what is loaded": "loader = DataLoader(rows)\n"
        "for x in loader:\n    net(x.cuda()).backward()\n",
    },
    "num_workers_zero": {
        "its options are in a configuration": "class Module:\n"
        "    def __init__(self, workers=0):\n        self.workers = workers\n"
        "    def loader(self):\n        return DataLoader("
        "Rows(9), num_workers=self.workers)\n\nModule(**config['data'])\n"
        + rows("return Image.open(self.path)"),
    },
    "drop_last_missing": {
        "graphs": "from torch_geometric.loader import DataLoader as Graphs\n"
        "loader = Graphs(rows, 4)\nnn.BatchNorm1d(3)\nfor epoch in range(9):\n"
        "    for x in loader:\n        net(x).backward()\n",
    },
}
SPEAKS: dict[str, dict[str, str]] = {
    "loss_graph_accumulated": {
        "never taken off": LOSS.format(then="shown = loss.detach()"),
        "taken off afterwards": LOSS.format(then="pass")
        + "        loss = loss.detach()\n",
    },
    "rng_object_in_dataset": {
        "another gets the seed": rows(
            "other.seed(index)\n        return self.rng.random()",
            "self.rng = random.Random()",
        ),
    },
    "cache_grows_in_item": {
        "a list of its own": rows(
            "self.kept[index] = read(index)", "self.kept = list()"
        ),
    },
    "container_open_per_item": {
        "each time": rows(
            "if self.rows is None:\n            with h5py.File(self.path) as f:\n"
            "                rows = f['rows'][:]\n        return rows[index]"
        ),
        "each time but none": rows(
            "if self.rows is not None:\n            return h5py.File(self.path)[index]"
        ),
    },
    "drop_last_on_eval": {"each once": evaluated("SequentialSampler(rows)")},
    "num_workers_zero": {
        "its options are seen": "class Module:\n"
        "    def __init__(self, workers=0):\n        self.workers = workers\n"
        "    def loader(self):\n        return DataLoader("
        "Rows(9), num_workers=self.workers)\n\nModule()\n"
        + rows("return Image.open(self.path)"),
    },
    "drop_last_missing": {
        "points": "loader = DataLoader(rows, 4)\nnn.BatchNorm1d(3)\n"
        "for epoch in range(9):\n    for x in loader:\n        net(x).backward()\n",
    },
}
KEPT = "self.kept[index] = read(index)"
TRIED = (
    rows("return Image.open(self.path)")
    + 'if __name__ == "__main__":\n    for x in DataLoader(Rows(9){}):\n'
    + "        x = x.cuda()\n        {}\n"
)
TWO = (
    rows("return Image.open(self.path)")
    + """
train_loader = DataLoader(Rows(8), num_workers=2)
val_loader = DataLoader(Rows(9), num_workers=2)

def evaluate():
    for x in val_loader:
        net(x.cuda())
"""
)
TRAINS = "\nfor x in train_loader:\n    net(x.cuda()).backward()\n"


def test_silent(find: Find, silent: tuple[str, str]) -> None:
    name, code = silent

    assert find(name, code) == []


def test_speaks(find: Find, speaks: tuple[str, str]) -> None:
    name, code = speaks

    (finding,) = find(name, code)

    assert finding.location is not None
    assert finding.remedies


@pytest.mark.parametrize(
    ("name", "code", "severity"),
    [
        ("container_open_per_item", "return h5py.File(self.path)[index]", "slows"),
        ("container_open_per_item", "return h5py.File(self.path[index])", "note"),
        (
            "container_open_per_item",
            "path = self.path\n        return h5py.File(path)[index]",
            "slows",
        ),
        (
            "container_open_per_item",
            "path = self.path[index]\n        return h5py.File(path)",
            "note",
        ),
    ],
)
def test_each_item_has_a_container_of_its_own(
    find: Find, name: str, code: str, severity: str
) -> None:
    (finding,) = find(name, rows(code))

    assert finding.severity is Severity[severity.upper()]
    assert ("Put many" in finding.remedies[0].title) is (severity == "note")


@pytest.mark.parametrize(
    ("test", "severity"),
    [
        ("self.keep", "note"),
        ("not self.keep", "risks"),
        ("self.again", "risks"),
        ("self.path", "risks"),
        ("index", "risks"),
    ],
)
def test_a_cache_that_somebody_asks_for(find: Find, test: str, severity: str) -> None:
    code = f"if {test}:\n            {KEPT}"

    (finding,) = find("cache_grows_in_item", rows(code, "self.kept = {}"))

    assert finding.severity is Severity[severity.upper()]
    assert ("asked" in finding.summary) is (severity == "note")


LEAVES = """if hasattr(self.turn, 'x'):
            return 0
        self.turn += 1
        return self.turn"""


def test_counts_after_those_that_are_shared(find: Find) -> None:
    (finding,) = find("self_mutation_lost", rows(LEAVES))

    assert finding.severity is Severity.NOTE


LOOKED_AT = """
loader = DataLoader(rows, num_workers=2, pin_memory=True)

def main(device="cuda"):
    {before}
        loss = net(x.to(device))
        loss.backward()
        total += loss.item()
        {then}
"""


@pytest.mark.parametrize(
    ("then", "waits", "copies"),
    [
        ("pass", 1, 1),
        ("break", 0, 0),
        ("return total", 0, 0),
        ("assert total > 0", 0, 1),
        ("assert other > 0", 1, 1),
        ("assert loss > 0", 0, 1),
        ("assert torch.isfinite(loss)", 0, 1),
        ("assert torch.isfinite(other)", 1, 1),
        ("assert loss is not None", 1, 1),
    ],
)
def test_one_batch_and_sums_that_decide(
    find: Find, then: str, waits: int, copies: int
) -> None:
    code = LOOKED_AT.format(before="for x in loader:", then=then)

    assert len(find("sync_in_loop", code)) == waits
    assert len(find("pinned_blocking", code)) == copies


@pytest.mark.parametrize(
    ("how", "severity"),
    [("", "NOTE"), ("fork", "NOTE"), ("spawn", "SLOWS"), ("forkserver", "SLOWS")],
)
def test_a_loader_that_starts_its_workers_in_a_way_of_its_own(
    find: Find, how: str, severity: str
) -> None:
    more = f", multiprocessing_context='{how}'" if how else ""
    code = f"loader = DataLoader(rows, num_workers=2{more})\n"
    code += "for epoch in range(9):\n    for x in loader:\n        print(x)\n"

    (finding,) = find("persistent_workers_missing", code)

    assert finding.severity is Severity[severity]
    assert ("its" in finding.evidence["start_method"]) is bool(how)


MEMORY = """
class Kept(Dataset):
    def __init__(self):
        self.rows = np.load("rows.npy")
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.rows[index]

def main(device="cuda"):
    for x in DataLoader(Kept(), {}):
        net(x.to(device)).backward()
"""


def test_workers_that_only_copy_have_another_illness(find: Find) -> None:
    code = MEMORY.format("num_workers=2")

    assert not find("pin_memory_missing", code)
    assert find("in_memory_with_workers", code)


SCORES = """
val_loader = DataLoader(rows)

def {name}(device="cuda"):
    for x in {over}:
        total += net(x.to(device)).item()
"""


@pytest.mark.parametrize(
    ("name", "over", "found"),
    [("validate", "val_loader", 0), ("score", "loader", 1)],
)
def test_a_file_that_only_evaluates(
    find: Find, name: str, over: str, found: int
) -> None:
    code = SCORES.format(name=name, over=over)

    trains = "\ndef fit(loader):\n    for x in loader:\n        net(x).backward()\n"

    assert len(find("sync_in_loop", code)) == found
    assert len(find("sync_in_loop", code + trains)) == 1


def test_copies_that_several_files_lead_to_are_said_once(find: Find) -> None:
    head = "import torch\nfrom torch.utils.data import DataLoader\n"
    move = f"{head}def move(x):\n    return x.cuda()\n"
    loop = (
        "from move import move\nloader = DataLoader(rows, pin_memory=True)\n"
        "for x in loader:\n    move(x).backward()\n"
    )

    (finding,) = find(
        "pinned_blocking",
        {"move.py": move, "first.py": head + loop, "second.py": head + loop},
    )

    assert finding.location is not None
    assert finding.location.path == "move.py"


CHECKED = """
class Checked(Dataset):
    def __getitem__(self, index):
        return self.rows[index] if self.fits(index) else 0
    def fits(self, index):
        try:
            return parse(self.rows[index])
        except Exception:
            return {}
"""


@pytest.mark.parametrize(("said", "found"), [("False", 0), ("None", 0), ("9", 1)])
def test_who_says_false_hands_it_on(find: Find, said: str, found: int) -> None:
    assert len(find("swallowed_exception_in_item", CHECKED.format(said))) == found


@pytest.mark.parametrize(
    ("around", "severity"),
    [
        ("with torch.no_grad():", "note"),
        ("with torch.inference_mode():", "note"),
        ("with timer:", "slows"),
    ],
)
def test_without_gradients_it_evaluates(find: Find, around: str, severity: str) -> None:
    code = "loader = DataLoader(rows, num_workers=2)\ndef score(net):\n"
    code += f"    {around}\n        for x in loader:\n            net(x.cuda())\n"

    (finding,) = find("pin_memory_missing", code)

    assert finding.severity is Severity[severity.upper()]


@pytest.mark.parametrize(
    "how", ["isinstance(self.turn, Shared)", "hasattr(self.turn, 'x')"]
)
def test_counts_that_may_be_shared(find: Find, how: str) -> None:
    (alone,) = find("self_mutation_lost", counted("index"))
    (shared,) = find("self_mutation_lost", counted(how))

    assert (alone.severity, shared.severity) == (Severity.RISKS, Severity.NOTE)


@pytest.mark.parametrize(
    ("name", "more"),
    [("num_workers_zero", ""), ("pin_memory_missing", ", num_workers=2")],
)
@pytest.mark.parametrize(
    ("then", "severity"), [("show(x)", "note"), ("x.backward()", "slows")]
)
def test_a_data_set_that_is_only_tried_out(
    find: Find, name: str, more: str, then: str, severity: str
) -> None:
    (finding,) = find(name, TRIED.format(more, then))

    assert finding.severity is Severity[severity.upper()]


@pytest.mark.parametrize(
    ("code", "severity", "others"),
    [
        (TWO + "evaluate()\n", "note", 0),
        (TWO + "for epoch in range(9):\n    evaluate()\n", "slows", 0),
        (TWO + "evaluate()\n" + TRAINS, "slows", 1),
    ],
)
def test_one_pass_of_an_evaluation(
    find: Find, code: str, severity: str, others: int
) -> None:
    (finding,) = find("pin_memory_missing", code)

    assert finding.severity is Severity[severity.upper()]
    assert len(finding.also_at) == others


@pytest.mark.parametrize(
    ("path", "found"),
    [("test/net/test_net.py", 0), ("test/test_net.py", 0), ("test/net.py", 1)],
)
def test_tests_by_their_file(find: Find, path: str, found: int) -> None:
    code = "from torchvision import datasets\nDataLoader(datasets.ImageFolder('x'))\n"

    assert len(find("num_workers_zero", {path: TESTED + code})) == found


STARTED = """
import torch
from torch.utils.data import DataLoader

def main(rows):
    for epoch in range(9):
        for x in loader:
            print(x)

loader = DataLoader(rows, num_workers=2)
"""


@pytest.mark.parametrize(
    ("guard", "severity"), [("if __name__ == '__main__'", "NOTE"), ("if 1", "SLOWS")]
)
def test_a_script_starts_its_own_workers(find: Find, guard: str, severity: str) -> None:
    other = f"import torch\n{guard}:\n"
    other += "    torch.multiprocessing.set_start_method('spawn')\n"

    (finding,) = find(
        "persistent_workers_missing", {"train.py": STARTED, "demo.py": other}
    )

    assert finding.severity is Severity[severity]
