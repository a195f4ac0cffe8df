"""Lanes run probes beside each other and can always be abandoned."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import lanes
from pipedoctor.runtime.lanes import Announce, Probe
from tests.runtime.probes_in_lanes import Run, both, returns, soon

pytestmark = pytest.mark.usefixtures("nothing_is_left_over")

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
