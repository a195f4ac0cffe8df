"""What frameworks call with each batch, and gradients that a function of a step reads."""

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from tests.checks.code_samples import find

SYNC = next(c for c in get_catalogue().checks.values() if c.name == "sync-in-loop")
HOOK = """
from {library} import {base}

class Mine({base}):
    def {method}(self, {given}):
        {body}
"""
CALLED = {
    "a loss of transformers": (
        *("transformers", "Trainer", "compute_loss", "model, inputs, return_outputs=False"),
        "loss = model(**inputs).loss\n        print(loss)\n        return loss",
    ),
    "labels of transformers": (
        *("trl", "SFTTrainer", "compute_loss", "model, inputs"),
        "return model(**inputs).loss / inputs['labels'].sum().item()",
    ),
    "a criterion of fairseq": (
        *("fairseq.criterions", "FairseqCriterion", "forward", "model, sample"),
        "loss = model(sample['x']).sum()\n        return loss, loss.item()",
    ),
    "a loss of Composer": (
        *("composer", "ComposerModel", "loss", "outputs, batch"),
        "return show(outputs.mean().item())",
    ),
    "a callback of Lightning": (
        *("pytorch_lightning", "Callback", "on_train_batch_end", "trainer, module, outputs, batch"),
        "print(outputs['loss'].item())",
    ),
    "the end of a batch in Lightning": (
        *("lightning.pytorch", "LightningModule", "on_train_batch_end", "outputs, batch, number"),
        "print(outputs['loss'].item())",
    ),
    "a callback of fastai": (
        *("fastai.callback.core", "Callback", "after_batch", "*more"),
        "self.losses.append(self.loss.item())",
    ),
}
SILENT = {
    "a class of somebody else": (
        *("keras", "Trainer", "compute_loss", "model, inputs"),
        "return print(inputs.sum().item())",
    ),
    "what is no tensor": (
        *("pytorch_lightning", "Callback", "on_train_batch_end", "trainer, module, outputs, batch"),
        "print(trainer.global_step)",
    ),
    "at intervals": (
        *("transformers", "Trainer", "compute_loss", "model, inputs"),
        "y = model(**inputs)\n        if self.n % 9 == 0:\n            print(y)\n        return y",
    ),
    "an epoch of Lightning": (
        *("pytorch_lightning", "Callback", "on_train_epoch_end", "trainer, module"),
        "print(module.loss.item())",
    ),
}


def _find(library: str, base: str, method: str, given: str, body: str) -> int:
    code = HOOK.format(library=library, base=base, method=method, given=given, body=body)
    return len(find(SYNC, {"train.py": f"import torch\n{code}"}))


@pytest.mark.parametrize("hook", CALLED.values(), ids=CALLED)
def test_what_a_framework_calls_in_each_step(hook: tuple[str, str, str, str, str]) -> None:
    assert _find(*hook) == 1


@pytest.mark.parametrize("hook", SILENT.values(), ids=SILENT)
def test_what_it_does_not(hook: tuple[str, str, str, str, str]) -> None:
    assert _find(*hook) == 0


GRADIENTS = """
def size(model):
    total = 0
    for p in model.parameters():
        {line}
    return total

def main(model, rows):
    for epoch in range(9):
        for x in DataLoader(rows):
            model(x.cuda()).sum().backward()
            {call}
"""


@pytest.mark.parametrize(
    ("line", "call", "found"),
    [
        ("total += p.grad.norm(2).item()", "size(model)", 1),
        ("n = p.grad.data.norm(2)\n        total += n.item()", "size(model)", 1),
        ("total += p.grad.numel()", "size(model)", 0),
        ("total += p.grad.norm(2).item()", "if step % 50 == 0:\n                size(model)", 0),
        ("total += p.number.item()", "size(model)", 0),
    ],
)
def test_gradients_that_a_step_reads(line: str, call: str, found: int) -> None:
    assert len(find(SYNC, GRADIENTS.format(line=line, call=call))) == found


FORWARD = """
class Head(torch.nn.Module):
    def __init__(self):
        self.layer, self.mask = Linear(9, 9), torch.nn.Parameter(torch.ones(9))
    def forward(self, x, sizes=None):
        y = self.layer(x)
        {line}
        return y

def main(model, data):
    for batch in data:
        loss = model(batch.cuda())
        loss.backward()
        optimizer.step()
"""
READ_IN_FORWARD = {
    "of its layer": ("show(y.mean().item())", 1),
    "of its own parameter": ("y = y[:, self.mask.data.cpu().numpy() > 0]", 1),
    "of what it is given": ("n = sizes.max().item()", 0),
    "of what it keeps": ("n = self.size.item()", 0),
    "where it does not train": ("if not self.training:\n            print(y)", 0),
    "where something is given": ("if sizes is not None:\n            print(y)", 1),
}


@pytest.mark.parametrize(("line", "found"), READ_IN_FORWARD.values(), ids=READ_IN_FORWARD)
def test_modules_whose_calls_nobody_resolves(line: str, found: int) -> None:
    assert len(find(SYNC, FORWARD.format(line=line))) == found


def test_modules_of_a_project_that_does_not_train() -> None:
    code = FORWARD.format(line="print(y)").replace("backward", "forward")

    assert not find(SYNC, code)
