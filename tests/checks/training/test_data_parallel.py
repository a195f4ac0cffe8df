"""PDR407: one process drives all GPUs."""

from pipedoctor_checks.training.data_parallel import data_parallel
from tests.checks.code_samples import Code, find, make_tests

FACTORY = "def wrap(model, devices=None):\n    return nn.DataParallel(model, devices)\n"
PARALLEL_NET = "def build(net):\n    net = nn.DataParallel(net)\n"
DISTRIBUTED = "from torch.nn.parallel import DistributedDataParallel\n"
STEPS = """
for x in DataLoader(rows):
    y = torch.nn.parallel.data_parallel(net, x)
    {used}
"""
SILENT: dict[str, Code] = {
    "in each step of what trains nothing": STEPS.format(used="print(y.mean())"),
    "pictures to look at": "def draw(net, z):\n"
    "    return torch.nn.parallel.data_parallel(net, z).cpu()\n",
    "asked": "isinstance(net, torch.nn.DataParallel)\n",
    "a model to look at": {"demo.py": "import torch\nnet = torch.nn.DataParallel(net)\n"},
    "parallel in a test": {"tests/net.py": "import torch\nnet = torch.nn.DataParallel(net)\n"},
    "its devices are chosen by others": DISTRIBUTED + "class Plan:\n    def wrap(self, net):\n"
    "        return torch.nn.DataParallel(net, device_ids=self.devices)\n",
    "somebody asked for it": DISTRIBUTED + "class Runner:\n    def wrap(self, net):\n"
    "        if not self.many and self.parallel:\n"
    "            net = torch.nn.DataParallel(net)\n",
    "one of two was asked for": DISTRIBUTED + "class Runner:\n    def wrap(self, net):\n"
    "        if not self.many and not self.parallel:\n            return net\n"
    "        elif self.many:\n            return net\n        else:\n"
    "            return torch.nn.DataParallel(net)\n",
    "beside a warning": "def main(net):\n    if many:\n"
    "        log.warning('better start one process for each')\n"
    "        net = torch.nn.DataParallel(net)\n",
    "wrapped to load its weights": "def main(net, saved):\n    net = torch.nn.DataParallel(net)\n"
    "    net.load_state_dict(saved)\n    net = net.module.cuda()\n    net.train()\n",
    "a function that draws samples": "class Runner:\n    def sample(self, net):\n"
    "        net = torch.nn.DataParallel(net)\n        self.train(net)\n",
    "only for what it wraps": "def take(mine, saved):\n    net = torch.nn.DataParallel(Net())\n"
    "    net.module.load_state_dict(saved)\n    mine.decoder = net.module.decoder\n"
    "    mine.train()\n",
    "in place of another": "def convert(net):\n"
    "    if isinstance(net, torch.nn.DataParallel):\n"
    "        net = torch.nn.DataParallel(net.module)\n"
    "    return net\n",
    "only given to what evaluates": "def main(net, rows, saved):\n"
    "    net = torch.nn.DataParallel(net)\n    net.load_state_dict(saved)\n"
    "    validate(net.cuda(), rows)\n    print(test_epoch(rows, model=net))\n",
    "evaluated when it has been trained": "train(net)\nnet = torch.nn.DataParallel(net)\n"
    "net.load_state_dict(saved)\nvalidate(net, rows)\n",
    "its weights are loaded into a part": "def take(mine, saved):\n"
    "    net = torch.nn.DataParallel(Net())\n    net.load_state_dict(saved)\n"
    "    mine.encoder = net.module.encoder\n    mine.train()\n",
    "a function that validates": "def validate(net):\n    net = torch.nn.DataParallel(net)\n"
    "    net.train(False)\n",
    "never, as it is written": "def main(net):\n    parallel = False\n    if parallel:\n"
    "        net = torch.nn.DataParallel(net)\n    net.train()\n",
    "it only evaluates": "def score(net):\n    return torch.nn.DataParallel(net).eval()\n",
}
SPEAKS: dict[str, Code] = {
    "in each step of a training": STEPS.format(used="y.mean().backward()"),
    "whoever gives devices has no other choice": "class Trainer:\n    def wrap(self, net):\n"
    "        if self.parallel:\n            net = torch.nn.DataParallel(net, self.devices)\n"
    "        return net\n",
    "a function of it": "class Net(nn.Module):\n    def forward(self, x):\n"
    "        return torch.nn.parallel.data_parallel(self.main, x, range(self.gpus))\n",
    "for what it wraps, and to train": "def take(saved, rows):\n"
    "    net = torch.nn.DataParallel(Net())\n    net.module.load_state_dict(saved)\n"
    "    net(rows).backward()\n",
    "given to what evaluates, and to train": "def main(net, rows):\n"
    "    net = torch.nn.DataParallel(net)\n    validate(net, rows)\n    fit(net, rows)\n",
    "trained in the next round": "def main(net, rows):\n    for epoch in range(9):\n"
    "        fit(net, rows)\n        net = torch.nn.DataParallel(net)\n"
    "        validate(net, rows)\n",
    "only its weights are loaded here": "def load(net, saved):\n"
    "    net = torch.nn.DataParallel(net)\n    net.load_state_dict(saved)\n    return net\n",
    "where nothing is parallel yet": "def convert(net):\n"
    "    if not isinstance(net, torch.nn.DataParallel):\n        net = torch.nn.DataParallel(net)\n"
    "    return net\n",
    "a function that makes a sampler": "def make_sampler(net):\n"
    "    return torch.nn.DataParallel(net)\n",
    "its weights are saved unwrapped": "def main(net):\n    net = torch.nn.DataParallel(net)\n"
    "    net.train()\n    weights = net.module.state_dict()\n",
    "called": "net = torch.nn.DataParallel(net)\n",
    "its devices are known here": "class Trainer:\n    def wrap(self, net):\n"
    "        return torch.nn.DataParallel(net, device_ids=[0, 1])\n",
    "where there are two": "class Runner:\n    def wrap(self, net):\n"
    "        if self.count > 1:\n            net = torch.nn.DataParallel(net)\n",
    "where nobody asked for more": "class Runner:\n    def wrap(self, net):\n"
    "        if self.many:\n            return net\n        else:\n"
    "            net = torch.nn.DataParallel(net)\n",
    "a warning of something else": "def main(net):\n    log.warning('slow')\n"
    "    net = torch.nn.DataParallel(net)\n",
    "a file of tests that trains": {
        "test.py": "import torch\ndef main(loader):\n    net = torch.nn.DataParallel(net)\n"
        "    for x in loader:\n        net(x).backward()\n"
    },
    "a part of it only evaluates": {
        "net.py": "import torch\ndef build(net, judge):\n"
        "    return torch.nn.DataParallel(net), judge.eval()\n",
        "train.py": "from net import build\ndef main(net, judge, rows):\n"
        "    net, judge = build(net, judge)\n    net(rows).backward()\n",
    },
    "by the file that it is in": {
        "net.py": "from torch.nn.parallel.data_parallel import DataParallel\n"
        "net = DataParallel(net)\n"
    },
    "of a library for graphs": {
        "net.py": "import torch\nimport torch_geometric as tg\nnet = tg.nn.DataParallel(net)\n"
    },
    "it trains, too": "def main(net):\n    net = torch.nn.DataParallel(net)\n"
    "    net.eval()\n    net.train()\n",
    "in two branches of one function": "def main(net):\n"
    "    a = torch.nn.DataParallel(net)\n    b = torch.nn.DataParallel(net)\n",
}
test_silent, test_speaks = make_tests(data_parallel, SILENT, SPEAKS)


def test_who_is_given_devices_was_asked_for_it() -> None:
    head = "from torch import nn\n"
    assert not find(data_parallel, {"a.py": head + DISTRIBUTED + FACTORY})
    assert find(data_parallel, {"a.py": head + FACTORY})

    code = {"a.py": head + PARALLEL_NET, "b.py": head + PARALLEL_NET.replace("build", "start")}
    (finding,) = find(data_parallel, code)

    assert finding.summary == "build and 1 more drive all GPUs from one process"
