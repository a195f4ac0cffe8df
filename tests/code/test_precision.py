"""What a maintainer would not merge is not said; beside it stands what one would."""

from collections.abc import Callable
from typing import Any

import pytest

from pipedoctor.check import Finding, Severity
from tests.code.conftest import HEAD

Find = Callable[..., list[Finding]]
IMAGES = """
class Images(Dataset):
    def __init__(self, files):
        self.files = files
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return Image.open(self.files[index])
"""
STEP = """
            loss = net(x)
            loss.backward()
"""
EPOCHS = f"""
def main(args):
    for epoch in range(9):
        for x, y in loader:
            x = x.to(device){STEP}
"""
ONCE = EPOCHS.replace("for epoch in range(9):", "if args.train:")
PINNED = "loader = DataLoader(Images(), pin_memory=True, shuffle=True)\n"


def fed(arguments: str, then: str = EPOCHS) -> str:
    return f"{IMAGES}\nloader = DataLoader({arguments})\n{then}"


def copied(lines: str) -> str:
    return IMAGES + PINNED + EPOCHS.replace("x = x.to(device)", lines)


def collated(body: str) -> str:
    return (
        f"def together(samples):\n    {body}\n\n"
        "loader = DataLoader(rows, collate_fn=together)\n"
    )


def stream(body: str) -> str:
    return (
        "class Stream(IterableDataset):\n"
        "    def __init__(self, source):\n        self.source = source\n"
        f"    def __iter__(self):\n{body}\n\n"
        "loader = DataLoader(Stream(source))\n"
    )


def drawn(items: str) -> str:
    return (
        "class Drawn(Dataset):\n"
        "    def __init__(self):\n"
        "        self.rng = random.Random(7)\n"
        "        self.left = set(range(9))\n"
        "    def __len__(self):\n        return 9\n"
        f"    def __getitem__(self, index):\n{items}\n"
    )


RETRIED = """
        while True:
            sample = read(self.files[index])
            if sample is not None:
                return sample
            self.left.discard(index)
            index = self.rng.choice(sorted(self.left))
"""


COUNTED = """
        if {test}:
            return self.turn.value
        else:
            self.turn += 1
        return self.turn
"""


def shown(test: str) -> str:
    return (
        "class Shown(Dataset):\n    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, index):\n"
        f"        sample = read(index)\n        if {test}:\n"
        "            print(index, sample)\n            sample = 0\n"
        "        return sample\n"
    )


def stored(keep: str) -> str:
    return (
        "class Stored(Dataset):\n    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, index):\n"
        "        return torch.load(self.files[index])\n"
        f"    def write(self, index, sample):\n        {keep}\n"
    )


def taken(before: str, count: str = "steps") -> str:
    return (
        f"{IMAGES}\nloader = DataLoader(Images())\n\ndef main(n):\n{before}"
        f"        for step in range({count}):\n            x = next(it)\n"
    )


def caught(body: str, name: str = "shape_of") -> str:
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


def evaluated(wait: str) -> str:
    return (
        "loader = DataLoader(data)\n\ndef score(net, timed):\n"
        "    for x, y in loader:\n"
        "        loss = net(x.cuda())\n"
        f"{wait}"
        "        total += loss.item()\n"
    )


def emptied(lines: str) -> str:
    return f"loader = DataLoader(data)\n\ndef main(net):\n    for x in loader:\n{lines}"


def tried(loop: str, then: str = "") -> str:
    return (
        f'{then}\nif __name__ == "__main__":\n'
        "    def seeds(worker):\n        random.seed(7 + worker)\n"
        "    loader = DataLoader(data, num_workers=2, worker_init_fn=seeds)\n"
        f"    for x in loader:\n        {loop}\n"
    )


def remembered(value: str) -> str:
    return (
        "SEEN = {}\n\nclass Named(Dataset):\n    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, name):\n"
        f"        SEEN[name] = {value}\n        return name\n"
    )


