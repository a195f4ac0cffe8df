"""`check --measure` that somebody ends with Ctrl-C."""

from dataclasses import replace
from typing import Any

import pytest

from pipedoctor.cli.priced import measured, refusal
from pipedoctor.tune import beside
from pipedoctor.tune.tuning import Tuning
from tests.tune.test_search import done


@pytest.fixture
def _ended(monkeypatch: pytest.MonkeyPatch) -> None:
    found = replace(done(), interrupted=True)

    def tuned(_order: Any) -> Tuning:
        return found

    monkeypatch.setattr(beside, "tuned", tuned)


@pytest.mark.usefixtures("_ended")
def test_it_ends_the_check_too() -> None:
    with pytest.raises(KeyboardInterrupt):
        measured({"measure": "data.py:make"}, ())


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("a.py:make: returned None", "--measure a.py:make: returned None"),
        ("a.py: no such file", "--measure a.py:make: a.py: no such file"),
    ],
)
def test_a_target_is_named_once(reason: str, said: str) -> None:
    assert refusal("a.py:make", reason) == said
