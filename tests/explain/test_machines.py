"""An ill machine confirms the cause of a log, a well one rules it out."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.model import Suspect
from pipedoctor.facts import Facts

MACHINES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("machines.json").read_text("utf-8")
)

every_cause = pytest.mark.parametrize("cause", MACHINES)


def first(cause: str, state: str) -> Suspect:
    row = MACHINES[cause]
    facts = Facts.from_record({"known": row[state], "unknown": {}})
    log = io.BytesIO(row["log"].encode())

    return explain(log, facts=lambda _: facts).causes[0]


@every_cause
def test_confirmed_on_the_ill_machine(cause: str) -> None:
    found = first(cause, "ill")

    assert (found.cause, found.here) == (cause, "confirmed")
    assert found.why_here
    assert found.remedies


@every_cause
def test_ruled_out_by_what_was_measured_on_the_well_one(cause: str) -> None:
    found = first(cause, "well")

    assert (found.cause, found.here) == (cause, "ruled-out")
    assert MACHINES[cause]["said"] in found.why_here
    assert found.remedies
    assert not any(remedy.automatic for remedy in found.remedies)


def test_enough_causes_have_an_example() -> None:
    assert len(MACHINES) >= 38


def test_what_else_its_check_may_find_leaves_it_open() -> None:
    """One check tells three of CUDA's errors: another one confirms nothing."""
    log = io.BytesIO(MACHINES["cuda_forward_compat_unsupported"]["log"].encode())
    other = MACHINES["fabric_manager_not_running"]["ill"]
    facts = Facts.from_record({"known": other, "unknown": {}})

    found = explain(log, facts=lambda _: facts).causes[0]

    assert (found.cause, found.here) == ("cuda_forward_compat_unsupported", "unknown")
    assert "finds something else" in found.why_here
    assert "(Error 802)" in found.why_here
    assert not any("fabric" in remedy.title for remedy in found.remedies)
