"""Whatever system call fails, or dies: old or new, and nothing lost."""

import errno
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.fault_shim import compile_shim, run_driver

KILL = 0


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The library that lets system calls fail."""
    return compile_shim(tmp_path_factory.mktemp("shim"))


def meet_faults(
    shim: str, folder: Path, scene: str, error: int, calls: range
) -> list[dict[str, Any]]:
    """One dictionary for each fault, as `fault_driver` prints them."""
    place = folder / "marked"
    words = (scene, str(error), str(calls.start), str(calls.step), str(place))
    return run_driver(shim, "tests.fix.fault_driver", *words, state=place / "state")


def assert_nothing_is_lost(ends: list[dict[str, Any]], done: dict[str, Any]) -> None:
    """At once and after the next run: old or new, and in the end as asked for."""
    for end in ends:
        assert "Traceback" not in end["about"], end["about"]
        assert end["code"] in {0, 1, -9}, end
        for seen in (end["at_once"], end["after"]):
            assert seen["file"] in {"old", "new"}, end
            assert seen["made"] in {True, None}, end
            assert "damaged" not in seen["states"], end
            assert seen["foreign"] == [], end
        assert end["then"] == 0, end
        assert {key: end["after"][key] for key in done} == done, end


APPLIED: dict[str, Any] = {"file": "new", "made": True, "ran": True, "left": []}
REVERTED: dict[str, Any] = {"file": "old", "made": None, "ran": False, "left": []}
SCENES = {"apply": APPLIED, "undo": REVERTED, "recover": REVERTED}
ERRORS = {"killed": KILL, "EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EACCES": errno.EACCES}
ALL_CALLS = 10_000
EXTENDED = [
    pytest.param(
        scene,
        error,
        range(first, ALL_CALLS, 6),
        marks=pytest.mark.extended,
        id=f"{scene} {name}, each 6th call from {first}",
    )
    for scene in SCENES
    for name, error in ERRORS.items()
    for first in range(1, 7)
]
"""Together each call of each scene, in pieces that end in time on a slow machine."""


@pytest.mark.parametrize(
    ("scene", "error", "calls"),
    [
        pytest.param("apply", KILL, range(1, ALL_CALLS, 11), id="killed, each 11th call"),
        pytest.param("apply", errno.ENOSPC, range(1, ALL_CALLS, 13), id="no space, each 13th call"),
        *EXTENDED,
    ],
)
def test_old_or_new_and_nothing_lost(
    shim: str, tmp_path: Path, scene: str, error: int, calls: range
) -> None:
    ends = meet_faults(shim, tmp_path, scene, error, calls)

    assert len(ends) * calls.step > 50
    codes = Counter(end["code"] for end in ends)
    assert codes[-9] == (len(ends) if error == KILL else 0)
    assert_nothing_is_lost(ends, SCENES[scene])
