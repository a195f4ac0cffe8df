"""PDR403: waits for all queued work, evaluations that come again, batches cut in strides."""

import pytest

from pipedoctor_checks.training.sync_in_loop import sync_in_loop
from tests.checks.code_samples import find
from tests.checks.image_samples import photo_training

WAITS = "total += loss.item()\n            {}torch.cuda.synchronize()"


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