AMP = "scaler = {}torch.cuda.amp.GradScaler()\n"
MEMO = """
class Memo(Dataset):
    def __init__(self):
        self.kept = {{}}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        if {test}:
            self.kept[index] = read(index)
        return self.kept[index]
"""
SEEDED = """
class Coloured(Dataset):
    def __init__(self):
        before = np.random.get_state()
        np.random.seed(3)
        self.colours = np.random.rand(9)
        {after}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.colours[index]
"""
SCANNED = """
class Frames(Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return frames(self.clips[index])

def listed(folder):
    return sorted(os.listdir(folder))

def frames(clip):
    {test}
        clip = listed(clip)
    return [cv2.imread(one) for one in clip]
"""
KEEPS = """
class Reused(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.again = super().__iter__()
    {method}
        for _ in range(len(self)):
            yield next(self.again)

loader = Reused(Images(), num_workers=2)
"""
SILENT: dict[str, dict[str, str]] = {
    "num_workers_zero": {
        "what collates only pads": collated("return tokenizer.pad(samples)"),
        "a stream of made numbers": stream(
            "        for _ in range(9):\n            yield torch.randn(3)"
        ),
    },
    "pin_memory_missing": {
        "no workers, on purpose": fed("Images(), num_workers=0"),
        "the default of an option": IMAGES + "def build(pin=False):\n"
        "    return DataLoader(Images(), num_workers=2, pin_memory=pin)\n"
        "loader = build()\n" + EPOCHS,
    },
    "pinned_blocking": {
        "of another type": copied("x = x.float().to(device)"),
        "by way of numpy": copied(
            "x = torch.from_numpy(flip(x))\n            x.cuda()"
        ),
    },
    "persistent_workers_missing": {
        "a class that keeps them": IMAGES
        + KEEPS.format(method="def __iter__(self):")
        + EPOCHS,
    },
    "train_not_shuffled": {"one pass": fed("Images()", ONCE)},
    "drop_last_missing": {
        "kept on purpose": fed("Images(), 4, drop_last=False") + "nn.BatchNorm2d(3)",
        "it serves both": IMAGES + "def build(shuffle):\n"
        "    return DataLoader(Images(), 4, shuffle=shuffle)\n"
        "loader = build(args.mix)\n" + EPOCHS + "nn.BatchNorm2d(3)",
        "only spoken of": fed("Images(), 4") + "# see example.org/resnets.html",
    },
    "unguarded_next": {
        "begun anew now and then": "loader = DataLoader(rows)\nit = iter(loader)\n"
        "for step in range(9999):\n    if step % 9 == 0:\n        it = iter(loader)\n"
        "    x = next(it)\n",
        "as long as an epoch": taken(
            "    steps = len(loader) // n\n    for epoch in range(9):\n"
            "        it = iter(loader)\n"
        ),
    },
    "cuda_amp": {
        "only for old versions": AMP.format(
            "torch.amp.GradScaler('cuda') if NEW else "
        ),
        "in the other branch": "if NEW:\n    from torch.amp import GradScaler\n"
        "else:\n    from torch.cuda.amp import GradScaler\nscaler = GradScaler()\n",
        "where the import fails": "try:\n    from torch.amp import autocast\n"
        "except ImportError:\n    from torch.cuda.amp import autocast\n",
        "after the new one has returned": "def scaler():\n    if NEW:\n"
        "        return torch.amp.GradScaler('cuda')\n"
        "    return torch.cuda.amp.GradScaler()\n",
    },
    "swallowed_exception_in_item": {
        "what is not in a list": caught("shape = []").replace(
            "shape = image.header(image)", "shape = image[: image.index(0)]"
        ),
        "none is handed on": caught("shape = None"),
        "none is returned": caught("return None"),
    },
    "global_reseed_in_dataset": {
        "put back": SEEDED.format(after="np.random.set_state(before)"),
    },
    "dir_scan_per_item": {
        "only for a name": SCANNED.format(test="if isinstance(clip, str):"),
    },
    "sync_in_loop": {
        "timed": evaluated("        torch.cuda.synchronize()\n"),
        "timed on a device": evaluated(
            "        if device.type == 'cuda':\n            torch.cuda.synchronize()\n"
        ),
    },
    "data_parallel": {
        "its devices are chosen by others": "class Plan:\n    def wrap(self, net):\n"
        "        return torch.nn.DataParallel(net, device_ids=self.devices)\n",
        "somebody asked for it": "class Runner:\n    def wrap(self, net):\n"
        "        if not self.many and self.parallel:\n"
        "            net = torch.nn.DataParallel(net)\n",
        "one of two was asked for": "class Runner:\n    def wrap(self, net):\n"
        "        if not self.many and not self.parallel:\n            return net\n"
        "        elif self.many:\n            return net\n        else:\n"
        "            return torch.nn.DataParallel(net)\n",
        "beside a warning": "def main(net):\n    if many:\n"
        "        log.warning('better start one process for each')\n"
        "        net = torch.nn.DataParallel(net)\n",
        "it only evaluates": "def score(net):\n"
        "    return torch.nn.DataParallel(net).eval()\n",
    },
    "empty_cache_in_loop": {
        "room for the next": emptied(
            "        y = net(x)\n        show(y)\n        del y\n"
            "        torch.cuda.empty_cache()\n"
        ),
    },
    "module_global_cache": {"a flag": remembered("True")},
    "print_in_item": {
        "nothing was loaded": shown("sample is None"),
    },
    "unpickle_per_item": {
        "what it has saved": stored("torch.save(sample, self.files[index])"),
    },
    "pin_memory_device": {
        "only where it is known": "more = {'pin_memory_device': name} if name else {}\n"
        "loader = DataLoader(data, **more)\n",
    },
}
SPEAKS: dict[str, dict[str, str]] = {
    "num_workers_zero": {
        "what collates tokenises": collated(
            "return [tokenize(one) for one in samples]"
        ),
        "a stream of anything": stream(
            "        for row in self.source:\n            yield row"
        ),
        "a stream that goes on": stream("        yield from self.source"),
    },
    "pin_memory_missing": {"no workers, nor a word of it": fed("Images()")},
    "pinned_blocking": {
        "as it is": copied("x = x.to(device)"),
        "a part of it": copied("x = x[:3]\n            x = x.to(device)"),
    },
    "persistent_workers_missing": {
        "a class of its own name": IMAGES
        + KEEPS.format(method="def other(self):")
        + EPOCHS,
    },
    "train_not_shuffled": {"many passes": fed("Images()")},
    "drop_last_missing": {
        "never said": fed("Images(), 4") + "nn.BatchNorm2d(3)",
        "by its name": fed("Images(), 4") + "resnet18()",
    },
    "empty_cache_in_loop": {
        "nothing was deleted": emptied(
            "        net(x)\n        torch.cuda.empty_cache()\n"
        ),
        "deleted afterwards": emptied(
            "        y = net(x)\n        torch.cuda.empty_cache()\n        del y\n"
        ),
        "deleted before the loop": "del old\n"
        + emptied("        net(x)\n        torch.cuda.empty_cache()\n"),
        "it trains": emptied(
            "        y = net(x)\n        y.backward()\n        del y\n"
            "        torch.cuda.empty_cache()\n"
        ),
    },
    "print_in_item": {
        "something was loaded": shown("sample is not None"),
        "it is something": shown("sample is Missing"),
    },
    "unpickle_per_item": {"what others have saved": stored("show(sample)")},
    "module_global_cache": {"a value": remembered("read(name)")},
    "unguarded_next": {
        "as long as somebody says": taken(
            "    for epoch in range(9):\n        it = iter(loader)\n", "n"
        ),
        "begun once for all epochs": taken(
            "    it = iter(loader)\n    for epoch in range(9):\n", "len(loader)"
        ),
        "for ever": taken("    it = iter(loader)\n    while True:\n", "3"),
    },
    "cuda_amp": {
        "for old and new versions": AMP.format(""),
        "another choice": AMP.format("None if plain else "),
        "where the call fails": "try:\n    scaler = torch.amp.GradScaler('cuda')\n"
        "except TypeError:\n    " + AMP.format(""),
        "in a handler of something else": "try:\n    work()\nexcept OSError:\n    "
        + AMP.format(""),
    },
    "swallowed_exception_in_item": {
        "another shape": caught("shape = (1, 1)"),
        "a sample that is none": "class Caught(Dataset):\n"
        "    def __getitem__(self, index):\n"
        "        try:\n            return read(self.files[index])\n"
        "        except Exception:\n            return None\n",
    },
    "global_reseed_in_dataset": {"never put back": SEEDED.format(after="pass")},
    "dir_scan_per_item": {"always": SCANNED.format(test="if clip:")},
    "sync_in_loop": {
        "never timed": evaluated(""),
        "timed on request": evaluated(
            "        if timed:\n            torch.cuda.synchronize()\n"
        ),
    },
    "data_parallel": {
        "its devices are known here": "class Trainer:\n    def wrap(self, net):\n"
        "        return torch.nn.DataParallel(net, device_ids=[0, 1])\n",
        "where there are two": "class Runner:\n    def wrap(self, net):\n"
        "        if self.count > 1:\n            net = torch.nn.DataParallel(net)\n",
        "where nobody asked for more": "class Runner:\n    def wrap(self, net):\n"
        "        if self.many:\n            return net\n        else:\n"
        "            net = torch.nn.DataParallel(net)\n",
        "a warning of something else": "def main(net):\n    log.warning('slow')\n"
        "    net = torch.nn.DataParallel(net)\n",
        "it trains, too": "def main(net):\n    net = torch.nn.DataParallel(net)\n"
        "    net.eval()\n    net.train()\n",
        "in two branches of one function": "def main(net):\n"
        "    a = torch.nn.DataParallel(net)\n    b = torch.nn.DataParallel(net)\n",
    },
    "pin_then_copy": {
        "both of a pair": "x, y = x.pin_memory().cuda(), 0\n"
        "def batch():\n"
        "    return x.pin_memory().to(device), y.pin_memory().to(device)\n",
    },
    "variable": {
        "all of a file": "x = Variable(x)\n\ndef f(y):\n    return Variable(y)\n"
    },
    "private_import": {"its own": "from torch.utils.data.dataloader import _Hidden\n"},
}
GRADED: list[Any] = [
    pytest.param("rng_object_in_dataset", drawn(RETRIED), "note", id="spare draws"),
    pytest.param(
        "rng_object_in_dataset",
        drawn("        return self.rng.random()"),
        "breaks",
        id="every draw",
    ),
    pytest.param(
        "rng_object_in_dataset",
        drawn("        shift = self.rng.random()" + RETRIED),
        "breaks",
        id="spare draws, and others",
    ),
    pytest.param("self_mutation_lost", drawn(RETRIED), "note", id="spare counts"),
    pytest.param(
        "self_mutation_lost",
        drawn("        self.left.discard(index)\n        return index"),
        "risks",
        id="every count",
    ),
    pytest.param(
        "self_mutation_lost",
        drawn(COUNTED.format(test="isinstance(self.turn, Shared)")),
        "note",
        id="shared where that is asked for",
    ),
    pytest.param(
        "self_mutation_lost",
        drawn(COUNTED.format(test="isinstance(index, int)")),
        "risks",
        id="shared by nobody",
    ),
    pytest.param("unbounded_retry", drawn(RETRIED), "note", id="fewer are left"),
    pytest.param(
        "unbounded_retry",
        drawn(RETRIED.replace("self.left.discard(index)", "pass")),
        "risks",
        id="as many are left",
    ),
    pytest.param(
        "cache_grows_in_item",
        MEMO.format(test="len(self.kept) < 100"),
        "note",
        id="a bound",
    ),
    pytest.param(
        "cache_grows_in_item",
        MEMO.format(test="index not in self.kept"),
        "risks",
        id="no bound",
    ),
    pytest.param("pin_memory_missing", fed("Images()"), "note", id="no workers"),
    pytest.param("constant_worker_seed", tried("show(x)"), "note", id="only tried"),
    pytest.param(
        "constant_worker_seed", tried("x.backward()"), "breaks", id="it trains there"
    ),
    pytest.param(
        "constant_worker_seed",
        tried("show(x)").replace("if __name__ ==", "if name =="),
        "breaks",
        id="no main guard",
    ),
    pytest.param(
        "pin_memory_missing", fed("Images(), num_workers=2"), "slows", id="workers"
    ),
]


