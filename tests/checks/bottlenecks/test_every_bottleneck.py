"""PDR901 to PDR914: exactly one of them speaks of what was measured, with figures."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.bottleneck.named_bottleneck import BOTTLENECK_NAMES
from pipedoctor.check import Severity
from pipedoctor.engine.measurements import merge_measurements
from pipedoctor.facts import Cpu, Facts, Host
from tests.checks.bottlenecks.measured_pipelines import (
    MEASURED,
    find_bottleneck,
    judge_bottleneck,
)
from tests.tune.seen import pipeline

HERE = Cpu(logical=8, model="Acme 9")
ELSEWHERE = "it was measured on another machine: Other 1, 4 CPUs"

every_bottleneck = pytest.mark.parametrize("name", BOTTLENECK_NAMES)


@every_bottleneck
def test_silent_where_another_is_the_bottleneck(name: str) -> None:
    for other in set(BOTTLENECK_NAMES) - {name}:
        assert find_bottleneck(name).run(Facts(MEASURED[other])).findings == (), other


@pytest.mark.parametrize("number", range(14))
def test_codes_stand_in_the_order_of_the_causes(number: int) -> None:
    assert find_bottleneck(BOTTLENECK_NAMES[number]).code == f"PDR{901 + number}"


@every_bottleneck
def test_only_what_needs_no_cure_is_a_note(name: str) -> None:
    mild = name in {"consumer", "unknown"}
    finding = judge_bottleneck(name, MEASURED[name])

    assert finding.severity is (Severity.NOTE if mild else Severity.SLOWS)
    assert finding.evidence["target"] == "data.py:make"
    assert bool(finding.remedies) is (name != "consumer")


@every_bottleneck
def test_a_record_gives_the_same_verdict(name: str) -> None:
    facts = Facts(MEASURED[name])
    again = Facts.from_record(facts.to_record())

    assert find_bottleneck(name).run(again) == find_bottleneck(name).run(facts)


@every_bottleneck
def test_without_a_batch_nobody_knows(name: str, snapshot: SnapshotAssertion) -> None:
    verdict = find_bottleneck(name).run(Facts(pipeline()))

    assert verdict.findings == ()
    assert verdict.skipped == snapshot


@every_bottleneck
def test_another_machine_says_nothing_of_this_one(name: str) -> None:
    there = Host(model="Other 1", cpus=4, effective=4)
    measured = [replace(MEASURED[name], host=there)]
    away = find_bottleneck(name).run(merge_measurements(Facts(HERE), measured))

    assert away.findings == ()
    assert away.skipped.removeprefix("pipeline: ") == ELSEWHERE


@every_bottleneck
def test_the_machine_that_was_measured_has_it(name: str) -> None:
    same = Host(model="Acme 9", cpus=8, effective=2)
    measured = [replace(MEASURED[name], host=same)]

    assert find_bottleneck(name).run(merge_measurements(Facts(HERE), measured)).findings
