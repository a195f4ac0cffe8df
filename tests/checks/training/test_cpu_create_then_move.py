"""PDR411: tensors are made on the CPU and then moved."""

import pytest

from pipedoctor_checks.training.cpu_create_then_move import cpu_create_then_move
from tests.checks.code_samples import Code, batch_loop, find_one, make_tests, rows_training

FIRST_STATE = "def first_state(n):\n    return torch.zeros(1, n).cuda()\n"
TRAINED = """
import pytorch_lightning as pl

class Model(pl.LightningModule):
    def training_step(self, batch, number):
        {step}
        return self.net(batch)
"""
GRID = "def make(n):\n    {made}\n"
SAMPLING = """
def noisy(x):
    return x + torch.randn(9).cuda()
def sample(x):
    with torch.{grad}():
        for t in reversed(range(99)):
            x = noisy(x)
    return x
"""
SHOWN = """
for {name} in range(9):
    train({name})
    with torch.no_grad():
        show(net(torch.randn(64, 20).to(device)))
"""
KEPT = """
class Loss(torch.nn.Module):
    def __init__(self, weight):
        super().__init__()
        {made}
    def forward(self, x):
        {first}
        return x * self.weight.to(x.device)
"""
MOVER = """
class Points:
    def __init__(self, points):
        self.points = points
    def scale(self, by):
        self.points *= by.to(self.points.device)
    def draw(self, low):
        by = {drawn}
        self.scale(by)
def to_device(x, device):
    return x.to(device)
"""
TABLES = """
class Diffusion:
    def __init__(self, steps):
        self.betas = {made}
        self.roots = np.sqrt(self.betas)
    def noisy(self, x, t):
        return x * pick(self.roots, t)
def pick(table, t):
    return torch.from_numpy(table).to(t.device)[t]
"""
TRIED = """
import torch
class Net(torch.nn.Module):
    pass
if __name__ == "__main__":
    net = Net().cuda()
    with torch.no_grad():
        for i in range(9):
            net(torch.rand(16, 3).cuda())
"""
QUEUE = """
class Model:
    def feed(self, x):
        if {asked}:
            self.queue = torch.zeros(9, 3).cuda()
        self.queue[:3] = x.cuda()
def main(loader):
    model = Model()
    for x in loader:
        model.feed(x)
"""
NOISY = batch_loop("net(tables.noisy(x.cuda(), y))", top="tables = Diffusion(9)")
SILENT: dict[str, Code] = {
    "looked up once": "import functools\nclass Encoder:\n    @functools.cached_property\n"
    "    def least(self):\n        with torch.no_grad():\n            for n in range(9):\n"
    "                self.net(torch.randn(1, n).to(self.device))\n",
    "without elements": batch_loop("z = torch.empty(0).to(device)\ny = torch.tensor([]).cuda()"),
    "without elements, of several sizes": batch_loop(
        "z = torch.zeros((0, 4)).to(device)\ny = torch.empty(0, 4).cuda()"
    ),
    "an array that is filled": batch_loop(
        "made = np.zeros(9)\nmade[0] = x.size\nz = torch.from_numpy(made).to(device)"
    ),
    "tables of whoever makes it": TABLES.format(made="steps").replace("np.sqrt", "dict") + NOISY,
    "kept by a buffer": KEPT.format(
        made="self.register_buffer('weight', torch.ones(3))", first="pass"
    ),
    "kept, and replaced by its copy": KEPT.format(
        made="self.weight = torch.ones(3)", first="self.weight = self.weight.to(x.device)"
    ),
    "kept as it is given": KEPT.format(made="self.weight = weight", first="pass"),
    "kept on the device": KEPT.format(
        made="self.weight = torch.ones(3, device='cuda')", first="pass"
    ),
    "given to what moves it, there already": MOVER.format(drawn="torch.rand(3, device='cuda')")
    + batch_loop("points = Points(x.cuda())\npoints.draw(0.5)"),
    "given to what moves it, once": MOVER.format(drawn="low")
    + "def main(device):\n    return to_device(torch.ones(3), device)\n",
    "a queue that is made once": QUEUE.format(asked="not hasattr(self, 'queue')"),
    "a file that tries itself out": {
        "net.py": TRIED,
        "train.py": "from net import Net\n",
    },
    "once in each epoch": SHOWN.format(name="epoch"),
    "in each turn of a loop that may train": SAMPLING.format(grad="enable_grad"),
    "changed by the batch on the way": batch_loop("z = torch.rand(9)\nz = z * x\nz = z.cuda()"),
    "replaced where somebody asks": batch_loop(
        "z = x\nif y:\n    z = torch.rand(9)\nz = z.to(device)"
    ),
    "chosen by the batch": batch_loop("z = torch.eye(9)[x.labels].to(device)"),
    "one of two that are there": batch_loop(
        "z = torch.ones(9) if y else mask(x)\nz = z.to(device)"
    ),
    "only for another length": batch_loop(
        "if state.mask is None or state.mask.size(0) != len(x):\n"
        "            state.mask = torch.ones(len(x)).to(device)"
    ),
    "there at once": batch_loop("z = torch.zeros(9, device=device)"),
    "once": "def f(device):\n    return torch.zeros(9).to(device)\n",
    "a list of the batch": batch_loop("z = torch.LongTensor(x.names).to(device)"),
    "a number of the batch as often as needed": batch_loop(
        "n = x.n\nz = torch.LongTensor([n] * 9).cuda()"
    ),
    "computed of the batch": batch_loop("z = torch.triu(x).to(device)"),
    "of what Python has, in a function": "def score(y, names):\n"
    "    return torch.tensor([names, 2]).cuda() + y\n"
    + rows_training("pass", "1").replace(
        "net(x).backward()", "y = net(x.cuda())\n" + " " * 12 + "score(y, names)"
    ),
    "in a function that is called before the loop": FIRST_STATE
    + batch_loop("net(x.cuda(), h)", top="h = first_state(9)"),
    "in a function that is called now and then": FIRST_STATE
    + batch_loop("if step % 50 == 0:\n    h = first_state(9)\nnet(x.cuda(), h)"),
    "of what a hook is given": TRAINED.format(step="z = torch.tensor(batch.names).to(self.device)"),
    "a mask that is filled part by part": GRID.format(
        made="m = torch.zeros(n, n)\n    for i in range(n):\n        m[i, :i] = 1\n    return m"
    )
    + batch_loop("m = make(9).to(device)"),
    "filled by what it is given": GRID.format(
        made="m = torch.zeros(9, 9)\n    m[0, n.long()] = 1\n    return m"
    )
    + batch_loop("m = make(y).to(device)"),
    "of what it is given": GRID.format(made="return torch.stack([n, n])")
    + batch_loop("m = make(x).to(device)"),
    "there by its parameter": GRID.format(made="return torch.zeros(n, device=n.device)")
    + batch_loop("m = make(x).to(device)"),
    "told the device already": batch_loop("z = torch.zeros(9, **options).to(device)"),
    "filled before it is moved": batch_loop("z = torch.zeros(9)\nz[y] = 1\nz = z.to(device)"),
    "made once, moved in each step": batch_loop("net(z.to(device), x)", top="z = torch.zeros(9)"),
    "an array of the batch": batch_loop("z = torch.from_numpy(np.stack(x)).to(device)"),
    "one of two": batch_loop("z = torch.zeros(9)\nif y:\n    z = mask(x)\nz = z.to(device)"),
    "once, in a function": "def score(x):\n    return torch.zeros(3).cuda() + x\n"
    "def main(x):\n    score(x.cuda())\n",
}
SPEAKS: dict[str, Code] = {
    "beside one without elements": batch_loop(
        "z = torch.stack([torch.ones(3), torch.zeros(0)]).to(device)"
    ),
    "of zeros": batch_loop("z = torch.FloatTensor([0, 1]).to(device)"),
    "a script of its own": {"net.py": TRIED, "train.py": "from other import Net\n"},
    "a queue that is made again": QUEUE.format(asked="hasattr(self, 'queue')"),
    "tables of NumPy": TABLES.format(made="np.linspace(0, 1, steps)") + NOISY,
    "a name of a constant as often as needed": batch_loop(
        "z = torch.LongTensor([PAD] * len(x))\nif gpu:\n    z = z.cuda()"
    ),
    "drawn by NumPy before": batch_loop(
        "drawn = np.random.choice(9, size=len(x))\nz = torch.from_numpy(drawn).to(device)"
    ),
    "computed of a number and what is kept": KEPT.format(
        made="self.weight = 2.0 ** torch.linspace(0, 1, 9)", first="pass"
    ),
    "kept on the host": KEPT.format(
        made="self.weight = torch.tensor(weight).float()", first="pass"
    ),
    "given to what moves it": MOVER.format(drawn="low")
    + batch_loop("z = to_device(torch.rand(len(x)), device)"),
    "made before it is given to what moves it": MOVER.format(
        drawn="torch.rand(3) * (1 - low) + low"
    )
    + batch_loop("points = Points(x.cuda())\npoints.draw(0.5)"),
    "of several sizes": batch_loop("z = torch.FloatTensor(3, len(x)).to(device)"),
    "in each turn of another loop": SHOWN.format(name="step"),
    "in each step of a sampling": SAMPLING.format(grad="no_grad"),
    "by a name that was a number": batch_loop(
        "z = math.log(9)\nz = torch.exp(torch.arange(9) * -z)\nz = z.to(device)\nz = x * z"
    ),
    "with another axis": batch_loop("z = torch.eye(9)[None, :, :]\nz = z.to(device)"),
    "of what it was before": batch_loop(
        "z = torch.meshgrid(torch.arange(8), torch.arange(8))\n"
        "z = torch.stack(z[::-1], dim=0).float().to(device)"
    ),
    "in another shape": batch_loop("z = torch.rand(9, 1)\nz = z.expand_as(x).cuda()"),
    "shaped again and again": batch_loop(
        "z = torch.rand(9)\nz = z.view(3, 3)\nz = z.expand(9, 3, 3)\nz = z.cuda() if gpu else z"
    ),
    "one of two": batch_loop("z = torch.ones(9) if y else torch.zeros(9)\nz = z.to(device)"),
    "in a loss that is called": "class Loss(torch.nn.Module):\n    def __call__(self, x):\n"
    "        return x + torch.ones(3).cuda()\n",
    "counted": batch_loop("z = torch.LongTensor(range(x.size(0))).to(device)"),
    "a number as often as needed": batch_loop("z = torch.tensor([False] * len(x)).bool().cuda()"),
    "in any order": batch_loop("z = torch.randperm(9).cuda()"),
    "computed of what is made": batch_loop("z = torch.triu(torch.ones(3, 3)).to(device)"),
    "filled first": batch_loop("z = torch.LongTensor(9, 3).fill_(0).to(device)"),
    "a constant": batch_loop("z = torch.as_tensor(IMAGE_MEAN).to(device)"),
    "a number": batch_loop("z = torch.tensor(0.5).to(device)"),
    "of another type": batch_loop("z = torch.zeros(len(x), 1).bool().to(device)"),
    "of another type that is given": batch_loop("z = torch.tensor(0).to(x.dtype).cuda()"),
    "by a function": GRID.format(
        made="m = torch.triu(torch.ones(n, n)) == 1\n    m = m.float()\n    return m / 2"
    )
    + batch_loop("m = make(9).to(device)"),
    "by a method": "class Net:\n    def mask(self, n):\n        y = torch.arange(n)\n"
    "        return torch.stack([y, -y[0]])\n" + batch_loop("m = net.mask(9).to(device)"),
    "an array of constants": batch_loop("z = torch.from_numpy(np.array([1, 2])).to(device)"),
    "where its function is given something": "class Net(torch.nn.Module):\n"
    "    def forward(self, x, y=None):\n        if y is not None:\n"
    "            x = x + torch.zeros(3).cuda()\n        return x\n",
    "repeated": batch_loop("z = torch.arange(9).unsqueeze(0).repeat(4, 1).to(device)"),
    "drawn by NumPy": batch_loop("z = torch.from_numpy(np.random.rand(9)).float().to(device)"),
    "an array of zeros": batch_loop("z = torch.FloatTensor(np.zeros((3, 3))).cuda()"),
    "kept before it is moved": batch_loop("z = torch.randn(9)\nif gpu:\n    z = z.cuda()"),
    "moved where it is handed over": batch_loop("z = torch.randn(9)\nnet(x, z.to(device))"),
    "constants": batch_loop("z = torch.FloatTensor([0.5, 0.2]).to(device)"),
    "in a function that each step calls": FIRST_STATE
    + batch_loop("h = first_state(9)\nnet(x.cuda(), h)"),
    "in a hook of a Trainer": TRAINED.format(step="z = torch.rand(9).to(self.device)"),
    "each step": batch_loop("z = torch.zeros(9).to(device)"),
    "in a function of the loop": "def score(y):\n"
    "    return torch.zeros(3).cuda() + y\n"
    + rows_training("pass", "1").replace(
        "net(x).backward()", "y = net(x.cuda())\n" + " " * 12 + "score(y)"
    ),
}
test_silent, test_speaks = make_tests(cpu_create_then_move, SILENT, SPEAKS)
EDITED = {
    "torch.as_tensor(IMAGE_MEAN)": True,
    "torch.zeros(3)": True,
    "torch.LongTensor(9, 3).fill_(0)": False,
    "torch.zeros(3).float()": False,
    "torch.from_numpy(np.zeros(3))": False,
}


