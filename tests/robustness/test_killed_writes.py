"""Whatever system call fails, or dies, a command leaves the old file or the new one."""

import errno
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.fault_shim import compile_shim, run_driver

KILL = 0
CALLS = {
    "output": 5,
    "attachment": 7,
    "baseline": 10,
    "fleet": 4,
    "recording": 4,
    "kept": 9,
    "aliases": 9,
}
"""Scenes, and how many calls on the folder each has at least."""
DONE = {0, 3}
"""How the next run ends: 3 where nothing could be judged."""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The library that lets system calls fail."""
    return compile_shim(tmp_path_factory.mktemp("shim"))


def meet_faults(
    shim: str, folder: Path, scene: str, error: int, step: int = 1
) -> list[dict[str, Any]]:
    """One dictionary for each fault, as `writer_faults` prints them."""
    module, place = "tests.robustness.writer_faults", str(folder / "marked")
    words = (scene, str(error), "1", str(step), place)
    return run_driver(shim, module, *words, state=folder / "state")


@pytest.mark.slow
@pytest.mark.parametrize("scene", CALLS)
def test_killed_before_any_call_old_or_new(shim: str, tmp_path: Path, scene: str) -> None:
    ends = meet_faults(shim, tmp_path, scene, KILL)

    assert len(ends) >= CALLS[scene]
    assert {end["code"] for end in ends} == {-9}
    for end in ends:
        assert end["at_once"] in {"old", "new"}, end
        assert end["then"] in DONE, end
        assert end["after"] == "new", end


@pytest.mark.extended
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EACCES])
@pytest.mark.parametrize("scene", CALLS)
def test_whichever_call_fails_old_or_new(shim: str, tmp_path: Path, scene: str, error: int) -> None:
    ends = meet_faults(shim, tmp_path, scene, error)

    assert len(ends) >= CALLS[scene]
    assert Counter(end["code"] for end in ends)[-9] == 0
    for end in ends:
        assert end["at_once"] in {"old", "new"}, end
        assert end["then"] in DONE, end
        assert end["after"] == "new", end
