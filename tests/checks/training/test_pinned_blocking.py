"""PDR402: a pinned batch is copied by a blocking copy."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.training.pinned_blocking import pinned_blocking
from tests.checks.code_samples import MODEL_PARSE, batch_loop, find, make_tests, model_loop
from tests.checks.image_samples import IMAGE_EPOCHS, IMAGES, PHOTOS, photo_training

VALIDATION = """
def validate(device="cuda"):
    for epoch in range(9):
        for x in DataLoader(Photos(files), pin_memory=True):
            net(x.to(device))
"""
PASSES = """
def evaluate(loader, device="cuda"):
    for x in loader:
        net(x.to(device))

def main():
    loader = DataLoader(Photos(files), pin_memory=True)
    {call}
"""
MODULE = """
class Net(torch.nn.Module):
    def forward(self, inputs, other):
        image, label = inputs
        return self.model(image.to({to}), label)

def loaders(data):
    return DataLoader(data, pin_memory={pin})
"""
PINNED_LOADER = "loader = DataLoader(Images(), pin_memory=True, shuffle=True)\n"


def pinned_training(lines: str) -> str:
    return IMAGES + PINNED_LOADER + IMAGE_EPOCHS.replace("x = x.to(device)", lines)


PREPARED = """
from accelerate import Accelerator
def main(data, net):
    accelerator = Accelerator()
    loader = DataLoader(data, pin_memory=True, shuffle=True)
    {prepared}
    for epoch in range(9):
        for x in loader:
            net(x.to(accelerator.device)).backward()
"""
GENERATION = """
def caption(data, net, device):
    loader = DataLoader(data, pin_memory=True)
    for epoch in range(9):
        for ids in loader:
            print({asked}(ids.to(device)))
"""
SILENT = {
    "text is generated": GENERATION.format(asked="net.generate"),
    "prepared by accelerate": PREPARED.format(prepared="loader = accelerator.prepare(loader)"),
    "placed on the host": batch_loop("z = torch.as_tensor(x, device='cpu')"),
    "not blocking": batch_loop("x = x.to(device, non_blocking=True)"),
    "not pinned": batch_loop("x = x.to(device)", "num_workers=2"),
    "another type": batch_loop("x = x.to(torch.float16)"),
    "put together on the host": batch_loop("z = torch.cat([x, y])\nz = z.to(device)"),
    "not the batch": batch_loop("z = weights.to(device)"),
    "a module that moves what it is given elsewhere": MODULE.format(to="other.device", pin=True),
    "a module beside a loader that does not pin": MODULE.format(to="self.device", pin=False),
    "of another type": pinned_training("x = x.float().to(device)"),
    "by way of numpy": pinned_training("x = torch.from_numpy(flip(x))\n            x.cuda()"),
}
SPEAKS = {
    "one pass without gradients": "def run(device):\n"
    "    for x in DataLoader(rows, pin_memory=True):\n        x = x.to(device)\n"
    "        with torch.no_grad():\n            net(x)\n",
    "placed": batch_loop("z = torch.as_tensor(x, device=device)"),
    "placed, each of a batch": "def place(rows, device):\n"
    "    return tuple(torch.as_tensor(row, device=device) for row in rows)\n"
    + batch_loop("x, y = place((x, y), device)"),
    "a function of this name": GENERATION.format(asked="generate"),
    "text is generated beside a training": batch_loop(
        "print(net.generate(x.to(device)))\nnet(y).backward()"
    ),
    "not prepared": PREPARED.format(prepared="pass"),
    "to": batch_loop("x = x.to(device)"),
    "cuda": batch_loop("x, y = x.cuda(), y.cuda()"),
    "each of a batch": batch_loop("z = [t.to(device) for t in x]"),
    "in another function": "def main(data):\n"
    "    train(DataLoader(data, pin_memory=True))\n"
    "def train(batches):\n    for x in batches:\n        x.cuda()\n",
    "with next": "def main(data):\n"
    "    it = iter(DataLoader(data, pin_memory=True))\n"
    "    while True:\n        x = next(it)\n        x.cuda()\n",
    "blocking, by a function": MODEL_PARSE.format(how=False)
    + model_loop("net.parse(batch)", "pin_memory=True"),
    "a module that moves what it is given": MODULE.format(to="self.device", pin=True),
    "as it is": pinned_training("x = x.to(device)"),
    "a part of it": pinned_training("x = x[:3]\n            x = x.to(device)"),
}
test_silent, test_speaks = make_tests(pinned_blocking, SILENT, SPEAKS)


def test_the_copies_of_a_file_are_one_finding() -> None:
    (finding,) = find(
        pinned_blocking, photo_training("Photos(files), pin_memory=True") + VALIDATION
    )

    assert finding.summary == (
        "The loops in main and validate wait for each copy of a pinned batch"
    )
    assert len(finding.also_at) == 1
    assert len(finding.remedies[0].edits) == 2


@pytest.mark.parametrize("call", ["evaluate(loader)", "for epoch in range(9): evaluate(loader)"])
def test_evaluations_that_wait_for_their_copies_are_a_note(call: str) -> None:
    code = PHOTOS.format(kept="pass", first="pass") + PASSES.format(call=call)

    (finding,) = find(pinned_blocking, code)

    assert finding.severity is Severity.NOTE


def test_copies_that_several_files_lead_to_are_said_once() -> None:
    head = "import torch\nfrom torch.utils.data import DataLoader\n"
    move = f"{head}def move(x):\n    return x.cuda()\n"
    loop = (
        "from move import move\nloader = DataLoader(rows, pin_memory=True)\n"
        "for x in loader:\n    move(x).backward()\n"
    )

    (finding,) = find(
        pinned_blocking, {"move.py": move, "first.py": head + loop, "second.py": head + loop}
    )

    assert finding.location is not None
    assert finding.location.path == "move.py"


def test_what_places_a_batch_gets_no_edit() -> None:
    (finding,) = find(pinned_blocking, batch_loop("z = torch.as_tensor(x, device=device)"))

    assert not any(remedy.edits for remedy in finding.remedies)
    assert finding.remedies[0].snippet == "x.to(device, non_blocking=True)"
