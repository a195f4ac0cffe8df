"""What a remedy would save: of which findings, by how much, and on what basis."""

from typing import Any

import pytest
from msgspec import structs

from pipedoctor.check import EPOCH, Counterfactual, Finding, Location, Severity, Verdict
from pipedoctor.facts import (
    Contents,
    Facts,
    OneThread,
    Pipeline,
    Shares,
    Source,
    Spread,
)
from pipedoctor.facts.source import LoaderCall, Spot
from pipedoctor.tune.compare.counterfactual import apply_counterfactual
from pipedoctor.tune.compare.remedy_gain import add_gains, estimate_epoch, predict_gain
from tests.tune.seen import costs, pipeline, setting, trial, window

WAITS = {"fetch_wall": 0.1, "fetch_cpu": 0.002, "fetch_process": 0.002}
FREE = window(own=0.1)
FLOATS = Contents(bytes=50 << 20, shared_bytes=50 << 20, objects=1, float_bytes=50 << 20)


def waits(**values: Any) -> Pipeline:
    """Every batch waits 0.1 s, side by side with others."""
    found = costs(**WAITS)
    return pipeline(
        trial(0, 0.102, costs=found, window=FREE),
        trial(1, 0.103, costs=found, window=FREE),
        trial(4, 0.026, costs=found, window=FREE),
        **{"samples": 1600, "best": setting(4), **values},
    )


def computes(**values: Any) -> Pipeline:
    usual = trial(0, 0.02), trial(1, 0.02), trial(2, 0.01)
    return pipeline(*values.pop("trials", usual), **{"samples": 1600, **values})


# --- how much


def test_a_setting_that_was_measured() -> None:
    gain = predict_gain(waits(), Counterfactual(tuned=True))

    assert gain is not None
    assert gain.basis == "measured"
    assert gain.unit == EPOCH
    each = 4 * 0.026  # four workers begin at once: 25 rounds of their batches
    then = 25 * each + (0.1 + 0.02 * 4 - each)
    assert gain.value == pytest.approx(1 - then / 10.2, abs=0.001)
    assert gain.seconds == pytest.approx(10.2 - then, abs=0.01)
    assert gain.low < gain.value < gain.high < 1


def objects(number: int) -> Pipeline:
    """The main process takes 80 ms to receive what a worker makes in 1 ms."""
    found = costs(
        fetch_wall=0.001,
        fetch_cpu=0.001,
        fetch_process=0.001,
        send_wall=0.016,
        send_cpu=0.016,
        process=0.017,
        receive_wall=0.08,
        receive_cpu=0.04,
        next_cpu=0.04,
    )
    few = Contents(bytes=9000, shared_bytes=number * 4096, objects=number)
    trials = (trial(n, 0.08, costs=found, window=FREE) for n in (1, 2))
    return pipeline(*trials, start=setting(2), samples=1600, contents=few)


def test_fewer_tensors_are_handed_over_sooner() -> None:
    packed = Counterfactual(packed=True)
    gain = predict_gain(objects(200), packed)
    assert gain is not None
    assert gain.basis == "modelled"
    assert gain.value > 0.9
    half = predict_gain(objects(8), packed)
    assert half is not None
    assert half.value == pytest.approx(0.5, abs=0.1)
    assert apply_counterfactual(objects(4), packed) == []
    assert apply_counterfactual(objects(5), packed) != []


def test_a_setting_that_was_not_measured_is_modelled() -> None:
    gain = predict_gain(waits(), Counterfactual(workers=2))

    assert gain is not None
    assert gain.basis == "modelled"
    assert gain.value == pytest.approx(0.5, abs=0.05)
    sure = predict_gain(waits(), Counterfactual(workers=4))
    assert sure is not None
    assert gain.high - gain.low > sure.high - sure.low


def test_workers_are_kept_from_epoch_to_epoch() -> None:
    seen = waits(start=setting(4), startup_seconds=2.026)
    gain = predict_gain(seen, Counterfactual(persistent=True))

    assert gain is not None
    each = 4 * 0.026  # their queues are empty: a worker makes a batch in that time
    assert gain.seconds == pytest.approx(2.026 - each, rel=2e-3)
    assert gain.value == pytest.approx((2.026 - each) / (2.026 + 24 * each), rel=2e-3)


