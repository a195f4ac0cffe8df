"""PDR403: texts of tensors, waits for all queued work, and loops that are written otherwise."""

import pytest

from pipedoctor_checks.training.sync_in_loop import sync_in_loop
from tests.checks.code_samples import GPU_STEP, Code, batch_loop, find, make_tests
from tests.checks.image_samples import photo_training

WAITS = "total += loss.item()\n            {}torch.cuda.synchronize()"
ENGINE = """
from ignite.engine import Engine, Events

def update(engine, batch):
    loss = net(batch.cuda())
    {train}

def score(engine, batch):
    y = net(batch.cuda())
    {score}
    return y

trainer, scorer = Engine(update), Engine(score)
trainer.run(loader, max_epochs=9)
"""
MODEL = """
class Model:
    def step(self, x):
        self.fake = self.net(x.cuda())
        self.loss_G = self.criterion(self.fake)
        self.loss_G.backward()
        self.optimizer.step()
    def losses(self):
        return {{one: float(getattr(self, {name})) for one in self.names}}

model = Model()
for epoch in range(9):
    for x in DataLoader(rows):
        model.step(x)
        show(model.losses())
"""
MARGIN = """
class Net(nn.Module):
    def __init__(self):
        self.margin = {made}
        self.names = {{"near": self.near, "far": self.far}}
    def forward(self, x, name):
        ways = {{"near": self.near, "far": self.far}}
        return ways[name](x)
    def near(self, x):
        return self.margin.item() - x
    def far(self, x):
        return x

def main(name):
    net = Net().cuda()
    for x in DataLoader(rows):
        net(x.cuda(), name).mean().backward()
"""
OPTIONS = """
def score(y, extra=None, **more):
    names = more.get("names")
    if {asked}:
        names = [names]
        print(y)
    return y

def main():
    for x in DataLoader(rows):
        loss = net(x.cuda())
        score(loss{given})
        loss.backward()
"""
KINDS = {
    "train.py": """
from torch.utils.data import DataLoader
from kinds import build

def main(rows, name):
    trainer = build(name)
    loader = DataLoader(rows)
    for epoch in range(9):
        trainer.train(loader)
        trainer.evaluate(DataLoader(rows))
""",
    "check.py": """
from torch.utils.data import DataLoader
from kinds import build

def main(rows, name):
    for x in DataLoader(rows):
        build(name).score(x)
""",
    "kinds/__init__.py": """
from kinds import flat, solid
kinds = {"flat": flat, "solid": solid}
def build(name):
    return kinds[name].model.Trainer()
""",
    "kinds/flat/__init__.py": "from kinds.flat import model\n",
    "kinds/solid/__init__.py": "from kinds.solid import model\n",
    "kinds/base.py": """
class Base:
    def evaluate(self, loader):
        for x in loader:
            self.score(x)
    def train(self, loader):
        for x in loader:
            self.net(x.cuda()).mean().backward()
    def score(self, x):
        raise NotImplementedError
""",
    "kinds/flat/model.py": """
from kinds.base import Base
class Trainer(Base):
    def score(self, x):
        return self.net(x.cuda()).mean().item()
""",
    "kinds/solid/model.py": """
from kinds.base import Base
class Trainer(Base):
    def score(self, x):
        return self.net(x.cuda()).sum().item()
""",
}
SUMS = """
def validate(loader):  # cuda
    hits = 0
    for x, y in loader:
        found = net(x.cuda()).argmax(1)
        {step}

def main(loader):
    for epoch in range(9):
        for x, y in loader:
            net(x).backward()
        validate(loader)
"""
SILENT: dict[str, Code] = {
    "a text of sizes": batch_loop(
        GPU_STEP + 'logger.info(f"{step} {loss.shape} {len(loss)}")\nn = int(loss.size(0))'
    ),
    "a text of what the host has": batch_loop(
        "x = x.cuda(non_blocking=True)\ny = y + 1\nlogger.info(f'{y} {step}')\n"
    ),
    "drawn on the host": batch_loop(
        GPU_STEP + "n = torch.randint(9, (len(x),)).item()\nm = torch.rand(1).mul(2).tolist()"
    ),
    "a text of a failure": batch_loop(GPU_STEP + 'raise ValueError(f"{loss}")'),
    "a text that is kept now and then": batch_loop(
        GPU_STEP + 'if step % 9 == 0:\n    text = f"{loss}"'
    ),
    "a text of a size that is kept": batch_loop(GPU_STEP + 'text = f"{loss.shape}"'),
    "a wait for everything that is timed": batch_loop(
        "begin = time.time()\n" + GPU_STEP + "torch.cuda.synchronize()\nend = time.time()"
    ),
    "a wait for everything now and then": batch_loop(
        GPU_STEP + "if step % 9 == 0:\n    torch.cuda.synchronize()"
    ),
    "a number that is no parameter": MARGIN.format(made="np.float32(3)"),
    "of an option that is not given": OPTIONS.format(asked="names is not None", given=""),
    "of a parameter that is not given": OPTIONS.format(asked="extra and names", given=""),
    "for the first batch": batch_loop(GPU_STEP + "if step == 0:\n    print(loss)"),
    "other attributes by their names": MODEL.format(name='"name_" + one'),
    "sizes of what a loss is made of": batch_loop(
        "net(x, y.cuda()).mean().backward()\nprint(len(x), net)\n"
    ),
    "a text now and then": batch_loop(GPU_STEP + 'if step % 9 == 0:\n    log.info(f"{loss}")'),
}
SPEAKS = {
    "in a text": batch_loop(GPU_STEP + 'logger.info(f"{step}: {loss:.3f}")'),
    "in a text by a format": batch_loop(GPU_STEP + 'bar.write("{:.3f}".format(loss))'),
    "in a text by a sign": batch_loop(GPU_STEP + 'write("%d %f" % (step, loss))'),
    "drawn on the device": batch_loop(
        GPU_STEP + "n = torch.randint(9, (1,), device=x.device).item()"
    ),
    "a parameter of a module, by its name": MARGIN.format(made="nn.Parameter(torch.zeros(1))"),
    "of an option that is given": OPTIONS.format(asked="names is not None", given=", names=rows"),
    "of a parameter that is given": OPTIONS.format(asked="extra", given=", rows"),
    "for the first part of each batch": batch_loop(
        GPU_STEP + "for i in range(len(y)):\n    if i == 0:\n        print(loss)"
    ),
    "unless somebody debugs": batch_loop(GPU_STEP + "if not debug:\n    print(loss)"),
    "in a function that does nothing else": "def show(y):\n    print(y)\n"
    + batch_loop(GPU_STEP + "show(loss)"),
    "as several scalars": batch_loop(GPU_STEP + "log.add_scalars('loss', {'train': loss}, step)"),
    "for Weights & Biases": batch_loop(GPU_STEP + "wandb.log({'loss': loss})"),
    "whether it is finite": batch_loop(
        "y = net(x.cuda())\nz = y + 1\nif not torch.isfinite(z):\n    continue\nz.backward()"
    ),
    "a loss that is scaled": batch_loop(
        "loss = net(x, 'cuda')\nscaler.scale(loss / 4).backward()\nprint(loss)"
    ),
    "a mean of losses": batch_loop("loss = net(x, 'cuda')\nloss.mean().backward()\nprint(loss)"),
    "a sum of losses": batch_loop(
        "a, b = net(x, 'cuda')\n(a + 0.1 * b).backward()\nshow(float(b))"
    ),
    "a list of losses": batch_loop(
        "loss = net(x, 'cuda')\ntorch.autograd.backward([loss])\nprint(loss)"
    ),
    "a loss that a scaler takes": batch_loop(
        "loss = net(x, 'cuda')\noptimizer.zero_grad()\nloss_scaler(loss, optimizer)\nprint(loss)"
    ),
    "in a text that is kept": batch_loop(GPU_STEP + 'text = f"{loss}"\nlog.info(text)'),
    "in a text that grows": batch_loop(GPU_STEP + 'text += " %f" % loss'),
    "a wait for everything": batch_loop(GPU_STEP + "torch.cuda.synchronize()"),
    "attributes by their names": MODEL.format(name='"loss_" + one'),
    "attributes by a text": MODEL.format(name='f"loss_{one}"'),
    "as a whole number": batch_loop(GPU_STEP + "seen.append(int(loss.argmax()))"),
}
test_silent, test_speaks = make_tests(sync_in_loop, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("step", "found"),
    [
        ("hits += found.eq(y.cuda()).sum().cpu()", 1),
        ("hits += found.eq(y.cuda()).cpu().sum()", 1),
        ("seen.append(found.cpu())", 0),
        ("hits += found.cpu().sum(0)", 0),
    ],
)
def test_an_evaluation_need_not_copy_sums(step: str, found: int) -> None:
    assert len(find(sync_in_loop, SUMS.format(step=step))) == found


