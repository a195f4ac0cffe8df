"""Beyond twenty findings there is one summary a check, unless all are asked for."""

import pytest
from msgspec.structs import replace

from pipedoctor.check import Location
from pipedoctor.report.model import Report
from pipedoctor.report.rule_summary import MAX_SINGLE
from pipedoctor.report.text import render


def _crowd(ill: Report, count: int) -> Report:
    found = tuple(
        replace(
            ill.findings[0], rank=n + 1, location=Location(path=f"f{n}.py", line=n + 1), explains=()
        )
        for n in range(count)
    )
    return replace(ill, findings=found)


@pytest.mark.parametrize(("count", "shown"), [(MAX_SINGLE, MAX_SINGLE), (MAX_SINGLE + 1, 1)])
def test_how_many_are_shown(ill: Report, count: int, shown: int) -> None:
    text = render(_crowd(ill, count))

    assert text.count("PDR701 shm-too-small") == shown


def test_the_others_are_counted_and_the_first_of_them_named(ill: Report) -> None:
    text = render(_crowd(ill, 30), width=200)

    places = ", ".join(f"f{n}.py:{n + 1}" for n in range(1, 7))
    assert f"and 29 more of shm-too-small: {places} ... (-v shows each)" in text
    assert render(_crowd(ill, 30), detail="full").count("PDR701 shm-too-small") == 30
