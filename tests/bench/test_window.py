"""Windows: what counts as disturbed, and what a real one sees."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from pipedoctor.bench.decoder import DecoderProcess
from pipedoctor.bench.decoder_windows import (
    WayMeasurement,
    WindowParts,
    summarize_quality,
)
from pipedoctor.bench.quiet_machine import (
    QuietMeasurement,
    find_worst_disturbance,
    keep_quietest,
    measure_quietly,
)
from pipedoctor.bench.window import CpuMeter
from pipedoctor.facts import UnreadableError, Window


def window(**values: float) -> Window:
    full = {"seconds": 2.0, "cpus": 2.0, "own": 2.0, "foreign": 0.0, **values}
    return Window(**full)  # type: ignore[arg-type]


CLEAN = {
    "alone": {},
    "just below the limit": {"foreign": 0.24},
    "others use idle CPUs": {"cpus": 8.0, "foreign": 8.0},
    "own work needs little": {"own": 0.0, "foreign": 1.9},
    "nobody can know": {"foreign": None},
    "little is stolen": {"stolen": 0.2},
    "we are throttled, but alone": {"throttled": 1.0, "throttled_share": 0.9},
    "no time at all": {"seconds": 0.0},
}
DISTURBED = {
    "foreign": ({"foreign": 0.5}, "other processes used 0.2 of 2 CPUs", False),
    "others beside little work": (
        {"own": 0.2, "foreign": 2.0},
        "other processes used 1.0 of 2 CPUs",
        True,
    ),
    "a whole core": ({"foreign": 2.0}, "other processes used 1.0 of 2 CPUs", True),
    "stolen": ({"stolen": 0.4}, "the hypervisor took 0.2 of 2 CPUs", False),
    "both": (
        {"foreign": 1.0, "stolen": 0.6},
        "other processes used 0.5 of 2 CPUs, the hypervisor took 0.3 of 2 CPUs",
        True,
    ),
    "half a CPU by quota": (
        {"cpus": 0.5, "own": 0.6, "foreign": 0.4},
        "other processes used 0.2 of 0.5 CPUs",
        True,
    ),
}


@pytest.mark.parametrize("values", CLEAN.values(), ids=CLEAN)
def test_clean(values: dict[str, float]) -> None:
    assert window(**values).disturbance == ""
    assert window(**values).rejection_reason == ""


@pytest.mark.parametrize(("values", "words", "hopeless"), DISTURBED.values(), ids=DISTURBED)
def test_disturbed(values: dict[str, float], words: str, hopeless: bool) -> None:
    seen = window(**values)
    assert seen.disturbance == words
    assert seen.rejection_reason == (
        f"{words}, too much for a reliable measurement" if hopeless else ""
    )


def spin(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_sees_its_own_work_and_that_of_ended_children() -> None:
    meter = CpuMeter()
    work = "import time\nwhile time.thread_time() < 0.2: pass"
    with meter.record_window() as windows:
        spin(0.1)
        subprocess.run([sys.executable, "-c", work], check=True)
    (seen,) = windows
    assert seen.own >= 0.28
    assert (seen.minor_faults or 0) > 100


SPIN = "import os\nprint(os.getpid(), flush=True)\nwhile True: pass"


def used(pid: int) -> float:
    return sum(psutil.Process(pid).cpu_times()[:2])


def test_sees_others_unless_their_session_is_ours() -> None:
    argv = ["setsid", "-f", sys.executable, "-c", SPIN]
    done = subprocess.Popen(argv, stdout=subprocess.PIPE)
    assert done.stdout is not None
    pid = int(done.stdout.readline())
    done.wait()
    done.stdout.close()
    try:
        with (
            CpuMeter().record_window() as others,
            CpuMeter(sessions=[pid]).record_window() as ours,
        ):
            end = used(pid) + 0.2  # however long that takes on a busy machine
            while used(pid) < end:
                time.sleep(0.05)
    finally:
        os.kill(pid, signal.SIGKILL)
    assert ours[0].own >= 0.1 > others[0].own
    assert (others[0].foreign or 0.0) >= 0.1


class Scripted(CpuMeter):
    """A meter that sees what it is told."""

    def __init__(self, *foreign: float) -> None:
        super().__init__()
        self.foreign = list(foreign)

    def start(self) -> None:
        """Read nothing."""

    def stop(self) -> Window:
        """Give the next window."""
        return window(foreign=self.foreign.pop(0))


def test_repeats_until_clean() -> None:
    values = iter([1, 2, 3, 4])
    taken = measure_quietly(lambda: next(values), meter=Scripted(2.0, 0.5, 0.0, 0.0))
    assert (taken.value, taken.tries, taken.disturbance, taken.refusal) == (
        3,
        3,
        "",
        "",
    )


def test_marks_the_least_disturbed() -> None:
    values = iter([1, 2, 3])
    taken = measure_quietly(lambda: next(values), meter=Scripted(2.0, 0.5, 1.0))
    assert (taken.value, taken.tries, taken.refusal) == (2, 3, "")
    assert taken.disturbance == "other processes used 0.2 of 2 CPUs"


def test_does_not_repeat_beyond_its_time() -> None:
    meter = Scripted(2.0, 0.0)
    taken = measure_quietly(lambda: 1, meter=meter, until=time.monotonic() + 1.9)
    assert taken.tries == 1
    assert (
        taken.refusal == "other processes used 1.0 of 2 CPUs, too much for a reliable measurement"
    )
    assert measure_quietly(lambda: 1, meter=Scripted(2.0, 0.0), tries=0).tries == 1


QUIET: dict[str, float] = {}
STOLEN = {"cpus": 40.0, "own": 79.0, "stolen": 8.0}
FEW = {"cpus": 40.0, "own": 79.0, "foreign": 5.0}
MANY = {"cpus": 40.0, "own": 79.0, "foreign": 20.0}
ALL = {"cpus": 40.0, "own": 79.0, "foreign": 60.0}


@pytest.mark.parametrize(
    ("windows", "said"),
    [
        pytest.param((), "", id="none"),
        pytest.param((QUIET, QUIET), "", id="quiet ones"),
        pytest.param((FEW, MANY), "other processes used 10.0 of 40 CPUs", id="ten above two"),
        pytest.param((MANY, STOLEN), "other processes used 10.0 of 40 CPUs", id="of two kinds"),
        pytest.param((ALL, FEW), "other processes used 2.5 of 40 CPUs", id="one does not count"),
    ],
)
def test_the_worst_window_is_the_one_that_lost_most(
    windows: tuple[dict[str, float], ...], said: str
) -> None:
    assert find_worst_disturbance(window(**values) for values in windows) == said


def test_decoders_are_marked_by_their_worst_window() -> None:
    tracks = [
        WayMeasurement(DecoderProcess.__new__(DecoderProcess), "decode:PIL") for _ in range(2)
    ]
    part = {"images": 1, "seconds": 1.0, "cpu": 1.0, "faults": 0}
    for number, values in enumerate((STOLEN, FEW, MANY, STOLEN)):
        seen: QuietMeasurement[WindowParts | UnreadableError] = QuietMeasurement(
            value=[part], window=window(**values), tries=1
        )
        tracks[number % 2].record_window(number, seen)

    assert summarize_quality(tracks).windows == 4
    assert summarize_quality(tracks).marked == "other processes used 10.0 of 40 CPUs"


def test_a_window_that_was_taken_elsewhere_counts_alike() -> None:
    windows = iter([window(foreign=2.0), window()])
    taken = keep_quietest(lambda: ("it", next(windows)))
    assert (taken.value, taken.tries, taken.disturbance) == ("it", 2, "")


def test_what_is_clean_is_taken_whatever_it_lost() -> None:
    windows = iter([window(foreign=0.26), window(foreign=0.24, stolen=0.2)])
    taken = keep_quietest(lambda: (0, next(windows)))
    assert (taken.tries, taken.disturbance) == (2, "")


def test_a_disturbance_names_the_process() -> None:
    loud = window(foreign=2.0)
    named = Window(seconds=2.0, cpus=2.0, own=2.0, foreign=2.0, foreign_process="python3, pid 4711")

    assert loud.disturbance == "other processes used 1.0 of 2 CPUs"
    assert named.disturbance == "other processes used 1.0 of 2 CPUs (mostly python3, pid 4711)"


@pytest.mark.skipif(sys.platform != "linux", reason="others are seen in /proc")
def test_the_busiest_of_the_others_is_found() -> None:
    spin = "import os,time; os.fork() and os._exit(0); t=time.time()\nwhile time.time()<t+9: pass"
    meter = CpuMeter()
    ours = subprocess.Popen([sys.executable, "-c", spin], start_new_session=True)
    ours.wait()
    try:
        meter.start()
        time.sleep(1.0)
        seen = meter.stop()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(ours.pid, signal.SIGKILL)

    assert ", pid " in seen.foreign_process
