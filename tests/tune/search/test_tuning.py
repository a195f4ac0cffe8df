"""What is known of a target before anything of it is measured."""

from contextlib import AbstractContextManager, nullcontext

import pytest
from msgspec.structs import replace

from pipedoctor.bench.host import read_host
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Setting, UnreadableError
from pipedoctor.tune.search import tuning
from pipedoctor.tune.search.tuning import TuningRequest, open_search
from pipedoctor.tune.target.messages import TargetLoaded


class Loaded:
    """A target that nobody has to load."""

    def wait_until_loaded(self, until: float) -> TargetLoaded:
        assert until
        setting = Setting(num_workers=0, batch_size=4)
        return TargetLoaded(setting=setting, samples=100, start_method="fork")


@pytest.fixture(autouse=True)
def _loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def session(_target: str, **_: object) -> AbstractContextManager[Loaded]:
        return nullcontext(Loaded())

    monkeypatch.setattr(tuning, "TargetSession", session)


def test_the_machine_is_noted() -> None:
    with open_search(TuningRequest(target="a.py:make")) as (search, _):
        seen = search.build_pipeline().host

    assert seen is not None
    assert seen.created
    assert replace(seen, created="") == replace(read_host(Machine()), created="")


def test_a_machine_that_tells_nothing_can_be_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreadable(_machine: Machine) -> None:
        message = "no /proc"
        raise UnreadableError(message)

    monkeypatch.setattr(tuning, "read_host", unreadable)
    with open_search(TuningRequest(target="a.py:make")) as (search, _):
        assert search.build_pipeline().host is None
