"""A loop that trains is one, whatever it iterates; a loop over epochs is none over batches."""

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from tests.checks.code_samples import find

SYNC = next(c for c in get_catalogue().checks.values() if c.name == "sync-in-loop")
LOOP = """
def train(model, data, optimizer, folds):
    model.train()
    for {header}:
        {inner}loss = model(batch.to("cuda"))
        loss.backward()
        optimizer.{step}()
        total = loss.item()
"""
LOOPS = {
    "batches of anything": ("batch in progress(data)", "step", 1),
    "counted": ("number, batch in enumerate(data.batches())", "step", 1),
    "a step of its own": ("batch in data", "step_and_update_lr", 1),
    "epochs of one batch": ("epoch in progress(data)", "step", 0),
    "as often as somebody says": ("batch in map(load, range(9))", "step", 0),
    "as many iterations as somebody says": ("i in range(start, n_iters)", "step", 1),
    "as many batches as there are": ("number in range(batches)", "step", 1),
    "no step": ("batch in data", "zero_grad", 0),
}


@pytest.mark.parametrize(("header", "step", "found"), LOOPS.values(), ids=LOOPS)
def test_loops_over_what_nobody_knows(header: str, step: str, found: int) -> None:
    code = LOOP.format(header=header, step=step, inner="")

    assert len(find(SYNC, code)) == found


EVALUATION = """
def evaluate(model, data, size):
    {before}
        for {header}:
            y = model({inner})
            total += y.sum().item()

def main(model, data):
    for batch in data:
        loss = model(batch.cuda())
        loss.backward()
        optimizer.step()
    evaluate(model, data, 9)
"""


@pytest.mark.parametrize(
    ("before", "header", "inner", "found"),
    [
        ("with torch.no_grad():", "x, y in data", "x.cuda()", 1),
        ("with torch.no_grad():", "i in range(0, len(data), size)", "data[i : i + size]", 1),
        ("if model:", "x, y in data", "x.cuda()", 0),
        ("with torch.no_grad():", "x, y in data", "other.cuda()", 0),
        ("with torch.no_grad():", "x in model.parameters()", "x.cuda()", 0),
    ],
)
def test_evaluations_of_what_nobody_knows(before: str, header: str, inner: str, found: int) -> None:
    assert len(find(SYNC, EVALUATION.format(before=before, header=header, inner=inner))) == found
