"""A check says by its signature what it reads and what a user may set."""

from typing import Optional

import pytest

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Facts, Loader, Shm


@check("EX1", "An example", after=("EX2",))
def room_left(
    shm: Shm, loader: Loader | None, /, *, headroom: float = 1.25, most: int = 3
) -> Findings:
    """
    Compare a with b.

    ## Sources

    - https://example.org/a
    - <https://example.org/b>
    - a book
    """
    if loader is None:
        message = "nobody told us the loader"
        raise CannotJudge(message)
    if shm.size < most:
        yield Finding(severity=Severity.NOTE, summary=f"{shm.size} < {most}, {headroom}")


@check("EX3", "Old words")
def old_words(shm: "Optional[Shm]", loader: Loader, /) -> Findings:  # noqa: UP045
    yield Finding(severity=Severity.NOTE, summary=f"{shm} {loader}")


def test_its_name_is_that_of_the_function() -> None:
    assert room_left.name == "room-left"


def test_facts_stand_left_of_the_slash() -> None:
    assert room_left.needs == {Shm: True, Loader: False}
    assert old_words.needs == {Shm: False, Loader: True}


def test_settings_stand_right_of_the_star() -> None:
    assert room_left.settings == {"headroom": 1.25, "most": 3}


def test_its_sources_are_addresses() -> None:
    assert room_left.sources == ("https://example.org/a", "https://example.org/b")


def test_a_check_without_a_page_has_no_sources() -> None:
    assert old_words.doc == ""
    assert old_words.sources == ()


def test_tests_call_it_with_facts() -> None:
    (finding,) = room_left(Shm(size=1), Loader(), most=2)

    assert finding.summary == "1 < 2, 1.25"


def test_facts_are_handed_in_by_type() -> None:
    verdict = room_left.run(Facts(Loader(), Shm(size=1)), headroom=2.0)

    assert verdict.code == "EX1"
    assert [f.summary for f in verdict.findings] == ["1 < 3, 2.0"]


def test_nothing_said_is_healthy() -> None:
    verdict = room_left.run(Facts(Loader(), Shm(size=3)))

    assert verdict.findings == ()
    assert not verdict.skipped


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param(Facts(Loader()), "shm: not collected", id="nobody looked"),
        pytest.param(
            Facts(Loader(), unknown={"shm": "no /dev/shm"}),
            "shm: no /dev/shm",
            id="why",
        ),
        pytest.param(Facts(Shm(size=1)), "nobody told us the loader", id="by its own words"),
    ],
)
def test_unknown_is_not_healthy(facts: Facts, reason: str) -> None:
    verdict = room_left.run(facts)

    assert verdict.skipped == reason
    assert verdict.findings == ()
