"""For which processes a change counts, and the loader that is limited so meanwhile."""

import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.fix.machine.change_scope import (
    adopt_limits,
    find_target_process,
    refuse_unmeasurable,
)
from pipedoctor.fix.plan.plan import (
    CommandStep,
    FixRefusedError,
    RemoveStep,
    WriteStep,
)
from tests.fix.measure_change.conftest import SWITCH, WIDEN
from tests.fix.workshop import plan

RAISE = CommandStep(argv=("prlimit", "--pid", "9", "--nofile=9"), undo=("prlimit",))
FILE = WriteStep(path="/etc/x", content=b"", found=None)


# --- what can be compared


@pytest.mark.parametrize(
    ("step", "pid"),
    [
        pytest.param(WIDEN, 7, id="affinity"),
        pytest.param(RAISE, 9, id="limit"),
        pytest.param(SWITCH, None, id="for all"),
        pytest.param(FILE, None, id="a file"),
        pytest.param(CommandStep(argv=RAISE.argv), None, id="cannot be turned back"),
    ],
)
def test_for_which_process_a_change_counts(step: Any, pid: int | None) -> None:
    assert find_target_process(plan(step)) == pid


@pytest.mark.parametrize("step", [WIDEN, RAISE, SWITCH])
def test_what_can_be_turned_back_can_be_measured(step: CommandStep) -> None:
    refuse_unmeasurable(plan(FILE, step))


@pytest.mark.parametrize(
    ("steps", "irreversible", "why"),
    [
        ((FILE,), "", "--measure cannot see it: something applies to logins"),
        (
            (RemoveStep(paths=("/x",)), SWITCH),
            "1 file removed cannot be brought back",
            "--measure cannot compare: 1 file removed cannot be brought back",
        ),
    ],
)
def test_what_no_loader_from_here_would_notice_is_refused(
    steps: Any, irreversible: str, why: str
) -> None:
    with pytest.raises(FixRefusedError, match=why):
        refuse_unmeasurable(plan(*steps, irreversible=irreversible))


# --- limited as somebody else


@pytest.fixture
def other() -> Iterator[int]:
    cpu = str(min(os.sched_getaffinity(0)))
    argv = ["taskset", "-c", cpu, "prlimit", "--nofile=99:199", "sleep", "60"]
    with subprocess.Popen(argv) as running:
        while Path(f"/proc/{running.pid}/comm").read_text() != "sleep\n":
            pass
        yield running.pid
        running.kill()


def test_what_is_started_meanwhile_is_limited_so(other: int) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE), os.sched_getaffinity(0)
    with adopt_limits(other):
        seen = subprocess.run(
            ["sh", "-c", "ulimit -n; nproc"], capture_output=True, text=True, check=True
        )

    assert seen.stdout.split() == ["99", "1"]
    assert before == (
        resource.getrlimit(resource.RLIMIT_NOFILE),
        os.sched_getaffinity(0),
    )


def test_it_is_given_back_whatever_happens(other: int) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with pytest.raises(ValueError, match="mine"), adopt_limits(other):
        int("mine")

    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_a_process_that_is_gone_is_refused() -> None:
    with (
        pytest.raises(FixRefusedError, match="cannot start a loader with the limits of"),
        adopt_limits(1 << 22),
    ):
        pass


def test_nobody_changes_nothing() -> None:
    before = os.sched_getaffinity(0)
    with adopt_limits(None):
        assert os.sched_getaffinity(0) == before
