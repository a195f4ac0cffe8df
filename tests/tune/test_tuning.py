"""What is known of a target before anything of it is measured."""

from contextlib import AbstractContextManager, nullcontext

import pytest
from msgspec.structs import replace

from pipedoctor.bench.host import host
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Unreadable
from pipedoctor.tune import tuning
from pipedoctor.tune.tuning import Order, probed


class Loaded:
    """A target that nobody has to load."""

    def loaded(self, until: float) -> dict[str, object]:
        assert until
        return {
            "setting": {"num_workers": 0, "batch_size": 4},
            "samples": 100,
            "own_batches": False,
            "start_method": "fork",
            "accelerator": False,
            "in_order": True,
        }


@pytest.fixture(autouse=True)
def _loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def session(_target: str, **_: object) -> AbstractContextManager[Loaded]:
        return nullcontext(Loaded())

    monkeypatch.setattr(tuning, "Session", session)


def test_the_machine_is_noted() -> None:
    with probed(Order(target="a.py:make")) as (search, _):
        seen = search.pipeline().host

    assert seen is not None
    assert seen.created
    assert replace(seen, created="") == replace(host(Machine()), created="")


def test_a_machine_that_tells_nothing_can_be_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreadable(_machine: Machine) -> None:
        message = "no /proc"
        raise Unreadable(message)

    monkeypatch.setattr(tuning, "host", unreadable)
    with probed(Order(target="a.py:make")) as (search, _):
        assert search.pipeline().host is None
