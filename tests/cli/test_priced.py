"""`check --measure` that somebody ends with Ctrl-C."""

from dataclasses import replace
from typing import Any

import pytest

from pipedoctor.cli.priced import measured
from pipedoctor.tune import tuning
from pipedoctor.tune.tuning import Tuning
from tests.tune.test_search import done


@pytest.fixture
def _ended(monkeypatch: pytest.MonkeyPatch) -> None:
    found = replace(done(), interrupted=True)

    def tune(_order: Any) -> Tuning:
        return found

    monkeypatch.setattr(tuning, "tune", tune)


@pytest.mark.usefixtures("_ended")
def test_it_ends_the_check_too() -> None:
    with pytest.raises(KeyboardInterrupt):
        measured({"measure": "data.py:make"}, ())
