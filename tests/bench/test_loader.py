"""The stages of a loader, told from what the probe saw."""

import pytest
from msgspec.structs import replace

from pipedoctor.bench.text import render
from pipedoctor.facts import (
    BenchLoader,
    Contents,
    Host,
    OneThread,
    Quality,
    Spread,
    Trial,
    Window,
)
from pipedoctor.tune.compare.stages import (
    StageMeasurement,
    build_sheet,
    drop_refused_trials,
)
from tests.bench.seen_loader import SEEN, trial

CROWDED = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=1.0)


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
        ((), "", "no batch arrived within the time limit"),
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
