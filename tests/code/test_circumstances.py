"""The same line where it harms and where it does not: what stands around decides."""

from collections.abc import Callable

import pytest

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import Interpreter
from pipedoctor.facts.source import Minimum
from tests.code.conftest import HEAD

Find = Callable[..., list[Finding]]
FOTOS = """
class Fotos(Dataset):
    def __init__(self, files):
        self.files = files
        {kept}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {first}
        return Image.open(self.files[index])
    def grow(self, size):
        self.size = size
    def count(self):
        total = len(self.files)
        return total
"""
RUN = """
def main(device="cuda"):
    loader = DataLoader({given})
    for epoch in range(9):
        {between}
        for x in loader:
            loss = net(x.to(device))
            loss.backward()
            {step}
"""


def run(
    given: str = "Fotos(files), num_workers=2",
    between: str = "pass",
    step: str = "pass",
    kept: str = "pass",
    first: str = "pass",
) -> str:
    fotos = FOTOS.format(kept=kept, first=first)
    return fotos + RUN.format(given=given, between=between, step=step)


def rows(made: str, init: str = "self.rows = self.found()", more: str = "") -> str:
    return (
        f"class Rows(Dataset):\n    def __init__(self, names):\n        {init}\n"
        "    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, index):\n        return read(self.rows[index])\n"
        f"    def found(self):\n        found = []\n        for name in names:\n"
        f"            found.append({made})\n        {more}\n        return found\n"
    )


MEMORY = """
class Points(Dataset):
    def __init__(self):
        self.points = np.load("points.npy")
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.points[index]

""" + RUN.format(given="Points(), num_workers=2", between="pass", step="pass")
HANDLE = "self.bytes = open(files, 'rb')"
SEEDS = "np.random.seed(torch.utils.data.get_worker_info().id)"
ENDS = (
    "value = loss.item()\n            if not math.isfinite(value):\n"
    "                raise ValueError"
)
FREEZE = "from torch.autograd import Variable\nx = Variable(x, volatile={})\n"
RESET = """
class {name}(Dataset):
    def __init__(self):
        random.seed(7)
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return read(index)
"""
SILENT: dict[str, dict[str, str]] = {
    "persistent_workers_missing": {
        "a method changes the data set": run(between="loader.dataset.grow(epoch)"),
        "an attribute changes": run(between="loader.dataset.stage = epoch // 3"),
        "workers that had better not be": MEMORY,
    },
    "num_workers_zero": {
        "a handle that workers must not share": run(
            "Fotos(files), num_workers=0", kept=HANDLE, first="self.bytes.seek(index)"
        ),
        "zero was written for another's class": "from shelf import Book\n"
        "loader = DataLoader(Book(), num_workers=0)\n",
        "zero was written for whole batches": "def make(data):\n"
        "    return DataLoader(data, batch_size=None, num_workers=0)\n",
    },
    "python_object_list": {
        "an array afterwards": rows("[name, 1]", more="found = np.array(found)"),
        "what is the same for all": rows("('position', 3)"),
        "what its caller only looks at": rows(
            "(name, 1)", "for one in self.found():\n            self.last = one[0]"
        ),
    },
    "sync_in_loop": {
        "it ends where the loss is not finite": run(step=ENDS),
        "asked at once": run(step="if loss.item() != loss.item():\n                1"),
    },
}
SPEAKS: dict[str, dict[str, str]] = {
    "persistent_workers_missing": {
        "nothing changes": run(between="loader.dataset.count()"),
        "it changes once, before": run() + "\nmain(0).dataset.stage = 1\n",
    },
    "num_workers_zero": {
        "opened anew": run("Fotos(files)", kept=HANDLE, first="self.bytes = None"),
        "zero was written for who knows what": "def make(data):\n"
        "    return DataLoader(data, num_workers=0)\n",
    },
    "python_object_list": {
        "kept": rows("(name, 1)"),
        "through another name": rows(
            "(name, 1)", "rows = self.found()\n        self.rows = rows"
        ),
        "kept by the base class": rows(
            "(name, 1)", "rows = self.found()\n        super().__init__(rows)"
        ),
        "handed on": rows("(name, 1)", "self.rows = self.all()")
        + "    def all(self):\n        return self.found()\n",
    },
    "sync_in_loop": {"summed up": run(step="total += loss.item()")},
}