def test_starting_does_not_count_where_an_epoch_never_ends() -> None:
    gain = predict_gain(waits(start=setting(4), samples=None), Counterfactual(persistent=True))

    assert gain is not None
    assert gain.value == 0
    assert gain.seconds is None


def test_faster_storage() -> None:
    gain = predict_gain(waits(), Counterfactual(storage=2.0))

    assert gain is not None
    assert gain.basis == "modelled"
    assert gain.value == pytest.approx(0.05 / 0.102, abs=0.02)


def test_more_cpus_help_workers_that_share_them() -> None:
    seen = pipeline(
        trial(1, 0.04),
        trial(4, 0.04),
        start=setting(4),
        cpus=0.5,
        cpus_bound="cgroup quota",
        samples=None,
    )
    gain = predict_gain(seen, Counterfactual(cores=2.0))

    assert gain is not None
    assert gain.value == pytest.approx(0.75, abs=0.05)


def test_bytes_instead_of_floats_need_floats() -> None:
    made = (trial(0, 0.03, costs=costs(fetch_wall=0.01, fetch_cpu=0.01, collate_cpu=0.02)),)
    gain = predict_gain(pipeline(*made, contents=FLOATS), Counterfactual(uint8=True))

    assert gain is not None
    assert gain.value == pytest.approx(0.015 / 0.03, abs=0.02)
    assert predict_gain(pipeline(*made), Counterfactual(uint8=True)) is None


def test_a_remedy_that_does_not_help_has_no_gain() -> None:
    gain = predict_gain(computes(start=setting(2)), Counterfactual(workers=0))

    assert gain is not None
    assert gain.value < 0


def test_a_limit_that_keeps_a_better_setting_out() -> None:
    bound = waits(limits={"/dev/shm": "/dev/shm: needs 9 MiB, 8 MiB available"})
    gain = predict_gain(bound, Counterfactual(freed="/dev/shm"))

    assert gain is not None
    assert gain.value > 0.6
    assert predict_gain(waits(), Counterfactual(freed="/dev/shm")) is None
    assert predict_gain(waits(best=None), Counterfactual(tuned=True)) is None


# --- other costs


def test_no_change_leaves_the_costs() -> None:
    assert apply_counterfactual(computes(), Counterfactual(workers=3)) == []
    assert apply_counterfactual(computes(fault_seconds=0.0), Counterfactual(faultless=True)) == []
    assert apply_counterfactual(computes(cpu=None), Counterfactual(decode=2.0)) == []


def test_page_faults_go() -> None:
    seen = pipeline(trial(0, 0.02, costs=costs(fetch_faults=20_000.0)), fault_seconds=5e-7)
    gain = predict_gain(seen, Counterfactual(faultless=True))

    assert gain is not None
    assert gain.value == pytest.approx(0.5, abs=0.02)
    assert gain.basis == "modelled"


def test_the_garbage_collector_is_spared() -> None:
    collects = costs(fetch_wall=0.04, fetch_cpu=0.04, fetch_process=0.04, collector=0.03)
    seen = pipeline(trial(0, 0.04, costs=collects))
    gain = predict_gain(seen, Counterfactual(uncollected=True))

    assert gain is not None
    assert gain.value == pytest.approx(0.75, abs=0.02)
    assert apply_counterfactual(computes(), Counterfactual(uncollected=True)) == []


def test_decoding_twice_as_fast_saves_half_of_its_share() -> None:
    seen = pipeline(trial(0, 0.02), cpu=Shares(read=0.1, decode=0.6, transform=0.3))
    gain = predict_gain(seen, Counterfactual(decode=2.0))

    assert gain is not None
    assert gain.value == pytest.approx(0.3, abs=0.02)


def opening(wall: float = 0.4, cpu: float = 0.2) -> Pipeline:
    """Containers are opened for each item, which waits for half of that."""
    of = {"read": 0.3, "decode": 0.3, "transform": 0.4}
    found = costs(fetch_wall=0.04, fetch_cpu=0.02)
    return pipeline(
        trial(0, 0.04, costs=found),
        wall=Shares(**of, opened=wall),
        cpu=Shares(**of, opened=cpu),
    )


