"""PDR403: each step waits for the GPU."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.training.sync_in_loop import sync_in_loop
from tests.checks.code_samples import (
    BACKWARD,
    GPU_STEP,
    HEAD,
    Code,
    batch_loop,
    find,
    make_tests,
    model_loop,
)
from tests.checks.image_samples import photo_training

FINITE_GUARD = """value = loss.item()
            if not math.isfinite(value):
                raise ValueError"""
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
FIT_LOOP = "def fit(loader):\n    for x in loader:\n        net(x).backward()\n\n"
TEST_LOOP = "def test(test_loader):\n    for x in test_loader:\n        print(net(x.cuda()).item())"
FORCES = """
def forces(model, positions):
    energy = model(positions)
    energy.backward()
    {then}
    return energy.item(), positions{grad}
# cuda
"""
EPOCH_OF_ONE_STEP = """
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
METRIC = """
def metric(outputs, {more}):
    return outputs.mean().item()
"""
TRAINER = """
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
# cuda
"""


def metric_in_test(body: str) -> dict[str, str]:
    head = "import torch\nfrom torch.utils.data import DataLoader\n"
    return {"tests/test_it.py": f"{head}{METRIC.format(more='y=1')}{model_loop(body)}"}


SCORES = """
val_loader = DataLoader(rows)

def {name}(device="cuda"):
    for x in {over}:
        total += net(x.to(device)).item()
"""


def timed_evaluation(wait: str) -> str:
    return (
        "loader = DataLoader(data)\n\ndef score(net, timed):\n"
        "    for x, y in loader:\n"
        "        loss = net(x.cuda())\n"
        f"{wait}"
        "        total += loss.item()\n"
    )


SILENT: dict[str, Code] = {
    "at an interval": batch_loop(GPU_STEP + "if step % 50 == 0:\n    print(loss.item())"),
    "at an interval that comes last": batch_loop(
        GPU_STEP + "if validation_loader is not None and not is_accumulating_gradients"
        " and trainer.step_count % settings.interval == 0:\n    print(loss.item())"
    ),
    "a flag": batch_loop(GPU_STEP + "if verbose:\n    loss.item()"),
    "after the loop": batch_loop(GPU_STEP, after="    loss.item()\n"),
    "still on the host": batch_loop("n = y.tolist()\n" + GPU_STEP),
    "no GPU": batch_loop("loss = net(x)\nloss.backward()\nloss.item()"),
    "only where the loss is not finite": "import math\n"
    + photo_training(step="if not math.isfinite(0):\n                print(loss)"),
    "a counter decides": "def main(loader, net, scaler):\n    for x in loader:\n"
    "        loss = net(x.cuda())\n        scaler.scale(loss).backward()\n"
    "        if step % 100 == 0:\n            show(step)\n",
    "a size decides": photo_training(step="if x.shape[0] < 2:\n                continue"),
    "a metric now and then": METRIC.format(more="y=1")
    + model_loop(f"{BACKWARD}if step % 50 == 0:\n                metric(loss)\n"),
    "a metric of something else": METRIC.format(more="y=1")
    + model_loop(f"{BACKWARD}metric(device)"),
    "in a test": metric_in_test(f"{BACKWARD}metric(loss)"),
    "a step that writes now and then": TRAINER.format(period=20),
    "beside what was computed": "def main(loader, net):\n"
    "    for x, number in loader:\n        ys = net(x.cuda())\n"
    "        for y, one in zip(ys, number):\n            show(y, one.item())\n",
    "timed": timed_evaluation("        torch.cuda.synchronize()\n"),
    "timed on a device": timed_evaluation(
        "        if device.type == 'cuda':\n            torch.cuda.synchronize()\n"
    ),
}
SPEAKS = {
    "a number": batch_loop(GPU_STEP + "total += loss.item()"),
    "printed": batch_loop(GPU_STEP + "print(loss)"),
    "counted": batch_loop("x = x.cuda()\n" + GPU_STEP + "n += int((net(x) == 1).sum())"),
    "in a function of its own": "def step(net, x):\n    loss = net(x)\n"
    "    loss.backward()\n    return loss.item()\n" + batch_loop("x = x.cuda()\nstep(net, x)"),
    "summed up": photo_training(step="total += loss.item()"),
    "a metric in each step": METRIC.format(more="y=1")
    + model_loop(f"{BACKWARD}metric(loss)")
    + "# cuda",
    "a step that writes each time": TRAINER.format(period=1),
    "through a helper that reports": "def main(loader, net):\n"
    "    for x in report.log_every(loader, 9):\n        x = x.cuda()\n"
    "        loss = net(x)\n        loss.backward()\n        show(loss.item())\n",
    "never timed": timed_evaluation(""),
    "a tensor decides": photo_training(step="if loss == 0:\n                continue"),
    "a count on the device decides": photo_training(
        step="seen += (x.to(device) > 0).sum()\n            if seen > 9:\n                1"
    ),
    "in a function that another returns": "def build(net):\n    def step(x):\n"
    "        loss = net(x)\n        loss.backward()\n        return float(loss.item())\n"
    "    return step\n\ndef main(loader, net):\n    step = build(net)\n"
    "    for x in loader:\n        step(x.cuda())\n",
    "of a torch function in a helper": "def level(loss):\n    return torch.sqrt(loss).item()\n\n"
    + photo_training(step="level(loss)"),
    "of what is handed on by name": "class Meter:\n    def update(self, **values):\n"
    "        for name, value in values.items():\n"
    "            if isinstance(value, torch.Tensor):\n                value = value.item()\n\n"
    "meter = Meter()\n" + photo_training(step="meter.update(loss=loss)"),
    "timed on request": timed_evaluation(
        "        if timed:\n            torch.cuda.synchronize()\n"
    ),
}
test_silent, test_speaks = make_tests(sync_in_loop, SILENT, SPEAKS)