def test_what_derived_classes_read_for_each_batch() -> None:
    found = find(sync_in_loop, KINDS)

    places = {(one.path, one.line) for f in found for one in (f.location, *f.also_at) if one}
    assert places == {("kinds/flat/model.py", 5), ("kinds/solid/model.py", 5)}


@pytest.mark.parametrize(
    ("asked", "silent"),
    [("y.size(0) == 1", False), ("len(y) == 1", False), ("y == 1", True), ("y > seen", True)],
)
def test_sizes_decide_no_evaluation(asked: str, *, silent: bool) -> None:
    step = f"y = found.sum()\n        y = y.item()\n        if {asked}:\n            continue"

    assert bool(find(sync_in_loop, SUMS.format(step=step))) is not silent


def test_an_evaluation_that_comes_again_need_not_be_timed() -> None:
    code = """
    def validate(loader):  # cuda
        for x in loader:
            print(net(x.cuda()).item())
            torch.cuda.synchronize()

    def main(loader):
        for epoch in range(9):
            for x in loader:
                net(x).backward()
            validate(loader)
    """
    assert len(find(sync_in_loop, code)) == 1


def test_batches_that_are_cut_in_strides() -> None:
    code = """
    def train(rows, size):  # cuda
        for batch, i in enumerate(range(0, len(rows), size)):
            loss = net(rows[i : i + size])
            loss.backward()
            print(loss.item())
    """
    assert len(find(sync_in_loop, code)) == 1


@pytest.mark.parametrize(
    ("before", "remedies"),
    [
        ("", 2),
        ("if timed:\n                ", 1),
        ("if torch.cuda.is_available():\n                ", 2),
        ("if device.type == 'cuda':\n                ", 2),
    ],
)
def test_waiting_for_everything_in_each_step(before: str, remedies: int) -> None:
    (finding,) = find(sync_in_loop, photo_training(step=WAITS.format(before)))

    assert len(finding.remedies) == remedies
    assert len(finding.also_at) == remedies - 1


@pytest.mark.parametrize(
    ("train", "score", "lines"),
    [
        ("loss.backward()", "print(y.mean().item())", [10]),
        ("loss.backward()\n    print(loss.item())", "pass", [7]),
        ("loss.backward()\n    print(engine.state.output)", "pass", []),
        ("loss.backward()\n    if engine.state.iteration % 50 == 0: print(loss)", "pass", []),
    ],
)
def test_functions_that_an_engine_calls_with_batches(
    train: str, score: str, lines: list[int]
) -> None:
    found = find(sync_in_loop, {"train.py": ENGINE.format(train=train, score=score)})

    assert [f.location.line for f in found if f.location is not None] == lines
