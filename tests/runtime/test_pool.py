"""Children that share work end, whatever one of them waits for."""

import os
import signal
import time

from pipedoctor.runtime.pool import LostTask, run_tasks


def answer() -> bytes:
    return b"done"


def wait_for_ever() -> bytes:
    signal.pause()
    return b""


def test_a_child_that_says_nothing_is_lost_and_the_others_are_not() -> None:
    began = time.monotonic()

    results = run_tasks([answer, wait_for_ever, answer], [1, 0, 2], 2, patience=0.2)

    assert results == [b"done", LostTask("of signal 9"), b"done"]
    assert time.monotonic() - began < 30  # never, without a patience


def test_a_child_that_dies_is_lost() -> None:
    assert run_tasks([lambda: os._exit(3)], [0], 1) == [LostTask("without an answer")]


def test_a_pipe_that_another_process_holds_is_not_waited_for() -> None:
    """The same as a child that a driver keeps: its pipe is not closed by killing it."""

    def leave_a_process() -> bytes:
        if os.fork() == 0:
            os.setsid()
            time.sleep(20)
        os._exit(0)

    began = time.monotonic()
    results = run_tasks([leave_a_process, answer], [0, 1], 1, patience=0.2)

    assert results == [LostTask("without an end, even when it was killed"), b"done"]
    assert time.monotonic() - began < 15