def test_silent(find: Find, silent: tuple[str, str]) -> None:
    name, code = silent
    assert not find(name, f"import math\n{code}")


def test_speaks(find: Find, speaks: tuple[str, str]) -> None:
    name, code = speaks
    assert find(name, code)


def test_workers_that_start_slowly_are_worth_a_change(find: Find) -> None:
    code = run(between="loader.dataset.grow(epoch)")

    (finding,) = find("persistent_workers_missing", code, Interpreter(version="3.14.1"))

    assert finding.severity is Severity.SLOWS
    assert finding.remedies[0].kept


@pytest.mark.parametrize(("first", "found"), [(SEEDS, 0), ("pass", 1)])
def test_a_data_set_that_seeds_numpy_itself(find: Find, first: str, found: int) -> None:
    code = run(first=f"{first}\n        np.random.rand()")
    old = Minimum(version="1.6", told="README.md")

    assert len(find("numpy_rng_unseeded", code, torch=old)) == found


LOOPS = """
def validate(loader):
    for x in loader:
        total += net(x.to(device)).item()

def train(loader):
    for x in loader:
        loss = net(x.to(device))
        loss.backward()
        print(loss.item())

{more}
"""
FIT = "def fit(loader):\n    for x in loader:\n        net(x).backward()\n\n"
MORE = (
    "def test(test_loader):\n    for x in test_loader:\n"
    "        print(net(x.cuda()).item())"
)


@pytest.mark.parametrize(
    ("code", "said", "also", "severity"),
    [
        (
            LOOPS.format(more=""),
            "The loops in train and validate wait",
            1,
            Severity.SLOWS,
        ),
        (
            LOOPS.format(more=MORE),
            "The loops in train and 2 more wait",
            2,
            Severity.SLOWS,
        ),
        (FIT + MORE, "The loop in test waits", 0, Severity.NOTE),
    ],
)
def test_the_loops_of_a_file_are_one_finding(
    find: Find, code: str, said: str, also: int, severity: Severity
) -> None:
    (finding,) = find("sync_in_loop", f"{code}\n# cuda")

    assert finding.summary == f"{said} for the GPU in every step"
    assert (len(finding.also_at), finding.severity) == (also, severity)


def test_what_one_loop_calls_stands_behind_the_loop(find: Find) -> None:
    code = {
        "a.py": "def level(loss):\n    return loss.item()\n",
        "b.py": HEAD
        + "from a import level\n"
        + run(step="level(loss)\n            print(loss.item())  # cuda"),
    }

    (finding,) = find("sync_in_loop", code)

    assert finding.location is not None
    assert finding.location.path == "b.py"
    assert [place.path for place in finding.also_at] == ["a.py"]


@pytest.mark.parametrize(
    ("value", "severity"), [("True", Severity.RISKS), ("False", Severity.NOTE)]
)
def test_volatile_kept_no_graph_once(
    find: Find, value: str, severity: Severity
) -> None:
    (finding,) = find("variable", FREEZE.format(value))

    assert finding.severity is severity
    assert (finding.remedies[0].snippet == "with torch.no_grad():") == (value == "True")


def test_data_sets_that_reset_random_numbers_are_said_once(find: Find) -> None:
    code = RESET.format(name="One") + RESET.format(name="Two")

    (finding,) = find("global_reseed_in_dataset", code)

    assert finding.summary == (
        "One.__init__ and 1 more set the global random numbers back: random.seed"
    )


FACTORY = "def wrap(model, devices=None):\n    return nn.DataParallel(model, devices)\n"
TRAINS = "def build(net):\n    net = nn.DataParallel(net)\n"
KNOWN = """
from torchvision import datasets
def main(args):
    loader = DataLoader(datasets.{name}(root), batch_size={size}, num_workers=2)
    net = nn.BatchNorm2d(3)
    for epoch in range(9):
        for x in loader:
            loss = net(x)
            loss.backward()
"""
FORCES = """
def forces(model, positions):
    energy = model(positions)
    energy.backward()
    {then}
    return energy.item(), positions{grad}
# cuda
"""