@pytest.mark.parametrize(("made", "edited"), EDITED.items(), ids=EDITED)
def test_only_what_takes_a_device_is_given_one(made: str, *, edited: bool) -> None:
    finding = find_one(cpu_create_then_move, batch_loop(f"z = {made}.to(device)"))

    assert any(remedy.edits for remedy in finding.remedies) is edited


SNIPPETS = {
    "torch.zeros(9).to(device)": "torch.zeros(9, device=device)",
    "torch.full((9, 3), 0.5).cuda()": 'torch.full((9, 3), 0.5, device="cuda")',
    "torch.ones(x.size()).to(net.device)": "torch.ones(x.size(), device=net.device)",
    "torch.zeros(9).to('cuda', non_blocking=True)": "torch.zeros(9, device='cuda')",
    "torch.rand(3).float().cuda()": "",
    "torch.zeros(9).to(names[0])": "",
}


@pytest.mark.parametrize(("made", "said"), SNIPPETS.items(), ids=SNIPPETS)
def test_snippet_is_the_call_with_its_device(made: str, said: str) -> None:
    finding = find_one(cpu_create_then_move, batch_loop(f"z = {made}"))

    assert finding.remedies[0].snippet == said


def test_what_is_kept_on_the_host_becomes_a_buffer() -> None:
    kept = KEPT.format(made="self.weight = torch.ones(3)", first="pass")

    finding = find_one(cpu_create_then_move, kept)

    assert finding.remedies[0].snippet == ('self.register_buffer("weight", ..., persistent=False)')


def test_both_lines_are_named_where_a_variable_keeps_it() -> None:
    finding = find_one(cpu_create_then_move, batch_loop("z = torch.randn(9)\nnet(x)\nz = z.cuda()"))

    assert finding.location is not None
    assert [one.line for one in finding.also_at] == [finding.location.line - 2]
