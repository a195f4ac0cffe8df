"""What is said of a loader that fails, and of a length that nobody can know."""

from typing import Any

import pytest

pytest.importorskip("torch")

from pipedoctor.tune.target import endless_loader
from pipedoctor.tune.target.loader_failure import describe_failure


class Spiteful(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise ValueError


def test_an_error_that_cannot_be_printed() -> None:
    assert "Spiteful: <exception str() failed>" in describe_failure(Spiteful())


def test_what_a_worker_died_of() -> None:
    signal = RuntimeError("DataLoader worker (pid 7) is killed by signal: Killed. ")
    unexpected = RuntimeError("DataLoader worker (pid(s) 7) exited unexpectedly")
    unexpected.__cause__ = signal

    assert describe_failure(unexpected).endswith("is killed by signal: Killed.")
    assert describe_failure(signal).endswith("is killed by signal: Killed.")


class Sized:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __len__(self) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "answer", [-1, 1.5, RuntimeError("cannot count"), TypeError("no")], ids=repr
)
def test_a_length_that_nobody_can_know(answer: Any) -> None:
    assert endless_loader.count_samples(Sized(answer)) is None
    assert endless_loader.count_samples(Sized(3)) == 3
