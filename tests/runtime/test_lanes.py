"""Lanes run probes beside each other and can always be abandoned."""

import os
import resource
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Generator
from pathlib import Path

import msgspec
import psutil
import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import lanes, threads
from pipedoctor.runtime.lanes import Announce, Outcome, Probe

Run = Callable[..., dict[str, Outcome]]

both = pytest.mark.parametrize(
    "run",
    [
        pytest.param(lanes.run_in_processes, id="children"),
        pytest.param(threads.run_in_threads, id="threads"),
    ],
)


def soon(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds


def returns(value: object) -> Callable[[Announce], object]:
    return lambda _: value


def sleeps(seconds: float, doing: str = "") -> Callable[[Announce], object]:
    def work(announce: Announce) -> object:
        if doing:
            announce(doing)
        time.sleep(seconds)
        return "woke up"

    return work


def descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


def children() -> set[int]:
    """Ours, zombies among them; other tests may have left a resource tracker."""
    return {child.pid for child in psutil.Process().children()}


@pytest.fixture(autouse=True)
def nothing_is_left_over() -> Generator[None, None, None]:
    """Neither a child, nor a zombie, nor a descriptor; those of earlier tests may go."""
    before = descriptors(), children()
    yield
    assert descriptors() <= before[0]
    assert children() <= before[1]


# --- what comes back


@both
def test_every_probe_has_its_outcome(run: Run) -> None:
    probes = [Probe(name=str(n), work=returns(n), lane=str(n % 3)) for n in range(9)]

    outcomes = run(probes, until=soon())

    assert {name: o.value for name, o in outcomes.items()} == {str(n): n for n in range(9)}


@both
def test_no_probes_no_outcomes(run: Run) -> None:
    assert run([], until=soon()) == {}


@both
def test_more_lanes_than_run_at_once(run: Run) -> None:
    probes = [Probe(name=str(n), work=returns(n), lane=str(n)) for n in range(40)]

    outcomes = run(probes, until=soon())

    assert sorted(o.value for o in outcomes.values()) == list(range(40))


@both
def test_unreadable_gives_its_reason(run: Run) -> None:
    def work(_: Announce) -> object:
        message = "/proc/x: No such file or directory"
        raise UnreadableError(message)

    outcome = run([Probe(name="x", work=work)], until=soon())["x"]

    assert outcome.reason == "/proc/x: No such file or directory"
    assert not outcome.has_value
    assert not outcome.hung


@both
def test_unreadable_without_a_word_is_not_known(run: Run) -> None:
    def work(_: Announce) -> object:
        raise UnreadableError

    assert run([Probe(name="x", work=work)], until=soon())["x"].reason == "unreadable"


@both
def test_a_crash_has_a_traceback_and_harms_no_neighbour(run: Run) -> None:
    def work(_: Announce) -> object:
        message = "list index out of range"
        raise IndexError(message)

    probes = [Probe(name="ill", work=work), Probe(name="well", work=returns(1))]

    outcomes = run(probes, until=soon())

    assert outcomes["ill"].reason == "crashed: IndexError: list index out of range"
    assert "Traceback" in outcomes["ill"].trace
    assert outcomes["well"].value == 1


@both
def test_a_probe_that_exits_is_a_crash(run: Run) -> None:
    def work(_: Announce) -> object:
        sys.exit(7)

    outcome = run([Probe(name="x", work=work)], until=soon())["x"]

    assert outcome.reason == "crashed: SystemExit: 7"


@both
def test_fifty_megabytes_arrive(run: Run) -> None:
    probe = Probe(name="x", work=returns("x" * 50_000_000), timeout=30)

    outcome = run([probe], until=soon(30))["x"]

    assert len(outcome.value) == 50_000_000


def test_an_answer_that_cannot_be_written_down_is_a_crash() -> None:
    outcome = lanes.run_in_processes([Probe(name="x", work=returns(object()))], until=soon())["x"]

    assert outcome.reason.startswith("crashed: TypeError")


def test_what_a_probe_prints_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    def work(_: Announce) -> object:
        os.write(1, b"noise on stdout")
        os.write(2, b"noise on stderr")
        return "spoke"

    assert lanes.run_in_processes([Probe(name="x", work=work)], until=soon())["x"].value == "spoke"
    assert capfd.readouterr() == ("", "")


def compute_for_ever(_: Announce) -> object:
    while True:
        pass


def test_who_computes_gets_its_time_twice_and_is_not_called_hung() -> None:
    """On a machine under load the same is seen of who waits for a CPU."""
    probe = Probe(name="x", work=compute_for_ever, timeout=0.2)

    outcome = lanes.run_in_processes([probe], until=time.monotonic() + 60)["x"]

    assert outcome.seconds > 0.4
    assert not outcome.hung
    assert "no answer" in outcome.reason


# --- how a child may end


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_a_child_that_dies_of_a_signal(number: signal.Signals) -> None:
    def work(announce: Announce) -> object:
        announce("nvmlInit")
        os.kill(os.getpid(), number)
        time.sleep(5)
        return None

    probes = [Probe(name="ill", work=work), Probe(name="next", work=returns(2))]

    outcomes = lanes.run_in_processes(probes, until=soon())

    assert outcomes["ill"].reason == f"its process died of {number.name}"
    assert outcomes["ill"].doing == "nvmlInit"
    assert outcomes["next"].value == 2


def test_a_signal_without_a_name() -> None:
    def work(_: Announce) -> object:
        os.kill(os.getpid(), 40)
        time.sleep(5)
        return None

    outcome = lanes.run_in_processes([Probe(name="x", work=work)], until=soon())["x"]

    assert outcome.reason == "its process died of signal 40"


def test_a_child_that_ends_without_a_word() -> None:
    def work(_: Announce) -> object:
        os._exit(3)

    outcome = lanes.run_in_processes([Probe(name="x", work=work)], until=soon())["x"]

    assert outcome.reason == "its process ended without an answer"


def test_what_a_child_started_dies_with_it() -> None:
    reader, writer = os.pipe()

    def work(_: Announce) -> object:
        nonlocal writer
        copy = os.open(f"/proc/{os.getppid()}/fd/{writer}", os.O_WRONLY)
        os.set_inheritable(copy, True)
        with subprocess.Popen(["sleep", "60"], pass_fds=[copy]):
            os.close(copy)
            time.sleep(60)
        return None

    try:
        probe = Probe(name="x", work=work, timeout=0.6)
        assert lanes.run_in_processes([probe], until=soon())["x"].hung
        os.close(writer)
        os.set_blocking(reader, True)
        assert os.read(reader, 1) == b""  # nobody holds the other end any more
    finally:
        os.close(reader)


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


# --- when the system refuses


def in_a_process(setup: Callable[[], object], probes: list[Probe]) -> dict[str, str]:
    """The reasons and values of a run in a forked process after `setup`."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            setup()
            outcomes = lanes.run_in_processes(probes, until=soon())
            told = {name: o.reason or o.value for name, o in outcomes.items()}
            theirs.sendall(msgspec.json.encode(told))
        finally:
            os._exit(0)
    theirs.close()
    with ours:
        ours.settimeout(30)
        answer = b"".join(iter(lambda: ours.recv(1 << 16), b""))
    os.waitpid(pid, 0)
    return msgspec.json.decode(answer, type=dict[str, str])


MIXED = [
    Probe(name="cpu", work=returns("cpu"), never_hangs=True),
    Probe(name="memory", work=returns("memory"), never_hangs=True),
    Probe(name="disk", work=returns("disk"), lane="disk"),
    Probe(name="gpu", work=returns("gpu"), lane="gpu"),
]


def no_processes() -> None:
    os.setgid(65534)
    os.setuid(65534)
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def no_descriptors() -> None:
    lowest = os.dup(2)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, lowest))


@pytest.mark.skipif(os.geteuid() != 0, reason="root becomes nobody")
def test_no_process_to_be_had() -> None:
    told = in_a_process(no_processes, MIXED)

    why = "nothing could be started to read it: Resource temporarily unavailable"
    assert told == {"cpu": "cpu", "memory": "memory", "disk": why, "gpu": why}


def test_no_descriptor_to_be_had() -> None:
    told = in_a_process(no_descriptors, MIXED)

    why = "nothing could be started to read it: Too many open files"
    assert told == {"cpu": "cpu", "memory": "memory", "disk": why, "gpu": why}


def room_for_one() -> None:
    lowest = os.dup(2)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 2, lowest + 2))


def test_room_for_one_lane_is_enough_for_all() -> None:
    told = in_a_process(room_for_one, MIXED)

    assert told == {name: name for name in ("cpu", "memory", "disk", "gpu")}


@pytest.mark.parametrize("closed", [(0,), (1,), (0, 1, 2)], ids=str)
def test_standard_descriptors_may_be_closed(closed: tuple[int, ...]) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    told = in_a_process(close, MIXED)

    assert told == {name: name for name in ("cpu", "memory", "disk", "gpu")}


def test_no_thread_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    monkeypatch.setattr("threading.Thread.start", refuse)

    outcomes = threads.run_in_threads(MIXED, until=soon())

    assert outcomes["cpu"].value == "cpu"
    assert outcomes["gpu"].reason == ("nothing could be started to read it: can't start new thread")


def test_a_crash_of_the_watcher_leaves_no_child() -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lanes.run_in_processes(
            [Probe(name="x", work=sleeps(60))], until=soon(), on_progress=interrupt
        )
