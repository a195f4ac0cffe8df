"""Batches that are handed to functions; loaders, seeds and handles seen from afar."""

from typing import Any

import pytest

from tests.code.conftest import Find

LOOP = """
def main(data, device):
    loader = DataLoader(data, {given})
    {model}
    for epoch in range(9):
        for step, batch in enumerate(loader):
            {body}
"""
PARSE = """
def to_gpu(x):
    if torch.cuda.is_available():
        x = x.cuda(non_blocking={how})
    return x

class Net(torch.nn.Module):
    def parse(self, batch):
        text, length = batch
        return to_gpu(text)

def load():
    model = Net().cuda()
    return torch.nn.DataParallel(model)
"""
METRIC = """
def metric(outputs, {more}):
    return outputs.mean().item()
"""
RUN = """
class Trainer:
    def __init__(self, period={period}):
        self.period = period
    @staticmethod
    def write(losses):
        return {{k: v.detach().cpu().item() for k, v in losses.items()}}
    def run(self, device):
        data = next(self.it)
        losses = self.model(data)
        loss = sum(losses.values())
        loss.backward()
        self.optimizer.step()
        if (self.step + 1) % self.period == 0:
            self.write(losses)
        torch.cuda.synchronize()
"""
MODULE = """
class Net(torch.nn.Module):
    def forward(self, inputs, other):
        image, label = inputs
        return self.model(image.to({to}), label)

def loaders(data):
    return DataLoader(data, pin_memory={pin})
"""
GENERATES = """
def groups(rows):
    for row in rows:
        yield row

class Feed:
    def __init__(self, data):
        self.loader = DataLoader(data, {given})
    def __iter__(self):
        for batch in self.loader:
            images = [image for image in batch]
            yield from self.made(images)
    def made(self, images):
        for part in groups(images):
            pieces = groups(part)
            pieces = [piece.to(self.device) for piece in pieces]
            yield pieces
"""
VALIDATE = """
def validate(data, net):
    loader = DataLoader(data, num_workers=2)
    for x in loader:
        net(x)

def main(data, net):
    for epoch in range(9):
        validate(data, net)
"""
GIVEN = """
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
WORKER = """
class Rows(Dataset):
    def __getitem__(self, index):
        info = torch.utils.data.get_worker_info()
        if info is not None:
            worker_info = info
            np.random.seed({seed})
        return np.random.rand()
    def __len__(self):
        return 9
"""
EARLY = """
import zipfile
class Zipped(Dataset):
    def __init__(self, path):
        self.path = path
        self.zip = None
        self.names = self.opened().namelist()
        {then}
    def opened(self):
        if {guard}:
            self.zip = zipfile.ZipFile(self.path)
        return self.zip
    def __getitem__(self, index):
        return self.opened().read(self.names[index])
    def __len__(self):
        return len(self.names)
"""
SEEDED = """
class Rows(Dataset):
    def __init__(self, options):
        random.seed({seed})
    def __getitem__(self, index):
        return index
"""
READS = """
class Rows(Dataset):
    def __getitem__(self, index):
        value = read(index)
        {body}
        return value
    def __len__(self):
        return 9
"""
CACHED = """
class Rows(Dataset):
    def __init__(self, dataset):
        self.rows = {rows}
    def __getitem__(self, index):
        item = self.rows[index]
        item["label"] = 1
        return item
    def __len__(self):
        return 9
"""
LAZY = """
class Rows(Dataset):
    def __init__(self):
        self.labels = None
    {cached}
    def load(self):
        with open("labels.json") as file:
            return json.load(file)
    def __getitem__(self, index):
        {body}
        return index
    def __len__(self):
        return 9
"""
OPTIONS = """
def made(data, options):
    given = dict(dataset=data, num_workers={workers})
    given["persistent_workers"] = {kept}
    return DataLoader(**given)
"""
KEPT = """
def made(data, workers, keep=True):
    return DataLoader(data, num_workers=workers, persistent_workers=keep)

