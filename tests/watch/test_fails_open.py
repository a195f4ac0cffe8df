"""Whatever goes wrong with what is watched or with watching, both go on and say so."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from pipedoctor.facts import LiveJob, Pipeline
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation.job_facts import collect_facts
from pipedoctor.watch.output.sample_line import build_sample
from pipedoctor.watch.process.unread_stacks import PTRACE_DENIED
from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.samples.called_names import (
    find_code_root,
    is_decoding_line,
    is_model_line,
    read_line_text,
)
from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError
from pipedoctor.watch.system.process_counters import ProcessCounters, ProcessGoneError
from tests.watch.process_family import FAMILY, family

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Linux only"),
]
FAMILY_SLEEPS = ("<string>", 12, "<module>")
"""Where its first process stands."""


def get_job(session: WatchSession) -> LiveJob:
    job = collect_facts(session).get(LiveJob)
    assert job is not None
    return job


def test_workers_that_vanish_one_after_the_other() -> None:
    with family(12) as (pid, pids):
        session = WatchSession(pid)
        for number, worker in enumerate(pids):
            os.kill(worker, signal.SIGKILL)
            session.run(0.1 * (number + 1))
        session.run(1.5)

        assert session.is_alive
        assert {p.pid for p in get_job(session).workers if not p.ended} <= set(pids)
        session.close()


def test_a_job_that_ends_while_it_is_watched() -> None:
    with family(3) as (pid, _):
        session = WatchSession(pid)
        session.run(0.3)
        os.kill(pid, signal.SIGKILL)
        began = time.monotonic()
        session.run(30.0)

        assert time.monotonic() - began < 5
        assert not session.is_alive
        facts = collect_facts(session, last=True)
        assert facts.get(Pipeline) is not None
        assert build_sample(facts)["pid"] == pid
        session.close()


def test_another_process_with_the_same_number_is_not_read() -> None:
    """A descriptor of /proc stays with its process; so do counters that are open."""
    with subprocess.Popen(["sleep", "60"]) as process:
        counters = ProcessCounters(process.pid)
        assert counters.read().state in "SRD"
        process.kill()
        process.wait()
        with pytest.raises(ProcessGoneError):
            counters.read()
        counters.close()


@pytest.mark.parametrize("number", [errno.EPERM, errno.EIO, errno.ENOMEM])
def test_memory_that_can_no_longer_be_read(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(number, os.strerror(number))

    def fail_quietly(*_: object) -> None:
        return

    with family(2) as (pid, _):
        session = WatchSession(pid)
        session.run(0.3)
        assert all(not p.unknown.get("stacks") for p in session.processes.values())
        monkeypatch.setattr(RemoteMemory, "read", fail)
        monkeypatch.setattr(RemoteMemory, "read_joined", fail_quietly)
        session.run(1.2)
        reasons = {p.unknown["stacks"] for p in get_job(session).processes if not p.ended}
        session.close()

    wanted = PTRACE_DENIED if number == errno.EPERM else os.strerror(number)
    assert any(wanted in reason for reason in reasons)


def test_torn_reads_are_counted_and_the_next_sample_is_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tear(*_: object) -> bytes:
        message = "torn on purpose"
        raise TornReadError(message)

    def read_nothing(*_: object) -> None:
        return

    with family(2) as (pid, _):
        session = WatchSession(pid)
        main = session.processes[pid]
        before = take_whole_sample(main)
        torn = main.tally.torn
        monkeypatch.setattr(RemoteMemory, "read", tear)
        monkeypatch.setattr(RemoteMemory, "read_joined", read_nothing)
        assert [main.take_sample(time.monotonic()) for _ in range(5)] == [None] * 5
        assert main.tally.torn == torn + 5
        monkeypatch.undo()
        after = take_whole_sample(main)
        session.close()

    assert after == before
    assert "stacks" not in main.unknown
    assert main.reader is not None


def take_whole_sample(process: WatchedProcess) -> tuple[object, object]:
    """The phase and the line of the next sample that the process itself does not tear."""
    for _ in range(100):
        sample = process.take_sample(time.monotonic())
        if sample is not None and process.code_line == FAMILY_SLEEPS:
            return sample.phase, process.code_line
        time.sleep(0.003)
    pytest.fail("no sample of the line in which the process sleeps")


@pytest.mark.root
def test_a_job_in_another_pid_namespace() -> None:
    """Its own numbers are others than those by which it is watched."""
    unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*unshare, "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs root and PID namespaces")
    command = [*unshare, sys.executable, "-c", FAMILY, "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        inner = {int(word) for word in process.stdout.readline().split()}
        (pid,) = psutil.Process(process.pid).children()
        time.sleep(0.2)
        session = WatchSession(pid.pid)
        session.run(0.6)
        job = get_job(session)
        session.close()
        process.kill()

    assert len(job.workers) == 2
    assert not inner & {p.pid for p in job.workers}
    assert not any("stacks" in p.unknown for p in job.processes)
    assert {p.tally.samples > 0 for p in session.processes.values()} == {True}


@pytest.mark.root
def test_code_is_read_where_the_job_sees_it(tmp_path: Path) -> None:
    """In a container, the same path is another file than ours."""
    file = tmp_path / "code" / "train.py"
    file.parent.mkdir()
    file.write_text("loss.backward()\n")
    inside = f"mount -t tmpfs none {file.parent} && echo 'cv2.imdecode(data, 1)' > {file}"
    command = ["unshare", "--mount", "sh", "-c", f"{inside} && echo ready && sleep 30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        if process.stdout.readline() != b"ready\n":
            pytest.skip("needs root and mount namespaces")
        root = find_code_root(process.pid)
        place = (str(file), 1, "step")
        seen = is_decoding_line(place, root), is_model_line(place, root)
        process.kill()

    assert seen == (True, False)
    assert (is_decoding_line(place), is_model_line(place)) == (False, True)
    assert find_code_root(os.getpid()) == ""
    assert find_code_root(0) == ""


def test_source_on_a_mount_that_does_not_answer(tmp_path: Path) -> None:
    """A file that blocks whoever opens it stands where the job's code was."""
    file = tmp_path / "train.py"
    file.write_text(FAMILY)
    command = [sys.executable, str(file), "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        file.unlink()
        os.mkfifo(file)
        began = time.monotonic()
        session = WatchSession(process.pid)
        session.run(0.5)
        main = session.processes[process.pid]
        main.tally.ran.update(main.tally.steps)  # it computes there
        assert get_job(session).pid == process.pid
        session.close()
        process.kill()

    assert main.tally.steps
    assert read_line_text(str(file), 3) == ""
    assert time.monotonic() - began < 10


def test_what_processes_hold_is_read_at_the_beginning_and_at_the_end() -> None:
    """However short the watch, and however many they are."""
    with family(3) as (pid, _):
        session = WatchSession(pid)
        session.run(0.1)
        collect_facts(session, last=True)
        job = get_job(session)
        session.close()

    assert len(job.processes) == 4
    for process in job.processes:
        assert process.descriptors is not None
        assert process.descriptors.readings >= 2
