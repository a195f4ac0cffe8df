"""Lanes where no process, descriptor or thread is to be had."""

import os
import resource
import socket
from collections.abc import Callable

import msgspec
import pytest

from pipedoctor.runtime import lanes, threads
from pipedoctor.runtime.lanes import Probe
from tests.runtime.probes_in_lanes import returns, sleeps, soon

pytestmark = pytest.mark.usefixtures("nothing_is_left_over")

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