def main(data):
    made(data, 0{more})
    made(data, 4)
"""
NORMS = {
    "a/train.py": "from torch.utils.data import DataLoader\nfrom a.{net} import Net\n"
    "def main(data, size, net):\n    loader = DataLoader(data, batch_size=size)\n"
    "    for x in loader:\n        loss = net(x)\n        loss.backward()\n",
    "a/net.py": "import torch\nclass Net:\n    norm = torch.nn.BatchNorm2d(3)\n",
    "a/plain.py": "import torch\nclass Net:\n    pass\n",
}
STEP = "loss = net(batch)\n            loss.backward()\n            "


def loop(body: str, given: str = "num_workers=2", model: str = "net = load()") -> str:
    return LOOP.format(body=body, given=given, model=model)


def norms(net: str) -> dict[str, str]:
    return {path: text.replace("{net}", net) for path, text in NORMS.items()}


def shared(body: str) -> dict[str, str]:
    head = "import torch\nfrom torch.utils.data import DataLoader\n"
    return {"tests/test_it.py": f"{head}{METRIC.format(more='y=1')}{loop(body)}"}


SILENT: dict[str, tuple[str, Any]] = {
    "pinned, and copied by a function": (
        "pin_memory_missing",
        PARSE.format(how=True) + loop("net.parse(batch)", "pin_memory=True"),
    ),
    "not the batch": ("pin_memory_missing", PARSE.format(how=True) + loop("load()")),
    "starred": (
        "pin_memory_missing",
        PARSE.format(how=True) + loop("net.parse(*batch)"),
    ),
    "a metric now and then": (
        "sync_in_loop",
        METRIC.format(more="y=1")
        + loop(f"{STEP}if step % 50 == 0:\n                metric(loss)\n"),
    ),
    "a metric of something else": (
        "sync_in_loop",
        METRIC.format(more="y=1") + loop(f"{STEP}metric(device)"),
    ),
    "in a test": ("sync_in_loop", shared(f"{STEP}metric(loss)")),
    "a step that writes now and then": ("sync_in_loop", RUN.format(period=20)),
    "a module that moves what it is given elsewhere": (
        "pinned_blocking",
        MODULE.format(to="other.device", pin=True),
    ),
    "a module beside a loader that does not pin": (
        "pinned_blocking",
        MODULE.format(to="self.device", pin=False),
    ),
    "made anew by each validation": ("persistent_workers_missing", VALIDATE),
    "another loader comes again": (
        "persistent_workers_missing",
        GIVEN.format(workers=0),
    ),
    "seeded by torch": (
        "constant_worker_seed",
        WORKER.format(seed="worker_info.seed % 2**32"),
    ),
    "closed again": (
        "handle_in_init",
        EARLY.format(then="self.zip.close()", guard="self.zip is None"),
    ),
    "opened by each process": (
        "handle_in_init",
        EARLY.format(then="pass", guard="self.pid != os.getpid()"),
    ),
    "drawn": ("global_reseed_in_dataset", SEEDED.format(seed="draw()")),
    "says why, and gives up": (
        "print_in_item",
        READS.format(body="if value:\n            print(1)\n            return"),
    ),
    "what nobody should ask for": (
        "print_in_item",
        READS.format(
            body="if value:\n            value = 1\n        else:\n"
            "            print('only for images')"
        ),
    ),
    "items of another data set": (
        "cached_sample_mutated",
        CACHED.format(rows="dataset and Memory()")
        + "class Memory(Dataset):\n"
        + "    def __getitem__(self, index):\n        return {}\n",
    ),
    "a data set by its name": (
        "cached_sample_mutated",
        CACHED.format(rows="[]").replace("self.rows", "self.dataset"),
    ),
    "read once": (
        "text_parse_per_item",
        LAZY.format(
            cached="",
            body="if self.labels is None:\n            self.labels = self.load()",
        ),
    ),
    "kept by a cache": (
        "text_parse_per_item",
        LAZY.format(cached="@functools.lru_cache(None)", body="self.load()"),
    ),
    "kept only with workers": (
        "persistent_with_zero_workers",
        OPTIONS.format(workers=4, kept="options.get('keep')"),
    ),
    "an option that is no option": (
        "persistent_with_zero_workers",
        OPTIONS.format(workers=0, kept="count() > 0"),
    ),
    "kept by some": ("persistent_with_zero_workers", KEPT.format(more=", False")),
    "a stream of text": (
        "train_not_shuffled",
        "import torchtext.datasets\n"
        + loop(STEP, model="pass").replace(
            "(data, num", "(torchtext.datasets.IMDB(), num"
        ),
    ),
    "no BatchNorm in sight": ("drop_last_missing", norms("plain")),
    "a model to look at": (
        "data_parallel",
        {"demo.py": "import torch\nnet = torch.nn.DataParallel(net)\n"},
    ),
    "parallel in a test": (
        "data_parallel",
        {"tests/net.py": "import torch\nnet = torch.nn.DataParallel(net)\n"},
    ),
}
SPEAKS: dict[str, tuple[str, Any]] = {
    "copied by a function of a function": (
        "pin_memory_missing",
        PARSE.format(how=True) + loop("net.parse(batch)"),
    ),
    "without blocking, by a function": (
        "nonblocking_unpinned",
        PARSE.format(how=True) + loop("net.parse(batch=batch)"),
    ),
    "blocking, by a function": (
        "pinned_blocking",
        PARSE.format(how=False) + loop("net.parse(batch)", "pin_memory=True"),
    ),
    "through a generator": (
        "pin_memory_missing",
        GENERATES.format(given="num_workers=2"),
    ),
    "a metric in each step": (
        "sync_in_loop",
        METRIC.format(more="y=1") + loop(f"{STEP}metric(loss)") + "# cuda",
    ),
    "a step that writes each time": ("sync_in_loop", RUN.format(period=1)),
    "a module that moves what it is given": (
        "pinned_blocking",
        MODULE.format(to="self.device", pin=True),
    ),
    "handed on, and again": (
        "persistent_workers_missing",
        GIVEN.format(workers=2),
    ),
    "made anew once": ("persistent_workers_missing", STAGES),
    "seeded by the number of the worker": (
        "constant_worker_seed",
        WORKER.format(seed="worker_info.id + 1"),
    ),
    "opened early": (
        "handle_in_init",
        EARLY.format(then="pass", guard="self.zip is None"),
    ),
    "seeded by a setting": (
        "global_reseed_in_dataset",
        SEEDED.format(seed="options.seed"),
    ),
    "prints what it found": (
        "print_in_item",
        READS.format(body="if value < 0:\n            print(value)"),
    ),
    "a row of its own": ("cached_sample_mutated", CACHED.format(rows="[{}]")),
    "read each time": (
        "text_parse_per_item",
        LAZY.format(cached="", body="self.load()"),
    ),
    "kept for whoever asks": (
        "persistent_with_zero_workers",
        OPTIONS.format(workers=0, kept="options.get('keep', False)"),
    ),
    "kept by default, whatever the workers": (
        "persistent_with_zero_workers",
        KEPT.format(more=""),
    ),
    "always in the same order": (
        "train_not_shuffled",
        "import torchvision.datasets\n"
        + loop(STEP, model="pass").replace(
            "(data, num", "(torchvision.datasets.MNIST(), num"
        ),
    ),
    "BatchNorm in what it imports": ("drop_last_missing", norms("net")),
}


@pytest.mark.parametrize(
    ("name", "code"), [pytest.param(*one, id=key) for key, one in SILENT.items()]
)
def test_silent(find: Find, name: str, code: Any) -> None:
    assert find(name, code) == []


@pytest.mark.parametrize(
    ("name", "code"), [pytest.param(*one, id=key) for key, one in SPEAKS.items()]
)
def test_speaks(find: Find, name: str, code: Any) -> None:
    assert find(name, code)
