"""Figures of different lines, laid beside each other."""

import pytest

from pipedoctor.facts.log import Log, Seen
from pipedoctor.log.figures import FigureComparison, find_comparison_lines

ASKED = FigureComparison(more=("workers", "ranks?"), than=("cpus",), times=2, least=8)


def seen(line: int, **values: str) -> Seen:
    return Seen(signature="few/x", line=line, text=f"line {line}", values=values)


def lines(asked: FigureComparison, *said: Seen, brief: str = "") -> list[int]:
    log = Log(seen=said, brief=brief)
    return [one.line for one in find_comparison_lines(asked, said[0] if said else seen(1), log)]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([seen(1, workers="32")], id="no limit is known"),
        pytest.param([seen(1, cpus="2")], id="only a limit is known"),
        pytest.param([seen(1, workers="8"), seen(2, cpus="4")], id="exactly twice"),
        pytest.param([seen(1, workers="7"), seen(2, cpus="1")], id="few all the same"),
        pytest.param(
            [seen(1, workers="32"), seen(2, workers="0"), seen(3, cpus="4")],
            id="another value says otherwise",
        ),
        pytest.param(
            [seen(1, workers="32"), seen(2, cpus="4"), seen(3, cpus2="64")],
            id="another limit says otherwise",
        ),
        pytest.param([seen(1, workers="many"), seen(2, cpus="1")], id="no number"),
        pytest.param([seen(1, workers="9"), seen(2, cpus="0")], id="no limit at all"),
    ],
)
def test_silent(said: list[Seen]) -> None:
    assert lines(ASKED, *said) == []


def test_more_workers_than_cpus() -> None:
    assert lines(ASKED, seen(3, workers="9"), seen(1, cpus="4")) == [1, 3]


def test_ranks_multiply() -> None:
    assert lines(ASKED, seen(1, workers="4"), seen(2, ranks="8"), seen(3, cpus="15")) == [1, 2, 3]


QUOTA = FigureComparison(
    more=("procs",),
    than=("quota",),
    patterns=(r"nproc\n(?P<procs>\d+)$", r"cpu: (?P<quota>\d+m?)$"),
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$ nproc\n64\ncpu: 500m\n", [2, 3]),
        ("cpu: 64000m\n$ nproc\n64\n", []),
        ("cpu: 63000m\n$ nproc\n64\n", [1, 3]),
    ],
)
def test_numbers_under_what_asked_for_them(text: str, found: list[int]) -> None:
    assert lines(QUOTA, brief=text) == found


TIME = FigureComparison(
    more=("sys",),
    than=("user",),
    least=30,
    patterns=(r"^user\s+(?P<user>\S+)\nsys\s+(?P<sys>\S+)$",),
)


def test_what_stands_together_is_compared_first() -> None:
    text = "user\t2m1.5s\nsys\t0m2s\n\nuser\t1m0,5s\nsys\t1m2s\n"

    assert lines(TIME, brief=text) == [5]