@pytest.mark.parametrize(
    ("name", "size", "found"),
    [
        ("CIFAR10", "args.size", 0),
        ("CIFAR10", "128", 0),
        ("STL10", "7", 0),
        ("STL10", "4999", 1),
        ("ImageFolder", "128", 1),
    ],
)
def test_data_sets_of_known_size(find: Find, name: str, size: str, found: int) -> None:
    code = KNOWN.format(name=name, size=size)

    assert len(find("drop_last_missing", code)) == found


@pytest.mark.parametrize(
    ("then", "grad", "found"),
    [
        ("pass", ".grad", 0),
        ("optimizer.zero_grad()", "", 0),
        ("optimizer.step()", ".grad", 1),
    ],
)
def test_a_gradient_that_is_the_result(
    find: Find, then: str, grad: str, found: int
) -> None:
    assert len(find("sync_in_loop", FORCES.format(then=then, grad=grad))) == found


STEPPED = """
def train(epoch, x):
    loss = net(x)
    loss.backward()
    optimizer.step()
    print(loss.item())

def main(many):
    {loop}
        train(0, many)
# cuda
"""


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        ("for epoch in range(9):", 0),
        ("for step in many:", 1),
        ("for epoch in range(9):\n      for step in many:", 1),
        ("if many:", 1),
    ],
)
def test_an_epoch_of_one_step(find: Find, loop: str, found: int) -> None:
    assert len(find("sync_in_loop", STEPPED.format(loop=loop))) == found


def test_who_is_given_devices_was_asked_for_it(find: Find) -> None:
    head = "from torch import nn\n"
    assert not find("data_parallel", {"a.py": head + FACTORY})

    code = {"a.py": head + TRAINS, "b.py": head + TRAINS.replace("build", "start")}
    (finding,) = find("data_parallel", code)

    assert finding.summary == "build and 1 more drive all GPUs from one process"


BOTH = """
def validate(device="cuda"):
    for epoch in range(9):
        for x in DataLoader(Fotos(files), pin_memory=True):
            net(x.to(device))
"""


def test_the_copies_of_a_file_are_one_finding(find: Find) -> None:
    (finding,) = find("pinned_blocking", run("Fotos(files), pin_memory=True") + BOTH)

    assert finding.summary == (
        "The loops in main and validate wait for each copy of a pinned batch"
    )
    assert len(finding.also_at) == 1
    assert len(finding.remedies[0].edits) == 2


BUILT = """
class {name}(Dataset):
    def __init__(self, size):
        self.size = size
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {many}
        os.system("sox")
        t = transforms.Compose([transforms.Resize(self.size)])
        return t(read(index))
"""
MANY = "transforms.Compose([])"


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [("pass", "pass", 2), (MANY, MANY, 1), (MANY, "pass", 2)],
)
def test_transforms_that_only_people_can_move_are_said_once(
    find: Find, first: str, second: str, found: int
) -> None:
    code = {
        "one.py": HEAD + BUILT.format(name="One", many=first),
        "two.py": HEAD + BUILT.format(name="Two", many=second),
    }

    built = find("transform_built_per_item", code)

    assert len(built) == found
    assert (found == 1) == any("and 1 more build their" in x.summary for x in built)


def test_programs_of_a_file_are_one_finding(find: Find) -> None:
    both = BUILT.format(name="One", many="1") + BUILT.format(name="Two", many="1")

    (finding,) = find("subprocess_per_item", both)

    assert finding.summary == (
        "One.__getitem__ and 1 more start a program for every item"
    )


WRAPPED = """
from torchvision import datasets
class Numbered(datasets.ImageFolder):
    def __getitem__(self, index):
        {item}
loader = DataLoader(Numbered(root), num_workers=2)
"""


@pytest.mark.parametrize(
    ("item", "found"),
    [("return super().__getitem__(index), index", 0), ("return self.rows[index]", 1)],
)
def test_items_of_a_base_class_are_work(find: Find, item: str, found: int) -> None:
    assert len(find("in_memory_with_workers", WRAPPED.format(item=item))) == found


IMPORTED = """
try:
    from {new} import GradScaler
except ImportError:
    from torch.cuda.amp import GradScaler
scaler = GradScaler()
"""