def test_silent(find: Find, silent: tuple[str, str]) -> None:
    name, code = silent
    head = HEAD + "from torch.autograd import Variable\n"
    assert find(name, {"train.py": head + code}) == []


def test_speaks(find: Find, speaks: tuple[str, str]) -> None:
    name, code = speaks
    head = HEAD + "from torch.autograd import Variable\n"

    found = find(name, {"train.py": head + code})

    assert found
    assert all(finding.location and finding.remedies for finding in found)


@pytest.mark.parametrize(("name", "code", "severity"), GRADED)
def test_as_grave_as_it_is(find: Find, name: str, code: str, severity: str) -> None:
    (finding,) = find(name, code)

    assert finding.severity is Severity[severity.upper()]


LABELLED = """
class Labelled(Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {image}
        return {label}(self.labels[index])
"""


@pytest.mark.parametrize(
    ("image", "label", "severity"),
    [
        ("Image.open(self.files[index])", "json.load", Severity.NOTE),
        ("Image.open(self.files[index])", "np.loadtxt", Severity.SLOWS),
        ("self.files[index]", "json.load", Severity.SLOWS),
    ],
)
def test_a_label_beside_an_image_is_small(
    find: Find, image: str, label: str, severity: Severity
) -> None:
    (finding,) = find("text_parse_per_item", LABELLED.format(image=image, label=label))

    assert finding.severity is severity


