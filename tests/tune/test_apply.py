"""What was recommended, written into the call that makes the loader."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from msgspec import structs

from pipedoctor.catalogue import installed
from pipedoctor.collect.plan import Inquiry
from pipedoctor.fix.counter import Counter
from pipedoctor.fix.named import Examination
from pipedoctor.fix.plan import Refused
from pipedoctor.tune.apply import applied, values
from pipedoctor.tune.text import held, recommended
from pipedoctor.tune.tuning import Attempt, Order, Tuning, concluded
from tests.tune.seen import setting
from tests.tune.test_search import done, search, waiting

CODE = """\
from torch.utils.data import DataLoader


def make():
    return DataLoader(data(), batch_size=16)
"""


@pytest.fixture
def counter() -> Counter:
    return Counter(click.echo, lambda _: True, yes=True)


@pytest.fixture(scope="module")
def examination() -> Examination:
    return Examination(catalogue=installed(), inquiry=Inquiry(quick=True))


def test_the_call_is_edited(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    counter: Counter,
    examination: Examination,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "data.py"
    path.write_text(CODE)
    found = replace(done(), made_at=(str(path), 5))

    assert applied(found, counter, examination) == 0
    assert path.read_text() == CODE.replace(
        "batch_size=16", "batch_size=16, num_workers=8, prefetch_factor=2"
    )


def tuned(path: Path, **loaded: Any) -> Tuning:
    """A loader of 16 samples a batch, tuned with 64."""
    found = search(waiting, setting(0, batch_size=64))
    found.run()
    about = {"setting": msgspec.to_builtins(setting(0)), "made_at": [str(path), 5]}
    about |= {"accelerator": False, "own_batches": False, **loaded}
    order = Order(target="data.py:make", batch_size=64)
    return concluded(order, Attempt(search=found, loaded=about))


@pytest.mark.parametrize("now", ["batch_size=16", "16"])
def test_a_batch_size_that_was_asked_for_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    counter: Counter,
    examination: Examination,
    now: str,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "data.py"
    code = CODE.replace("batch_size=16", now)
    path.write_text(code)

    assert applied(tuned(path), counter, examination) == 0
    wanted = f"{now.replace('16', '64')}, num_workers=8, prefetch_factor=2"
    assert path.read_text() == code.replace(now, wanted)


def test_a_data_set_has_no_call(counter: Counter, examination: Examination) -> None:
    with pytest.raises(Refused, match="makes no DataLoader that could") as refused:
        applied(done(), counter, examination)

    assert refused.value.lines == (
        "DataLoader(dataset, batch_size=16, num_workers=8, prefetch_factor=2, ...)",
    )


def test_what_is_as_it_was_is_not_written() -> None:
    found = done()
    kept = structs.replace(found.choice.setting, persistent_workers=True, batch_size=32)
    changed = replace(found, choice=replace(found.choice, setting=kept))

    assert values(found) == {"num_workers": 8, "prefetch_factor": 2}
    assert values(changed) == {
        "num_workers": 8,
        "prefetch_factor": 2,
        "persistent_workers": True,
        "batch_size": 32,
    }


def test_memory_that_nobody_saw_is_not_nothing() -> None:
    assert (held(0), held(1 << 20)) == ("?", "1.0 MiB")


def test_where_the_user_has_a_batch_sampler_no_size_is_written(tmp_path: Path) -> None:
    about = {"setting": msgspec.to_builtins(setting(0, batch_size=64))}
    found = tuned(tmp_path / "data.py", own_batches=True, **about)

    assert recommended(found) == (
        "DataLoader(dataset, num_workers=8, prefetch_factor=2, ...)"
    )
    assert "batch_size" not in values(found)