def test_containers_that_stay_open_are_not_waited_for() -> None:
    (after,) = apply_counterfactual(opening(), Counterfactual(opened=0.5))
    gain = predict_gain(opening(), Counterfactual(opened=0.5))

    spared = after.trials[0].costs
    assert spared is not None
    assert spared.fetch_wall == pytest.approx(0.04 * (1 - 0.5 * 0.4))
    assert spared.fetch_cpu == pytest.approx(0.02 * (1 - 0.5 * 0.2))
    assert gain is not None
    assert gain.basis == "modelled"
    assert gain.value == pytest.approx(0.2, abs=0.02)


def test_what_is_worth_nothing_and_what_nobody_knows() -> None:
    shut = opening(wall=0.0, cpu=0.0)
    gain = predict_gain(shut, Counterfactual(opened=1.0))

    assert gain is not None
    assert gain.value == pytest.approx(0)
    assert predict_gain(computes(wall=None), Counterfactual(opened=1.0)) is None
    assert predict_gain(computes(cpu=None), Counterfactual(opened=1.0)) is None
    assert predict_gain(opening(), Counterfactual(opened=1.1)) is None


def test_threads_may_have_spun_or_worked() -> None:
    spins = costs(fetch_process=0.06, process=0.06)
    seen = pipeline(trial(2, 0.06, costs=spins), start=setting(2))
    spun, worked = apply_counterfactual(seen, Counterfactual(one_thread=True))
    gain = predict_gain(seen, Counterfactual(one_thread=True))

    assert spun.trials[0].costs is not None
    assert spun.trials[0].costs.fetch_process == pytest.approx(0.02)
    assert worked.trials[0].costs is not None
    assert worked.trials[0].costs.fetch_cpu == pytest.approx(0.06)
    assert gain is not None
    assert gain.low < 0.05
    assert gain.high > 0.4


def test_a_trial_without_costs_stays() -> None:
    seen = pipeline(trial(0, 0.02), trial(1, 0.02, costs=None))
    (after,) = apply_counterfactual(
        pipeline(*seen.trials, cpu=Shares(read=0, decode=1, transform=0)),
        Counterfactual(decode=2.0),
    )

    assert after.trials[1] == seen.trials[1]


def test_an_epoch_without_samples_is_one_batch() -> None:
    known = estimate_epoch(computes(samples=None), setting(0))

    assert known.seconds == pytest.approx(0.02)
    assert known.measured


# --- of which findings

HERE = Spot(path="train.py", line=10, end_line=12)
THERE = Spot(path="train.py", line=30)


def finding(line: int | None, path: str = "train.py") -> Finding:
    return Finding(
        severity=Severity.SLOWS,
        summary="slow",
        counterfactual=Counterfactual(tuned=True),
        location=Location(path=path, line=line) if line else None,
    )


def source(*spots: Spot) -> Source:
    return Source(loaders=tuple(LoaderCall(at=s, name="DataLoader") for s in spots))


def gain_of(found: Finding, seen: Pipeline, *more: Any) -> bool:
    (verdict,) = add_gains(Facts(seen, *more), [Verdict("X1", (found,))])
    return verdict.findings[0].gain is not None


MADE = Spot(path="train.py", line=11)
BOTH = source(HERE, THERE)


@pytest.mark.parametrize(
    ("found", "seen", "code", "told"),
    [
        pytest.param(finding(None), waits(), BOTH, True, id="of the machine"),
        pytest.param(finding(10), waits(made_at=MADE), BOTH, True, id="of its call"),
        pytest.param(finding(12), waits(made_at=MADE), BOTH, True, id="its last line"),
        pytest.param(finding(13), waits(made_at=MADE), BOTH, True, id="of its file"),
        pytest.param(finding(30), waits(made_at=MADE), BOTH, False, id="of another"),
        pytest.param(finding(10, "other.py"), waits(made_at=MADE), BOTH, False, id="elsewhere"),
        pytest.param(finding(10), waits(), BOTH, False, id="one of two, who knows"),
        pytest.param(finding(10), waits(), source(HERE), True, id="the only one"),
        pytest.param(finding(10), pipeline(), source(HERE), False, id="not measured"),
        pytest.param(
            finding(None),
            waits(start=setting(3)),
            BOTH,
            False,
            id="nothing to compare with",
        ),
    ],
)
def test_only_the_loader_that_was_measured(
    found: Finding,
    seen: Pipeline,
    code: Source,
    told: bool,
) -> None:
    assert gain_of(found, seen, code) is told