PAIR = """
train = DataLoader(Images(), num_workers=16, drop_last=True)
val = DataLoader(Images(), num_workers=16)
"""


def test_loaders_of_one_file_with_one_cause_are_one_finding(find: Find) -> None:
    (finding,) = find("num_workers_hardcoded", IMAGES + PAIR)

    assert finding.summary.startswith("train, like val, always has 16 workers")
    assert finding.location is not None
    assert [place.line for place in finding.also_at] == [finding.location.line + 1]


def test_many_of_them_are_counted(find: Find) -> None:
    more = "test = DataLoader(Images(), num_workers=16)\n"

    (finding,) = find("num_workers_hardcoded", IMAGES + PAIR + more)

    assert finding.summary.startswith("train, like 2 others, always")


def test_another_cause_is_another_finding(find: Find) -> None:
    other = PAIR.replace(
        "val = DataLoader(Images(), num_workers=16",
        "val = DataLoader(Images(), num_workers=32",
    )

    assert len(find("num_workers_hardcoded", IMAGES + other)) == 2


def test_another_file_is_another_finding(find: Find) -> None:
    line = "loader = DataLoader(Images(), num_workers=16)\n"
    files = dict.fromkeys(("a.py", "b.py"), HEAD + IMAGES + line)

    assert len(find("num_workers_hardcoded", files)) == 2


