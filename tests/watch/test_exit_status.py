"""What is known of a worker that has ended, and when it is said."""

import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from pipedoctor.facts import LiveJob, LiveProcess
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation.job_facts import collect_facts
from pipedoctor.watch.system.process_counters import ProcessCounters
from tests.watch.process_family import family

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
KEEPS_STATUS = tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 15)
"""Of a process that was waited for."""


@pytest.mark.parametrize(("ends", "status"), [("kill -9 $$", -9), ("exit 3", 3), ("exit 0", 0)])
def test_the_status_of_a_zombie_and_of_what_was_waited_for(ends: str, status: int) -> None:
    with subprocess.Popen(["sh", "-c", f"read line; {ends}"], stdin=subprocess.PIPE) as process:
        counters = ProcessCounters(process.pid)
        assert process.stdin is not None
        process.stdin.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert counters.read_exit_status() == status
        process.wait()
        assert counters.read_exit_status() == (status if KEEPS_STATUS else None)
        counters.close()


def test_who_lives_has_no_status() -> None:
    counters = ProcessCounters(os.getpid())

    assert counters.read_exit_status() is None
    counters.close()


def list_ended(session: WatchSession) -> list[LiveProcess]:
    job: Any = collect_facts(session).get(LiveJob)
    return [process for process in job.workers if process.ended]


@pytest.mark.slow
def test_a_killed_worker_is_named_at_once_and_when_the_job_has_ended() -> None:
    with family(2) as (pid, (first, _)):
        session = WatchSession(pid)
        session.run(0.4)
        os.kill(first, signal.SIGKILL)
        session.run(0.9)
        assert [(p.pid, p.exit_status) for p in list_ended(session)] == [(first, -9)]
        os.kill(pid, signal.SIGTERM)
        session.run(5.0)

    assert [(p.pid, p.exit_status) for p in list_ended(session)] == [(first, -9)]
    session.close()


@pytest.mark.slow
def test_who_kills_the_whole_job_has_killed_no_worker_of_it() -> None:
    with family(2) as (pid, workers):
        session = WatchSession(pid)
        session.run(0.4)
        for one in (*workers, pid):
            os.kill(one, signal.SIGKILL)
        time.sleep(0.1)
        session.run(5.0)

    assert list_ended(session) == []
    session.close()