@pytest.mark.parametrize(
    ("severity", "workers", "then"),
    [
        pytest.param(Severity.SLOWS, 1, Severity.NOTE, id="slower for certain"),
        pytest.param(Severity.SLOWS, 2, Severity.SLOWS, id="faster"),
        pytest.param(Severity.SLOWS, 3, Severity.SLOWS, id="only modelled"),
        pytest.param(Severity.RISKS, 1, Severity.RISKS, id="not about speed"),
    ],
)
def test_a_remedy_that_was_measured_to_harm_makes_a_note(
    severity: Severity, workers: int, then: Severity
) -> None:
    seen = computes(trials=(trial(0, 0.01), trial(1, 0.03), trial(2, 0.005)))
    found = Finding(severity=severity, summary="x", counterfactual=Counterfactual(workers=workers))
    (verdict,) = add_gains(Facts(seen), [Verdict("PDR101", (found,))])
    (finding,) = verdict.findings

    assert finding.gain is not None
    assert finding.severity is then


def test_what_says_no_counterfactual_keeps_its_gain() -> None:
    plain = Finding(severity=Severity.NOTE, summary="plain")

    assert add_gains(Facts(waits()), [Verdict("X1", (plain,))])[0].findings == (plain,)
    assert add_gains(Facts(), [Verdict("X1", (plain,))]) == [Verdict("X1", (plain,))]


def test_a_pipeline_without_costs_prices_nothing() -> None:
    bare = pipeline(trial(0, 0.02, costs=None), samples=1600)
    finding = Finding(
        severity=Severity.SLOWS, summary="x", counterfactual=Counterfactual(workers=2)
    )
    verdicts = [Verdict(code="PDR101", findings=(finding,))]

    assert add_gains(Facts(bare), verdicts) == verdicts


def test_a_pipeline_of_another_machine_prices_nothing() -> None:
    away = waits(elsewhere="it was measured on another machine: Acme 9, 8 CPUs")

    assert gain_of(finding(None), waits(), BOTH)
    assert not gain_of(finding(None), away, BOTH)


# --- one thread, where it was measured

RATIO = Spread(value=2.0, low=1.6, high=2.5, windows=4)
BLAS = Counterfactual(one_thread=True, blas=True)


def compared(windows: int = 4) -> OneThread:
    ratio = structs.replace(RATIO, windows=windows)
    return OneThread(
        variables=("OPENBLAS_NUM_THREADS",),
        before=RATIO,
        after=RATIO,
        ratio=ratio,
        cpu_before=0.06,
        cpu_after=0.02,
    )


def spinning(**values: Any) -> Pipeline:
    spins = costs(fetch_process=0.06)
    return pipeline(
        *(trial(n, 0.06, costs=spins) for n in (0, 2)),
        **{"start": setting(2), "threads": compared(), **values},
    )


def test_threads_of_blas_are_priced_by_what_was_measured() -> None:
    gain = predict_gain(spinning(), BLAS)

    assert gain is not None
    assert (gain.basis, gain.unit) == ("measured", EPOCH)
    assert (gain.value, gain.low, gain.high) == (0.5, 1 - 1 / 1.6, 0.6)
    assert gain.seconds == pytest.approx(0.5 * estimate_epoch(spinning(), setting(2)).seconds)


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        pytest.param(spinning(threads=None), BLAS, id="nothing was compared"),
        pytest.param(spinning(threads=compared(2)), BLAS, id="too few windows"),
        pytest.param(spinning(start=setting(0)), BLAS, id="no workers to speak of"),
        pytest.param(spinning(), Counterfactual(one_thread=True), id="of others"),
    ],
)
def test_else_they_have_worked_or_spun(seen: Pipeline, wanted: Counterfactual) -> None:
    gain = predict_gain(seen, wanted)

    assert gain is not None
    assert gain.basis == "modelled"


def test_threads_that_rest_have_nothing_to_save() -> None:
    feeder = costs(fetch_process=0.024, send_cpu=0.004)  # it pickles beside the fetch
    seen = pipeline(*(trial(n, 0.02, costs=feeder) for n in (0, 2)), start=setting(2))

    assert apply_counterfactual(seen, BLAS) == []
    gain = predict_gain(seen, BLAS)
    assert gain is not None
    assert gain.value == 0