@pytest.mark.parametrize(
    "step", [FINITE_GUARD, "if loss.item() != loss.item():\n                1"]
)
def test_a_loop_that_the_loss_decides_has_a_note(step: str) -> None:
    (finding,) = find(sync_in_loop, "import math\n" + photo_training(step=step))

    assert finding.severity is Severity.NOTE
    assert finding.summary.endswith("in every step, to test a value")


@pytest.mark.parametrize(
    ("code", "said", "also", "severity"),
    [
        (LOOPS.format(more=""), "The loops in train and validate wait", 1, Severity.SLOWS),
        (LOOPS.format(more=TEST_LOOP), "The loops in train and 2 more wait", 2, Severity.SLOWS),
        (FIT_LOOP + TEST_LOOP, "The loop in test waits", 0, Severity.NOTE),
    ],
)
def test_the_loops_of_a_file_are_one_finding(
    code: str, said: str, also: int, severity: Severity
) -> None:
    (finding,) = find(sync_in_loop, f"{code}\n# cuda")

    assert finding.summary == f"{said} for the GPU in every step"
    assert (len(finding.also_at), finding.severity) == (also, severity)


def test_what_one_loop_calls_stands_behind_the_loop() -> None:
    code = {
        "a.py": "def level(loss):\n    return loss.item()\n",
        "b.py": HEAD
        + "from a import level\n"
        + photo_training(step="level(loss)\n            print(loss.item())  # cuda"),
    }

    (finding,) = find(sync_in_loop, code)

    assert finding.location is not None
    assert finding.location.path == "b.py"
    assert [place.path for place in finding.also_at] == ["a.py"]


@pytest.mark.parametrize(
    ("then", "grad", "found"),
    [("pass", ".grad", 0), ("optimizer.zero_grad()", "", 0), ("optimizer.step()", ".grad", 1)],
)
def test_a_gradient_that_is_the_result(then: str, grad: str, found: int) -> None:
    assert len(find(sync_in_loop, FORCES.format(then=then, grad=grad))) == found


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        ("for epoch in range(9):", 0),
        ("for step in many:", 1),
        ("for epoch in range(9):\n      for step in many:", 1),
        ("if many:", 1),
    ],
)
def test_an_epoch_of_one_step(loop: str, found: int) -> None:
    assert len(find(sync_in_loop, EPOCH_OF_ONE_STEP.format(loop=loop))) == found


@pytest.mark.parametrize(
    ("guard", "found"),
    [
        ("local_rank == 0", 1),
        ("dist.get_rank() == 0", 1),
        ("is_main_process()", 1),
        ("accelerator.is_main_process", 1),
        ("accelerator.is_main_process and step % 50 == 0", 0),
        ("local_rank == 0 and epoch % 9 == 0", 0),
        ("step == 0", 0),
        ("mode == 'cpu'", 0),
        ("mode == 'cpu':\n                pass\n            else", 1),
        ("x.shape[0] == 1:\n                pass\n            else", 1),
        ("step % 50 != 0:\n                pass\n            else", 0),
    ],
)
def test_the_first_rank_waits_in_each_step(guard: str, found: int) -> None:
    step = f"if {guard}:\n                print(loss.item())"

    assert len(find(sync_in_loop, photo_training(step=step))) == found


@pytest.mark.parametrize(("also", "lines"), [("", 0), ("total += y.mean().item()", 1)])
def test_what_decides_an_evaluation_hides_nothing_else(also: str, lines: int) -> None:
    code = (
        "def validate(loader):\n    for x in loader:\n        y = net(x.to(device))\n"
        "        if y.max().item() > 0.5:\n            good += 1\n"
        f"        {also}\n# cuda\n"
    )

    found = find(sync_in_loop, FIT_LOOP + code)

    assert sum(1 + len(finding.also_at) for finding in found) == lines


def test_numbers_stand_before_what_the_host_may_need() -> None:
    step = "keep(loss.cpu())\n            total += loss.item()"

    (finding,) = find(sync_in_loop, photo_training(step=step))

    assert finding.location is not None
    assert finding.also_at[0].line < finding.location.line


@pytest.mark.parametrize(
    ("name", "over", "found"), [("validate", "val_loader", 0), ("score", "loader", 1)]
)
def test_a_file_that_only_evaluates(name: str, over: str, found: int) -> None:
    code = SCORES.format(name=name, over=over)
    trains = "\ndef fit(loader):\n    for x in loader:\n        net(x).backward()\n"

    assert len(find(sync_in_loop, code)) == found
    assert len(find(sync_in_loop, code + trains)) == 1


def test_one_line_that_many_steps_reach_is_one_finding() -> None:
    steps = "".join(
        f"class {name}(Base):\n    def optimize(self, x):\n"
        "        loss = self.net(x.cuda())\n        loss.backward()\n"
        "        self.optimizer.step()\n        self.show(loss)\n\n"
        for name in ("First", "Second")
    )
    base = "class Base:\n    def show(self, loss):\n        self.log = loss.item()\n\n"

    (finding,) = find(sync_in_loop, base + steps)

    assert finding.also_at == ()
