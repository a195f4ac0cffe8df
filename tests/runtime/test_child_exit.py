"""Children are waited for, but never without an end."""

import os
import signal
import time

import pytest

from pipedoctor.runtime.child_exit import kill_and_reap, wait_for_exit

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


def start_child(seconds: float, code: int = 0) -> int:
    pid = os.fork()
    if pid == 0:
        time.sleep(seconds)
        os._exit(code)
    return pid


def test_a_child_that_ends_is_reaped() -> None:
    status = wait_for_exit(start_child(0, 7), 30)

    assert status is not None
    assert os.waitstatus_to_exitcode(status) == 7


def test_a_child_that_stays_is_left_in_time_and_ended_by_a_kill() -> None:
    pid = start_child(60)
    began = time.monotonic()

    assert wait_for_exit(pid, 0.1) is None
    assert time.monotonic() - began < 15
    assert kill_and_reap(pid) == signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_child_that_another_has_reaped_has_ended() -> None:
    pid = start_child(0)
    os.waitpid(pid, 0)

    assert wait_for_exit(pid, 30) == 0
    assert kill_and_reap(pid) == 0
