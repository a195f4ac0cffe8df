"""Measuring a loader: windows that are measured again, a real run, and what ends it early."""

import contextlib
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from pipedoctor.facts import (
    Pipeline,
    Setting,
    Trial,
)
from pipedoctor.tune.compare import stages
from pipedoctor.tune.compare.stages import (
    measure_stages,
    probe_quietly,
)
from pipedoctor.tune.compare.variants import VariantBench
from pipedoctor.tune.search import tuning
from pipedoctor.tune.search.ledger import TrialLedger
from pipedoctor.tune.search.limits import ResourceLimits
from pipedoctor.tune.search.probe import TrialFailedError, TrialRunner
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.tuning import TuningRequest
from pipedoctor.tune.target.messages import TargetLoaded
from tests.bench.seen_loader import CALM, SEEN, trial

TARGET = (
    "import torch\n"
    "data = torch.utils.data.TensorDataset(torch.rand(4096, 8))\n"
    "make = lambda: torch.utils.data.DataLoader(data, batch_size=64)\n"
)


class Shared(TrialRunner):
    """Windows of a second in which others use so many CPUs, then none."""

    def __init__(self, *foreign: float, rest: float = 40.0) -> None:
        super().__init__(session=cast("Any", None), deadline=0.0)
        self.foreign, self.rest = list(foreign), rest
        self.traced: list[int] = []

    @property
    def seconds_left(self) -> float:
        return self.rest

    def measure(self, setting: Setting, seconds: float, **more: Any) -> Trial:
        assert seconds
        self.rest -= 1.0
        self.trial_seconds.append(1.0)
        if more["trace"]:
            self.traced.append(setting.num_workers)
        foreign = self.foreign.pop(0) if self.foreign else 0.0
        found = trial(setting.num_workers, replace(CALM, foreign=foreign))
        return replace(found, setting=setting, batches=10)


def repeated(*foreign: float, rest: float = 40.0) -> SettingSearch:
    start = Setting(num_workers=0, batch_size=8)
    bounds = ResourceLimits(cpus=2.0, cpus_bound="machine", max_workers=1)
    search = SettingSearch(Shared(*foreign, rest=rest), bounds, start, SEEN)
    probe_quietly(search)
    return search


@pytest.mark.parametrize(
    ("foreign", "rest", "windows", "marks"),
    [
        pytest.param((), 40.0, 2, ["", ""], id="nobody disturbs"),
        pytest.param((1.0,), 40.0, 3, ["", ""], id="measured again"),
        pytest.param((1.0, 1.0, 0.0, 1.0, 0.0), 40.0, 5, ["", ""], id="both"),
        pytest.param(
            (0.5, 0.0, 0.3, 0.4), 40.0, 4, ["other processes used 0.3 of 2 CPUs", ""], id="marked"
        ),
        pytest.param((1.0,) * 9, 40.0, 6, ["other processes used 1.0 of 2 CPUs"] * 2, id="refused"),
        pytest.param(
            (0.5,) * 9, 5.0, 2, ["other processes used 0.5 of 2 CPUs"] * 2, id="half of the time"
        ),
        pytest.param(
            (1.0,) * 9, 5.0, 4, ["other processes used 1.0 of 2 CPUs"] * 2, id="all of the time"
        ),
    ],
)
def test_windows_that_others_disturb_are_measured_again(
    foreign: tuple[float, ...], rest: float, windows: int, marks: list[str]
) -> None:
    search = repeated(*foreign, rest=rest)

    assert len(search.ledger.trials) == windows
    assert [one.disturbance for one in search.ledger.merge_all()] == marks


def test_the_trace_is_taken_again_with_its_window() -> None:
    assert cast("Shared", repeated(1.0, 1.0).runner).traced == [0, 0]


@pytest.mark.extended
def test_a_real_loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "train.py"
    path.write_text(TARGET)

    def probe(search: SettingSearch) -> None:
        search.measure(search.make_setting(0), 0.1)
        search.measure(search.make_setting(1), 0.1)

    monkeypatch.setattr(SettingSearch, "probe", probe)

    # The time is for a machine that is busy: what is measured is short.
    found = measure_stages(TuningRequest(target=f"{path}:make", budget=120.0))

    assert not found.failure
    alone, one = found.pipeline.trials
    assert (alone.setting.num_workers, one.setting.num_workers) == (0, 1)
    assert alone.costs is not None
    assert alone.costs.fetch_wall > 0
    assert found.pipeline.contents.objects == 1
    assert found.bench_loader is not None
    touch, unknown = found.bench_loader.touch, found.bench_loader.unknown
    assert touch is not None or "other processes" in unknown["touch"]
    assert "transfer" in unknown or found.bench_loader.transfer is not None


@pytest.mark.parametrize(
    ("probing", "touching", "trouble", "interrupted"),
    [
        (TrialFailedError("it fails"), None, "it fails", False),
        (KeyboardInterrupt(), None, "", True),
        (None, KeyboardInterrupt(), "", True),
    ],
)
def test_what_ends_it_early(
    monkeypatch: pytest.MonkeyPatch,
    probing: BaseException | None,
    touching: BaseException | None,
    trouble: str,
    interrupted: bool,
) -> None:
    class Searched:
        limits = start = None
        ledger, runner = TrialLedger(), SimpleNamespace(seconds_left=0.0)

        def probe(self) -> None:
            if probing:
                raise probing

        def count_max_workers(self) -> int:
            return 4

        def make_setting(self, workers: int) -> Setting:
            return Setting(num_workers=workers)

        def build_pipeline(self) -> Pipeline:
            return replace(SEEN, trials=())

    @contextlib.contextmanager
    def probed(_order: TuningRequest) -> Generator[Any, None, None]:
        yield (
            Searched(),
            TargetLoaded(setting=Setting(num_workers=0), start_method="fork", seconds=1.0),
        )

    def run(_beside: VariantBench, *, accelerator: bool) -> None:
        assert not accelerator
        assert probing is None
        if touching:
            raise touching

    monkeypatch.setattr(tuning, "open_search", probed)
    monkeypatch.setattr(stages, "SettingSearch", Searched)
    monkeypatch.setattr(VariantBench, "run", run)

    found = measure_stages(TuningRequest(target="train.py:make"))

    assert (found.failure, found.interrupted) == (trouble, interrupted)
    assert (found.bench_loader is None) == bool(trouble)