@pytest.mark.parametrize(
    ("new", "found"), [("torch", 0), ("torch.amp", 0), ("mine", 1)]
)
def test_the_new_name_is_tried_first(find: Find, new: str, found: int) -> None:
    assert bool(find("cuda_amp", IMPORTED.format(new=new))) == bool(found)


ONE_PASS = """
def seed(worker_id):
    np.random.seed(worker_id)

def main(device="cuda"):
    test_loader = DataLoader(rows, num_workers=2, worker_init_fn=seed)
    for x in test_loader:
        net(x)
"""


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (ONE_PASS, 0),
        (ONE_PASS.replace("net(x)", "net(x).backward()").replace("test_", ""), 1),
        (ONE_PASS.replace("worker_id)\n\n", "3)\n\n"), 1),
    ],
)
def test_one_pass_has_no_other_epochs(find: Find, code: str, found: int) -> None:
    assert len(find("constant_worker_seed", code)) == found


def test_old_draws_are_said_once_of_a_project(find: Find) -> None:
    draws = run(first="np.random.rand()")
    old = Minimum(version="1.6", told="README.md")

    (finding,) = find(
        "numpy_rng_unseeded", draws + draws.replace("Fotos", "Other"), torch=old
    )

    assert finding.summary == (
        "Fotos.__getitem__ and 1 more draw from numpy; torch seeds it from 1.9 on"
    )


WAITS = "total += loss.item()\n            {}torch.cuda.synchronize()"


@pytest.mark.parametrize(
    ("before", "remedies"), [("", 2), ("if timed:\n                ", 1)]
)
def test_waiting_for_everything_in_each_step(
    find: Find, before: str, remedies: int
) -> None:
    (finding,) = find("sync_in_loop", run(step=WAITS.format(before)))

    assert len(finding.remedies) == remedies
    assert len(finding.also_at) == remedies - 1


ONCE = """
def {name}(device="cuda"):
    for x in DataLoader(Fotos(files), num_workers=2{pinned}):
        print(net(x.to(device)).item())
"""


@pytest.mark.parametrize(("name", "found"), [("predict", 0), ("score", 1)])
def test_what_only_shows_a_model_need_not_be_fast(
    find: Find, name: str, found: int
) -> None:
    code = FOTOS.format(kept="pass", first="pass") + ONCE

    plain = code.format(name=name, pinned="")
    pinned = code.format(name=name, pinned=", pin_memory=True")

    assert len(find("pin_memory_missing", plain)) == found
    assert len(find("pinned_blocking", pinned)) == found
    assert len(find("sync_in_loop", plain)) == found


@pytest.mark.parametrize(
    ("guard", "found"),
    [
        ("local_rank == 0", 1),
        ("dist.get_rank() == 0", 1),
        ("local_rank == 0 and epoch % 9 == 0", 0),
        ("step == 0", 0),
    ],
)
def test_the_first_rank_waits_in_each_step(find: Find, guard: str, found: int) -> None:
    step = f"if {guard}:\n                print(loss.item())"

    assert len(find("sync_in_loop", run(step=step))) == found


SOUGHT = (
    "{loop} not os.path.exists(index):\n            print(index)\n"
    "            index = index + 1"
)


@pytest.mark.parametrize(("loop", "found"), [("while", 0), ("if", 1)])
def test_what_is_said_of_samples_that_are_missing(
    find: Find, loop: str, found: int
) -> None:
    assert len(find("print_in_item", run(first=SOUGHT.format(loop=loop)))) == found


EVALUATES = """
class Runner:
    def __init__(self, net):
        self.net = net
    def eval(self):
        loader = DataLoader(rows, num_workers=2)
        for x in loader:
            self.net(x)
    def fit(self):
        for epoch in range(9):
            {call}

def main(net):
    {made}
"""


@pytest.mark.parametrize(
    ("call", "made", "found"),
    [
        ("self.net.eval()", "pass", 0),
        ("self.eval()", "pass", 1),
        ("pass", "for epoch in range(9):\n        net.eval()", 0),
        (
            "pass",
            "runner = Runner(net)\n    for epoch in range(9):\n        runner.eval()",
            1,
        ),
    ],
)
def test_modules_have_methods_of_the_same_name(
    find: Find, call: str, made: str, found: int
) -> None:
    code = EVALUATES.format(call=call, made=made)

    assert len(find("loader_in_epoch_loop", code)) == found


