"""What was recommended, written into the call that makes the loader."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from msgspec import structs

from pipedoctor.collect.plan import CollectionRequest
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.fix.code.apply_tuning import apply_tuning, list_changed_arguments
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.plan.plan import FixRefusedError
from pipedoctor.fix.request.named_checks import Examination
from pipedoctor.tune.output.text import format_memory, format_recommended
from pipedoctor.tune.search.tuning import (
    SearchAttempt,
    Tuning,
    TuningRequest,
    conclude_tuning,
)
from pipedoctor.tune.target.messages import TargetLoaded
from tests.tune.scripted_search import done, search, waiting
from tests.tune.seen import setting

CODE = """\
from torch.utils.data import DataLoader


def make():
    return DataLoader(data(), batch_size=16)
"""


@pytest.fixture
def counter() -> Console:
    return Console(click.echo, lambda _: True, yes=True)


@pytest.fixture(scope="module")
def examination() -> Examination:
    return Examination(catalogue=get_catalogue(), inquiry=CollectionRequest(quick=True))


def test_the_call_is_edited(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    counter: Console,
    examination: Examination,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "data.py"
    path.write_text(CODE)
    found = replace(done(), made_at=(str(path), 5))

    assert apply_tuning(found, counter, examination) == 0
    assert path.read_text() == CODE.replace(
        "batch_size=16", "batch_size=16, num_workers=8, prefetch_factor=2"
    )


def tuned(path: Path, **loaded: Any) -> Tuning:
    """A loader of 16 samples a batch, tuned with 64."""
    found = search(waiting, setting(0, batch_size=64))
    found.run()
    full: dict[str, Any] = {
        "setting": setting(0),
        "made_at": (str(path), 5),
        "start_method": "fork",
        **loaded,
    }
    about = TargetLoaded(**full)
    order = TuningRequest(target="data.py:make", batch_size=64)
    return conclude_tuning(order, SearchAttempt(search=found, loaded_target=about))


@pytest.mark.parametrize("now", ["batch_size=16", "16"])
def test_a_batch_size_that_was_asked_for_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    counter: Console,
    examination: Examination,
    now: str,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "data.py"
    code = CODE.replace("batch_size=16", now)
    path.write_text(code)

    assert apply_tuning(tuned(path), counter, examination) == 0
    wanted = f"{now.replace('16', '64')}, num_workers=8, prefetch_factor=2"
    assert path.read_text() == code.replace(now, wanted)


def test_a_data_set_has_no_call(counter: Console, examination: Examination) -> None:
    with pytest.raises(FixRefusedError, match="creates no DataLoader that could") as refused:
        apply_tuning(done(), counter, examination)

    assert refused.value.lines == (
        "DataLoader(dataset, batch_size=16, num_workers=8, prefetch_factor=2, ...)",
    )


def test_what_is_as_it_was_is_not_written() -> None:
    found = done()
    kept = structs.replace(found.choice.setting, persistent_workers=True, batch_size=32)
    changed = replace(found, choice=replace(found.choice, setting=kept))

    assert list_changed_arguments(found) == {"num_workers": 8, "prefetch_factor": 2}
    assert list_changed_arguments(changed) == {
        "num_workers": 8,
        "prefetch_factor": 2,
        "persistent_workers": True,
        "batch_size": 32,
    }


def test_memory_that_nobody_saw_is_not_nothing() -> None:
    assert (format_memory(0), format_memory(1 << 20)) == ("?", "1.0 MiB")


def test_where_the_user_has_a_batch_sampler_no_size_is_written(tmp_path: Path) -> None:
    found = tuned(tmp_path / "data.py", own_batches=True, setting=setting(0, batch_size=64))

    assert format_recommended(found) == (
        "DataLoader(dataset, num_workers=8, prefetch_factor=2, ...)"
    )
    assert "batch_size" not in list_changed_arguments(found)


def test_what_is_only_possible_is_not_written(
    tmp_path: Path, counter: Console, examination: Examination
) -> None:
    path = tmp_path / "data.py"
    path.write_text(CODE)
    found = replace(done(), made_at=(str(path), 5))
    doubtful = replace(found, choice=replace(found.choice, confidence="possible"))

    with pytest.raises(FixRefusedError, match="only possible"):
        apply_tuning(doubtful, counter, examination)
    assert path.read_text() == CODE
