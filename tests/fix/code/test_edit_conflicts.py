"""Edits that fight, wait to be named, are unsafe, or have been made."""

from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import Interpreter
from tests.fix.code.conftest import HEAD, Mend
from tests.fix.code.loader_calls import SAMPLED, copied, loader, run

FORKSERVER = Interpreter(version="3.14.0")
"""Where workers start by forkserver, so that they are sent what they need by pickle."""


def test_pinning_takes_the_copies_along(mend: Mend) -> None:
    outcome = run(mend, loader("Images([])", copied()), "PDR103")

    text = outcome.files["train.py"].decode()
    assert "DataLoader(Images([]), pin_memory=True)" in text
    assert "x.to(device, non_blocking=True)" in text
    assert not outcome.applied[0].remedy.unsafe


def test_a_collate_fn_of_ones_own_makes_it_unsafe(mend: Mend, snapshot: SnapshotAssertion) -> None:
    code = loader("Images([]), collate_fn=mine, pin_memory=True", copied())

    outcome = mend({"train.py": HEAD + code}, select="PDR402")

    assert not outcome.files
    assert [p.remedy.unsafe for p in outcome.needs_unsafe] == snapshot


def test_persistent_workers_would_never_hear_of_an_epoch(
    mend: Mend, snapshot: SnapshotAssertion
) -> None:
    code = """
class Growing(Dataset):
    def __init__(self):
        self.epoch = 0

    def __getitem__(self, index):
        return Image.open(self.files[index + self.epoch])


def main(net):
    train_dataset = Growing()
    loader = DataLoader(train_dataset, num_workers=2)
    for epoch in range(9):
        train_dataset.epoch = epoch
        for x in loader:
            net(x).backward()
"""
    outcome = mend({"train.py": HEAD + code}, select="PDR106", unsafe=True)

    assert not outcome.files
    (turned,) = outcome.refused
    assert turned.why == snapshot


def test_two_that_fight_cannot_both_be_made(mend: Mend, snapshot: SnapshotAssertion) -> None:
    """Workers for a lambda that they cannot get: not done, with the reason."""
    code = loader("Images([]), 4, collate_fn=lambda b: b")

    outcome = mend({"train.py": HEAD + code}, FORKSERVER, select="PDR101", unsafe=True)

    assert not outcome.files
    (turned,) = outcome.refused
    assert turned.why == snapshot


def test_one_that_fights_does_not_stop_the_others(mend: Mend) -> None:
    good = loader("Images([]), persistent_workers=True")
    bad = loader("Images([]), 4, collate_fn=lambda b: b").replace("main", "other")

    texts = {"train.py": HEAD + good + "\n\n" + bad}

    outcome = mend(texts, FORKSERVER, select="PDR101,PDR104", unsafe=True)

    assert {p.found.check.code for p in outcome.applied} >= {"PDR104"}
    assert [t.found.check.code for t in outcome.refused] == ["PDR101"]


def test_what_is_only_possible_waits_to_be_named(mend: Mend) -> None:
    code = "net = torch.nn.BatchNorm1d(3)\n" + loader("Images([]), 4, shuffle=True")

    outcome = mend({"train.py": HEAD + code}, unsafe=True)

    assert "drop-last-missing" not in {p.found.check.name for p in outcome.applied}
    assert "drop-last-missing" in {p.found.check.name for p in outcome.uncertain}


def test_a_second_time_finds_nothing(mend: Mend) -> None:
    code = loader(f"{SAMPLED}, shuffle=True, persistent_workers=True", copied())
    first = mend({"train.py": HEAD + code}, unsafe=True)

    second = mend({"train.py": first.files["train.py"]}, unsafe=True)

    assert first.applied
    assert not second.files