def test_one_line_that_many_steps_reach_is_one_finding(find: Find) -> None:
    steps = "".join(
        f"class {name}(Base):\n    def optimize(self, x):\n"
        "        loss = self.net(x.cuda())\n        loss.backward()\n"
        "        self.optimizer.step()\n        self.show(loss)\n\n"
        for name in ("First", "Second")
    )
    base = "class Base:\n    def show(self, loss):\n        self.log = loss.item()\n\n"

    (finding,) = find("sync_in_loop", base + steps)

    assert finding.also_at == ()


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("torch.from_numpy(x).float()", True),
        ("x.data", True),
        ("x.detach().cuda()", True),
        ("torch.stack(rows)", False),
        ("net(x)", False),
        ("x", False),
    ],
)
def test_what_variable_took_off_its_graph(find: Find, given: str, safe: bool) -> None:
    code = f"from torch.autograd import Variable\nx = Variable({given})\n"

    (finding,) = find("variable", code)

    assert bool(finding.remedies[0].unsafe) is not safe


def test_variable_stops_gradients() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.ones(2, requires_grad=True)

    assert not torch.autograd.Variable(2 * weight).requires_grad


def test_a_variable_that_wants_a_gradient_is_not_left_out(find: Find) -> None:
    code = "from torch.autograd import Variable\nx = Variable(x, requires_grad=True)\n"

    (finding,) = find("variable", code)

    assert finding.remedies[0].snippet == "tensor.requires_grad_()"
    assert finding.remedies[0].edits == ()


def test_what_has_no_public_name_is_not_renamed(find: Find) -> None:
    hidden = "from torch.utils.data.dataloader import _Hidden\n"
    public = "from torch.utils.data._utils.collate import default_collate\n"

    (kept,) = find("private_import", hidden)
    (renamed,) = find("private_import", public)
    assert len(find("private_import", hidden + public)) == 2

    assert kept.remedies[0].title.endswith("none is public")
    assert renamed.remedies[0].title == "Import the public name"


def test_labels_beside_images_are_said_once(find: Find) -> None:
    one = LABELLED.format(image="Image.open(self.files[index])", label="json.load")

    (finding,) = find("text_parse_per_item", one + one.replace("Labelled", "Other"))

    assert finding.summary == (
        "Labelled.__getitem__ and 1 more parse text for every item"
    )
    assert len(finding.also_at) == 1


KEPT = """
class {name}(Dataset):
    def __init__(self, names):
        self.rows = []
        for name in names:
            self.rows.append((name, 1))
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return read(self.rows[index])
"""


def test_lists_of_objects_are_said_once_of_a_project(find: Find) -> None:
    (alone,) = find("python_object_list", KEPT.format(name="One"))
    (both,) = find(
        "python_object_list", KEPT.format(name="One") + KEPT.format(name="Two")
    )

    said = "a Python object for each sample"
    assert alone.summary == f"One.__init__ keeps {said}"
    assert both.summary == f"One.__init__ and 1 more keep {said}"
    assert len(both.also_at) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("autocast", "torch.amp.autocast('cuda')"),
        ("GradScaler", "torch.amp.GradScaler('cuda')"),
        ("custom_fwd", "torch.amp.custom_fwd(device_type='cuda')"),
    ],
)
def test_the_new_name_is_that_of_the_old_one(find: Find, old: str, new: str) -> None:
    (finding,) = find("cuda_amp", f"made = torch.cuda.amp.{old}()\n")

    assert finding.remedies[0].snippet == new
