"""Lanes with probes that hang: they are named, left behind, and the next goes on."""

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from pipedoctor.runtime import lanes
from pipedoctor.runtime.lanes import Probe
from tests.runtime.probes_in_lanes import Run, both, returns, sleeps, soon

pytestmark = pytest.mark.usefixtures("nothing_is_left_over")

# --- hangs


@both
def test_a_hang_is_named_and_the_next_in_line_is_read(run: Run) -> None:
    probes = [
        Probe(name="hangs", work=sleeps(9, "statvfs /mnt/dead"), timeout=0.3),
        Probe(name="behind", work=returns("fine"), timeout=0.3),
        Probe(name="beside", work=returns("fine"), lane="other"),
    ]
    began = time.monotonic()

    outcomes = run(probes, until=soon())

    assert outcomes["hangs"].hung
    assert outcomes["hangs"].doing == "statvfs /mnt/dead"
    assert outcomes["hangs"].reason.startswith("no answer after 0.")
    assert outcomes["hangs"].reason.endswith(" s in statvfs /mnt/dead")
    assert outcomes["hangs"].seconds >= 0.3
    assert outcomes["behind"].value == outcomes["beside"].value == "fine"
    assert time.monotonic() - began < 5


@both
def test_patience_counts_from_the_last_answer(run: Run) -> None:
    probes = [Probe(name=str(n), work=sleeps(0.3), timeout=1.2) for n in range(5)]

    outcomes = run(probes, until=soon())

    assert [o.value for o in outcomes.values()] == ["woke up"] * 5


@both
def test_the_deadline_ends_it_all(run: Run) -> None:
    probes = [
        Probe(name="hangs", work=sleeps(60, "ioctl"), timeout=60),
        Probe(name="behind", work=returns(1)),
    ]
    began = time.monotonic()

    outcomes = run(probes, until=soon(0.4))

    assert time.monotonic() - began < 5
    assert outcomes["hangs"].hung
    assert outcomes["behind"].reason == "the deadline passed before it could start"


@both
def test_a_deadline_in_the_past_starts_nothing_that_counts(run: Run) -> None:
    outcomes = run([Probe(name="x", work=sleeps(1))], until=soon(-1))

    assert not outcomes["x"].has_value


@both
def test_all_lanes_hang_and_the_last_ones_still_run(run: Run) -> None:
    hangs = [
        Probe(name=f"h{n}", work=sleeps(60), lane=str(n), timeout=0.3)
        for n in range(lanes.MAX_LANES)
    ]
    last = Probe(name="last", work=returns("read"), lane="last")

    assert run([*hangs, last], until=soon())["last"].value == "read"


@both
def test_the_watcher_hears_who_runs_and_for_how_long(run: Run) -> None:
    heard: list[tuple[str, float]] = []

    run([Probe(name="slow", work=sleeps(0.5))], until=soon(), on_progress=heard.extend)

    assert {name for name, _ in heard} == {"slow"}
    assert max(seconds for _, seconds in heard) > 0.2


def test_a_program_with_a_hung_lane_lets_go_of_our_pipes(tmp_path: Path) -> None:
    """Its child sleeps on, but owns neither stdout nor stderr."""
    script = tmp_path / "hung.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, time
            from pipedoctor.runtime import lanes
            from pipedoctor.runtime.lanes import Probe

            lanes.os.kill = lanes.os.killpg = lambda *_: None  # nothing can kill it
            lanes.REAP_TIMEOUT = 0.1
            probe = Probe(name="x", work=lambda _: time.sleep(20), timeout=0.3)
            print(lanes.run_in_processes([probe], until=time.monotonic() + 5)["x"].hung)
            """
        )
    )
    began = time.monotonic()

    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, timeout=15
    )

    assert done.stdout == "True\n"
    assert time.monotonic() - began < 10