TAKES = """
def main(names):
    count = {count}
    it = iter(DataLoader(rows))
    for step in range(count):
        net(next(it))
"""


@pytest.mark.parametrize(("count", "found"), [("len(names)", 0), ("1000", 1)])
def test_as_many_as_there_are_names(find: Find, count: str, found: int) -> None:
    assert len(find("unguarded_next", TAKES.format(count=count))) == found


MADE = """
class Made(Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [("return torch.randn(3)", 0), ("return self.rows[random.randrange(9)]", 1)],
)
def test_items_that_are_made_up(find: Find, body: str, found: int) -> None:
    assert len(find("index_ignored", MADE.format(body=body))) == found


@pytest.mark.parametrize(("then", "found"), [("assert 0", 0), ("index = index - 1", 1)])
def test_what_is_said_before_an_end(find: Find, then: str, found: int) -> None:
    first = f"if index > 9:\n            print(index)\n            {then}"

    assert len(find("print_in_item", run(first=first))) == found


@pytest.mark.parametrize(
    ("call", "found"), [("cv2.circle(x, y, 3, 2)", 0), ("cv2.remap(x, y)", 1)]
)
def test_drawing_takes_one_thread(find: Find, call: str, found: int) -> None:
    assert len(find("cv2_threads", run(first=call))) == found


@pytest.mark.parametrize(
    ("step", "found"), [("net(x.to(device))", 0), ("net(x.to(device)).backward()", 1)]
)
def test_pinning_ahead_needs_somebody_who_does(
    find: Find, step: str, found: int
) -> None:
    code = FOTOS.format(kept="pass", first="pass")
    code += (
        f"def evaluate(device):\n    for x in DataLoader(Fotos(9)):\n        {step}\n"
    )

    assert len(find("pin_memory_missing", code)) == found


def test_last_batches_are_said_once_of_a_project(find: Find) -> None:
    one = KNOWN.format(name="ImageFolder", size=8)
    code = {"a.py": HEAD + one, "b.py": HEAD + one}

    (finding,) = find("drop_last_missing", code)

    assert finding.summary == (
        "loader and 1 more may end with a batch of one: not for BatchNorm"
    )
    assert len(finding.remedies[0].edits) == 2


def test_numbers_stand_before_what_the_host_may_need(find: Find) -> None:
    step = "keep(loss.cpu())\n            total += loss.item()"

    (finding,) = find("sync_in_loop", run(step=step))

    assert finding.location is not None
    assert finding.also_at[0].line < finding.location.line


PASSES = """
def evaluate(loader, device="cuda"):
    for x in loader:
        net(x.to(device))

def main():
    loader = DataLoader(Fotos(files), pin_memory=True)
    {call}
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("evaluate(loader)", 0),
        ("for epoch in range(9):\n        evaluate(loader)", 1),
    ],
)
def test_one_evaluation_may_wait_for_its_copies(
    find: Find, call: str, found: int
) -> None:
    code = FOTOS.format(kept="pass", first="pass") + PASSES.format(call=call)

    assert len(find("pinned_blocking", code)) == found


def test_a_constant_that_is_volatile_is_a_note(find: Find) -> None:
    code = "from torch.autograd import Variable\nclass Net:\n    def __init__(self):\n"
    code += "        self.priors = Variable(boxes, volatile=True)\n"

    (finding,) = find("variable", code)

    assert finding.severity is Severity.NOTE


BASED = """
class Based(Dataset):
    def __init__(self, names):
        self.base = {base}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        item = self.base[index]
        item["label"] = 1
        return item
"""


@pytest.mark.parametrize(
    ("base", "found"),
    [("self.get_base()", 0), ("[dict(name=name) for name in names]", 1)],
)
def test_who_knows_what_it_is_made_from(find: Find, base: str, found: int) -> None:
    assert len(find("cached_sample_mutated", BASED.format(base=base))) == found


def test_what_a_test_draws_need_not_differ(find: Find) -> None:
    draws = "import unittest\n" + run(first="np.random.rand()")
    old = Minimum(version="1.6", told="README.md")

    assert not find("numpy_rng_unseeded", draws, torch=old)
