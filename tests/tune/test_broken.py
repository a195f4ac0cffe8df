"""Targets that fail, each in its own way, by the program as a person calls it."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

WORKLOADS = Path(__file__).parent / "workloads"
COMMANDS = {
    "tune": ("tune",),
    "whatif": ("whatif", "--workers", "1"),
    "bench loader": ("bench", "loader"),
}
FEW = {"tune": COMMANDS["tune"]}
"""Of the cases that always run; each start imports torch."""
ENDS = 10.0
"""Seconds that three starts of Python and the end of everything may take beside."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.torch,
    pytest.mark.usefixtures("nothing_is_left"),
]


class Done(NamedTuple):
    """How a command ended, and what it said."""

    command: str
    code: int
    shown: str
    errors: list[str]


def called(
    target: str, budget: int, room: Path, commands: Mapping[str, tuple[str, ...]] = COMMANDS
) -> list[Done]:
    """Commands side by side; each ends in time and leaves no file in `TMPDIR`."""
    began = time.monotonic()
    running = {
        command: subprocess.Popen(
            [sys.executable, "-m", "pipedoctor", *words, target, f"--budget={budget}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"TMPDIR": str(room)},
            cwd=room,
            text=True,
        )
        for command, words in commands.items()
    }
    found: list[Done] = []
    for command, process in running.items():
        shown, errors = process.communicate(timeout=budget + 60)
        found.append(Done(command, process.returncode, shown, errors.splitlines()))
    assert "Traceback" not in "".join(f"{one.shown}{one.errors}" for one in found)
    assert time.monotonic() - began < budget + ENDS
    assert list(room.iterdir()) == []
    return found


def broken(name: str) -> str:
    return f"{WORKLOADS / 'broken.py'}:{name}"


REFUSED = {
    broken("raises"): r"calling the target raised FileNotFoundError: no images in .+:\d+\)$",
    broken("needs_argument"): r"TypeError: needs_argument\(\) missing 1 .+'root'$",
    broken("garbage"): r"returned an int: expected a torch Dataset or DataLoader$",
    broken("a_dict"): r"returned a dict: expected a torch Dataset or DataLoader$",
    broken("exits"): r"calling the target called sys\.exit\(7\)$",
    f"{WORKLOADS / 'exits_when_imported.py'}:made": (
        r"importing the module called sys\.exit\('no dataset here'\)$"
    ),
    broken("empty"): r": the loader yields no batch: the dataset or its sampler is empty$",
    broken("silent"): r": the loader yields no batch: its dataset yields nothing$",
    broken("all_left_out"): (
        r": the loader yields no batch: drop_last=True, and 3 samples are fewer than"
        r" batch_size=8$"
    ),
    broken("short"): (
        r": the loader yields no batch: its dataset yields fewer samples than"
        r" batch_size=8 in each worker, and drop_last=True drops them$"
    ),
}


@pytest.mark.parametrize("target", REFUSED, ids=lambda t: t.rpartition("/")[2])
def test_a_target_that_cannot_be_used_is_wrong_usage(target: str, temporary: Path) -> None:
    for done in called(target, 20, temporary):
        assert (done.code, done.shown) == (2, "")
        (line,) = done.errors
        assert line.startswith(f"pipedoctor {done.command}: ")
        assert re.search(REFUSED[target], line), line


class Case(NamedTuple):
    """What is said of a target, and the seconds that suffice to find it out."""

    said: str
    budget: int = 20


LOST = {
    "hangs": Case(r"exceeded the time budget \(--budget\)$", 4),
    "dies": Case("process exited with code 9"),
    "kills": Case("the target's process was killed by SIGKILL"),
}
UNMEASURED = {
    "item_raises": Case(r"OSError: truncated image \d+ \(broken\.py:\d+\)"),
    "item_hangs": Case(r"with num_workers=0: no answer within \d+ s", 10),
    "item_kills": Case("with num_workers=0: was killed by SIGKILL"),
    "crashes": Case("is killed by signal: Segmentation fault"),
    "needs_gpu": Case(r"(CUDA|NVIDIA).+ \(broken\.py:\d+\)$"),
    "closes": Case("it closed file descriptors that it did not open"),
}


@pytest.mark.parametrize("name", [*LOST, *UNMEASURED])
def test_a_target_that_fails_could_not_be_measured(name: str, temporary: Path) -> None:
    said, budget = (LOST | UNMEASURED)[name]

    for done in called(broken(name), budget, temporary, FEW if name == "hangs" else COMMANDS):
        assert done.code == 3
        (line,) = done.errors
        assert line.startswith(f"pipedoctor {done.command}: ")
        assert re.search(said, line), line
        assert name in UNMEASURED or not done.shown


# Where other things keep this machine busy, no number may be certain enough: then it
# is 3 as well.


@pytest.mark.extended
def test_workers_that_cannot_be_started_are_told_of(temporary: Path) -> None:
    for done in called(broken("not_picklable"), 20, temporary):
        alone = done.command == "bench loader"  # without workers there are numbers
        assert done.code in ({0, 3} if alone else {3})
        assert len(done.errors) == (1 if done.code else 0)
        told = " ".join((done.shown if alone else done.errors[0]).split())
        assert re.search(r"num_workers=2, .*local object .*not_picklable", told), told


@pytest.mark.parametrize("name", ["prints", "spawns"])
def test_what_a_target_prints_and_starts_harms_nobody(name: str, temporary: Path) -> None:
    for done in called(broken(name), 8, temporary, FEW if name == "prints" else COMMANDS):
        assert done.code in {0, 3}
        assert len(done.errors) == (1 if done.code else 0)
        assert not re.search("x{9}|y{9}|z{9}", done.shown + "".join(done.errors))
        assert len(done.shown) < 20_000
