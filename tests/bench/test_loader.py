"""The stages of a loader, told from what the probe saw."""

import contextlib
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from pipedoctor.bench.text import render
from pipedoctor.facts import (
    BenchLoader,
    Contents,
    Costs,
    Host,
    OneThread,
    Pipeline,
    Quality,
    Setting,
    Shares,
    Spread,
    Trial,
    Window,
)
from pipedoctor.tune.compare import stages
from pipedoctor.tune.compare.stages import (
    StageMeasurement,
    build_sheet,
    drop_refused_trials,
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

CALM = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=0.0)
CROWDED = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=1.0)


def trial(workers: int, window: Window = CALM) -> Trial:
    return Trial(
        setting=Setting(num_workers=workers, prefetch_factor=2, batch_size=8),
        samples_per_second=100.0 * (workers + 1),
        batch_seconds=0.08 / (workers + 1),
        first_batch_seconds=0.25,
        costs=Costs(
            fetch_wall=0.08,
            fetch_cpu=0.07,
            fetch_process=0.07,
            collate_wall=0.004,
            send_wall=0.0005,
            receive_wall=0.001,
            next_cpu=0.002,
        ),
        window=window,
    )


SEEN = Pipeline(
    target="train.py:make",
    start=Setting(num_workers=1, prefetch_factor=2, batch_size=8),
    contents=Contents(bytes=4096, shared_bytes=4096, objects=2),
    wall=Shares(read=0.25, decode=0.5, transform=0.25),
    cpus=2.0,
    trials=(trial(0), trial(1)),
)


def test_every_stage_has_its_row() -> None:
    page = build_sheet(StageMeasurement(pipeline=SEEN, seconds=3.0))

    assert page.title == "One batch of train.py:make, stage by stage"
    assert page.rows == (
        ("fetch samples", "80", "80", ""),
        ("  read", "20", "20", ""),
        ("  decode", "40", "40", ""),
        ("  transform", "20", "20", ""),
        ("collate", "4", "4", ""),
        ("send", "", "0.5", ""),
        ("receive", "", "", "1"),
        ("CPU in next()", "", "", "2"),
    )
    assert page.conclusions[0].startswith("Bottleneck: ")
    assert page.conclusions[1] == (
        "num_workers=0: 100 samples/s, a batch in 80 ms, the first after 0.25 s."
    )
    assert "A batch holds 4.0 KiB in 2 tensors." in page.notes
    assert any(note.startswith("Send: a worker thread pickles") for note in page.notes)


@pytest.mark.parametrize("width", [80, 160])
def test_headings_stand_apart_where_there_is_room(width: int) -> None:
    drawn = render(build_sheet(StageMeasurement(pipeline=SEEN)), width=width)

    assert "no workers  in a worker  main process" in drawn


def test_without_a_trace_and_without_workers() -> None:
    seen = replace(
        SEEN,
        wall=None,
        trials=(trial(0),),
        contents=Contents(bytes=0, shared_bytes=0, objects=0),
    )

    page = build_sheet(StageMeasurement(pipeline=seen, failure="with num_workers=1: it fails"))

    assert [row[0] for row in page.rows] == ["fetch samples", "collate"]
    assert not any(note.startswith("Send: ") for note in page.notes)
    assert page.notes[0] == "Incomplete: with num_workers=1: it fails."


def test_what_others_decided_does_not_count() -> None:
    found = StageMeasurement(pipeline=replace(SEEN, trials=(trial(0, CROWDED), trial(1))))

    assert not found.no_result_reason
    assert drop_refused_trials(found).pipeline.trials == (trial(1),)
    assert any("1 window does not count" in note for note in build_sheet(found).notes)


@pytest.mark.parametrize(
    ("trials", "trouble", "why"),
    [
        (
            (trial(0, CROWDED),),
            "",
            "other processes used 1.0 of 2 CPUs, too much for a reliable measurement",
        ),
        ((), "", "no batch came in the time given"),
        ((), "it fails", "it fails"),
    ],
)
def test_no_number_at_all(trials: tuple[Trial, ...], trouble: str, why: str) -> None:
    found = StageMeasurement(pipeline=replace(SEEN, trials=trials), failure=trouble)

    assert found.no_result_reason == why
    assert build_sheet(found).rows == ()


def spread(value: float, off: float = 0.1) -> Spread:
    return Spread(value=value, low=value - off, high=value + off, windows=3)


def beside(ratio: float = 2.0) -> BenchLoader:
    return BenchLoader(
        host=Host(cpus=2, effective=2),
        target="train.py:make",
        num_workers=1,
        touch=spread(0.0083),
        transfer=spread(0.004),
        threads=OneThread(
            variables=("OPENBLAS_NUM_THREADS",),
            before=spread(50.0),
            after=spread(50.0 * ratio),
            ratio=spread(ratio),
            cpu_before=0.077,
            cpu_after=0.0135,
        ),
    )


def test_what_receiving_costs_and_what_one_thread_brings() -> None:
    found = StageMeasurement(pipeline=SEEN, bench_loader=beside())
    page = build_sheet(found)

    assert found.facts == (SEEN, beside())
    assert page.rows[-2:] == (
        ("first touch", "", "", "8.3"),
        ("to the GPU", "", "", "4"),
    )
    assert page.conclusions[1] == (
        "With OPENBLAS_NUM_THREADS=1 it is 2.00x (1.90 to 2.10) as fast, and a batch"
        " takes 77 ms of CPU without and 13.5 ms with it."
    )
    touched = "First touch: the main process reads one byte of every page, once."
    assert touched in page.notes
    slow = build_sheet(StageMeasurement(pipeline=SEEN, bench_loader=beside(1.05)))
    assert slow.conclusions[1].endswith(" with it: not significantly faster.")


def test_what_was_not_measured_beside_the_stages() -> None:
    why = {"touch": "no time", "transfer": "no GPU", "threads": "they rest"}
    none = BenchLoader(host=Host(cpus=2, effective=2), target="a", num_workers=1, unknown=why)
    page = build_sheet(StageMeasurement(pipeline=SEEN, bench_loader=none))

    assert page.rows == build_sheet(StageMeasurement(pipeline=SEEN)).rows
    assert page.notes[3:6] == (
        "Not measured, first touch: no time.",
        "Not measured, to the GPU: no GPU.",
        "Not measured, one thread: they rest.",
    )


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


def test_how_often_it_was_measured_again_and_how_doubtful_it_is() -> None:
    quality = Quality(windows=3, repeated=1, marked="other processes used 0.3 of 2 CPUs")
    more = replace(beside(), quality=quality)
    notes = build_sheet(
        StageMeasurement(pipeline=SEEN, bench_loader=more, repeated_windows=2)
    ).notes

    assert "3 windows were repeated because other processes used the CPUs." in notes
    assert "Unreliable, because the machine was busy: other processes used 0.3 of 2 CPUs." in notes
    again = build_sheet(StageMeasurement(pipeline=SEEN, repeated_windows=1)).notes
    assert "1 window was repeated because other processes used the CPUs." in again
    assert not any("again" in note for note in build_sheet(StageMeasurement(pipeline=SEEN)).notes)


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
