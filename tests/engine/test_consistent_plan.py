"""Two remedies of one report never undo each other."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.check import Finding, Findings, Remedy, Severity, check, environment, in_code
from pipedoctor.check.remedy import Lasts
from pipedoctor.engine.consistent_plan import make_consistent
from pipedoctor.engine.triage import RankedFinding
from pipedoctor.facts import Shm


@check("PDR999", "any")
def any_check(_: Shm, /) -> Findings:
    yield from ()


def pip(title: str, *words: str) -> Remedy:
    return Remedy(title=title, argv=("python", "-m", "pip", *words), lasts=Lasts.ALWAYS)


def plan(*findings: tuple[Remedy, ...]) -> list[list[str]]:
    ranked = [
        RankedFinding(
            rank, any_check, Finding(severity=Severity.RISKS, summary="", remedies=r), (), "", ""
        )
        for rank, r in enumerate(findings, 1)
    ]
    return [[one.title for one in item.finding.remedies] for item in make_consistent(ranked)]


OLDER = pip("Install torch for CUDA 11.8", "install", "torch==2.7.1+cu118")
VISION = pip("Install torchvision for CUDA 12.4", "install", "torchvision==0.20+cu124")
REMOVE = pip("Remove every copy", "uninstall", "-y", "torch")
ONCE = pip("Then install it once", "install", "torch==2.13.0")
LOOK = pip("Look", "list")


@pytest.mark.parametrize(
    ("findings", "titles"),
    [
        pytest.param(
            [(OLDER,), (VISION,)],
            [["Install torch for CUDA 11.8"], ["Install torch for CUDA 11.8"]],
            id="one command installs the family",
        ),
        pytest.param(
            [(OLDER,), (VISION, LOOK)],
            [["Install torch for CUDA 11.8"], ["Look"]],
            id="what contradicts is left out",
        ),
        pytest.param(
            [(OLDER,), (REMOVE, ONCE)],
            [
                ["Install torch for CUDA 11.8"],
                ["Remove every copy", "Then install torch for CUDA 11.8"],
            ],
            id="a step is replaced",
        ),
        pytest.param([(LOOK,), (VISION,)], [["Look"], [VISION.title]], id="nothing is settled"),
        pytest.param(
            [environment("one", OMP_NUM_THREADS=1)[:1], environment("two", OMP_NUM_THREADS=4)[:1]],
            [["one"], ["one"]],
            id="a variable has one value",
        ),
    ],
)
def test_the_first_remedy_holds(findings: list[Any], titles: list[list[str]]) -> None:
    assert plan(*findings) == titles


def workers(count: int, more: str = "") -> Remedy:
    return in_code(f"Use {count} workers at most", f"DataLoader(..., num_workers={count}{more})")


@pytest.mark.parametrize(
    ("findings", "snippets"),
    [
        pytest.param(
            [(workers(46),), (workers(87, ", prefetch_factor=1"),), (workers(2),)],
            [[2], [2], [2]],
            id="the fewest of all first remedies",
        ),
        pytest.param([(workers(4),), (LOOK, workers(0))], [[4], [0]], id="no other way counts"),
        pytest.param([(LOOK, workers(46)), (workers(2),)], [[2], [2]], id="but it keeps to it"),
        pytest.param([(LOOK, workers(46))], [[46]], id="nothing asked"),
    ],
)
def test_every_remedy_starts_the_fewest_workers(
    findings: list[tuple[Remedy, ...]], snippets: list[list[int]]
) -> None:
    made = make_consistent(
        RankedFinding(
            rank, any_check, Finding(severity=Severity.RISKS, summary="", remedies=r), (), "", ""
        )
        for rank, r in enumerate(findings, 1)
    )

    asked = [
        [
            int(n)
            for one in item.finding.remedies
            for n in re.findall(r"num_workers=(\d+)", one.snippet)
        ]
        for item in made
    ]
    assert asked == snippets


def test_a_remedy_that_starts_fewer_says_so() -> None:
    titles = plan((workers(2),), (workers(4),))
    none = plan((workers(0),), (LOOK, replace(workers(4), title="Then start 4 workers")))

    assert titles[1] == ["Start 2 workers in each loader: another finding allows no more"]
    assert none[1][1] == "Then load in the main process: another finding allows no more"


def test_what_is_left_is_no_alternative() -> None:
    other = pip("Alternatively install torch for CUDA 12.4", "install", "torch==2.6.0+cu124")

    assert plan((OLDER,), (VISION, replace(LOOK, title="Alternatively, look")))[1] == ["Look"]
    assert plan((LOOK, other))[0][1].startswith("Alternatively")
