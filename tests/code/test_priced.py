"""Findings in code name what their remedy changes, and use what was measured."""

import pytest
from msgspec.structs import replace

from pipedoctor.check import Counterfactual, Finding
from pipedoctor.facts import Pipeline
from pipedoctor.facts.source import Spot
from tests.code.conftest import HEAD, Find
from tests.tune.seen import pipeline, setting, trial

SLOW = """
class Slow(Dataset):
    def __getitem__(self, index):
        return np.asarray(Image.open(self.files[index]))

    def __len__(self):
        return 9


train = DataLoader(Slow(), batch_size=4)
"""
TWO = SLOW + "val = DataLoader(Slow(), batch_size=8)\n"
LINE = (HEAD + SLOW).count("\n")
"""Of `train`, the last line."""


def seen(line: int | None, workers: int = 6, prefetch: int = 4) -> Pipeline:
    best = setting(workers, prefetch, persistent_workers=bool(workers))
    at = Spot(path="train.py", line=line) if line else None
    return pipeline(trial(0, 0.02), best=best, made_at=at)


def snippet(finding: Finding) -> str:
    return finding.remedies[0].snippet


MEASURED = "DataLoader(..., num_workers=6, prefetch_factor=4, persistent_workers=True)"
USUAL = "DataLoader(..., num_workers=2)"
AWAY = replace(seen(None), elsewhere="it was measured on another machine")


@pytest.mark.parametrize(
    ("code", "known", "said"),
    [
        pytest.param(SLOW, (), [USUAL], id="nothing was measured"),
        pytest.param(SLOW, (seen(None),), [MEASURED], id="the only one"),
        pytest.param(SLOW, (AWAY,), [USUAL], id="of another machine"),
        pytest.param(TWO, (seen(None),), [USUAL], id="one of two"),
        pytest.param(TWO, (seen(LINE),), [MEASURED, USUAL], id="the first of two"),
        pytest.param(TWO, (seen(LINE + 1),), [USUAL, MEASURED], id="the second"),
        pytest.param(SLOW, (seen(LINE, workers=0),), [USUAL], id="none is best"),
        pytest.param(SLOW, (pipeline(trial(0, 0.02)),), [USUAL], id="no best is known"),
    ],
)
def test_as_many_workers_as_were_measured(
    find: Find, code: str, known: tuple[Pipeline, ...], said: list[str]
) -> None:
    found = find("num_workers_zero", code, *known)

    assert [snippet(finding) for finding in found] == said


def test_the_edit_writes_what_was_measured(find: Find) -> None:
    (finding,) = find("num_workers_zero", SLOW, seen(LINE))
    (edit,) = finding.remedies[0].edits

    assert "".join(edit.replacement.split()) == (
        ",num_workers=6,prefetch_factor=4,persistent_workers=True"
    )


FIXED = SLOW.replace("batch_size=4", "batch_size=4, num_workers=32")
LIGHT = "train = DataLoader(TensorDataset(torch.zeros(4)), num_workers=2)\n"
EPOCHS = (
    SLOW.replace("batch_size=4", "batch_size=4, num_workers=2")
    + "for epoch in range(9):\n    for x in train:\n        pass\n"
)
CV2 = SLOW.replace("np.asarray(Image.open(", "cv2.resize(cv2.imread(").replace(
    "[index]))", "[index]), (8, 8))"
)


@pytest.mark.parametrize(
    ("name", "code", "changes"),
    [
        ("num_workers_zero", SLOW, Counterfactual(tuned=True)),
        ("num_workers_hardcoded", FIXED, Counterfactual(tuned=True)),
        ("in_memory_with_workers", LIGHT, Counterfactual(workers=0)),
        ("persistent_workers_missing", EPOCHS, Counterfactual(persistent=True)),
        ("cv2_threads", CV2, Counterfactual(one_thread=True)),
    ],
)
def test_what_the_remedy_changes(
    find: Find, name: str, code: str, changes: Counterfactual
) -> None:
    (finding,) = find(name, code)

    assert finding.counterfactual == changes


def test_a_number_that_was_measured_to_be_best_is_left_alone(find: Find) -> None:
    assert not find("num_workers_hardcoded", FIXED, seen(LINE, workers=32))
    assert find("num_workers_hardcoded", FIXED, seen(LINE, workers=16))
    assert find("num_workers_hardcoded", FIXED, seen(LINE - 5, workers=32))


TOLD = """
class Slow(Dataset):
    def __init__(self):
        self.epoch = 0

    def __getitem__(self, index):
        return np.asarray(Image.open(self.files[index + self.epoch]))

    def __len__(self):
        return 9


def main():
    dataset = Slow()
    loader = DataLoader(dataset, batch_size=4)
    for epoch in range(9):
        TELL
        for batch in loader:
            print(batch)
"""


@pytest.mark.parametrize(
    ("tell", "lives_on"), [("dataset.epoch = epoch", False), ("print(epoch)", True)]
)
def test_workers_that_are_told_the_epoch_do_not_live_on(
    find: Find, tell: str, lives_on: bool
) -> None:
    """What a worker is told after it has started, it never hears."""
    (finding,) = find("num_workers_zero", TOLD.replace("TELL", tell))

    written = "".join(edit.replacement for edit in finding.remedies[0].edits)
    assert "num_workers=" in written
    assert ("persistent_workers" in written) == lives_on
