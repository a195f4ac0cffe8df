"""Work shared among children: each result comes whole, or the work is done again."""

import os
import select
import signal
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pipedoctor.runtime.child_exit import (
    REAP_TIMEOUT,
    end_as_orphan,
    kill_and_reap,
    wait_for_exit,
)

Task = Callable[[], bytes]
_LENGTH_BYTES = 8
MAX_ATTEMPTS = 2
PATIENCE = 120.0
"""Far more than any file takes: a child that waits for a lock of its parent's never ends."""


class LostTask(NamedTuple):
    """A task whose child died at every attempt, and how it died."""

    reason: str


_NEVER_ENDS = LostTask("without an end, even when it was killed")


class _WorkerChild(NamedTuple):
    """A child at work."""

    number: int
    pid: int
    pipe: int
    output: bytearray


def run_tasks(
    tasks: Sequence[Task], order: Sequence[int], jobs: int, patience: float = PATIENCE
) -> list[bytes | LostTask]:
    """
    Do every task in a child, `jobs` at a time, begun in this order.

    Children are ended where none of them says anything for `patience` seconds.
    """
    waiting = [(number, 1) for number in reversed(order)]
    done: dict[int, bytes | LostTask] = {}
    hands: dict[int, tuple[_WorkerChild, int]] = {}
    try:
        while waiting or hands:
            while waiting and len(hands) < jobs:
                number, attempt = waiting.pop()
                try:
                    hand = _start_worker(tasks[number], number)
                except OSError:  # no more processes: then in this one
                    done[number] = tasks[number]()
                else:
                    hands[hand.pipe] = (hand, attempt)
            talking = _wait_for_output([hand for hand, _ in hands.values()], patience)
            if not talking:
                done.update(_give_up(hands))
            for pipe in talking:
                hand, attempt = hands[pipe]
                part = os.read(pipe, 1 << 20)
                hand.output.extend(part)
                if not part:
                    del hands[pipe]
                    result = _finish_worker(hand)
                    if isinstance(result, LostTask) and attempt < MAX_ATTEMPTS:
                        waiting.append((hand.number, attempt + 1))
                    else:
                        done[hand.number] = result
    finally:
        for hand, _ in hands.values():
            kill_and_reap(hand.pid)
            os.close(hand.pipe)
    return [done[number] for number in range(len(tasks))]


def _give_up(hands: dict[int, tuple[_WorkerChild, int]]) -> dict[int, LostTask]:
    """Leave the children that no kill ends; what they did is lost."""
    lost = {hand.number: _NEVER_ENDS for hand, _ in hands.values()}
    for pipe in hands:
        os.close(pipe)
    hands.clear()
    return lost


def _wait_for_output(hands: Sequence[_WorkerChild], patience: float) -> list[int]:
    """
    Pipes of those that have something to say, or ended; those that say nothing are killed.

    None: not even that ends them (a call of a driver), or others hold their pipes.
    """
    if not hands:
        return []
    poll = select.poll()
    for hand in hands:
        poll.register(hand.pipe, select.POLLIN)
    talking = poll.poll(patience * 1000)
    if not talking:
        for hand in hands:
            os.kill(hand.pid, signal.SIGKILL)  # their pipes close
        talking = poll.poll(REAP_TIMEOUT * 1000)
    return [pipe for pipe, _ in talking]


def _start_worker(task: Task, number: int) -> _WorkerChild:
    reader, writer = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        raise
    if pid == 0:
        try:
            os.close(reader)
            end_as_orphan(2 * PATIENCE)
            result = task()
            with open(writer, "wb") as file:  # noqa: PTH123  (a descriptor)
                file.write(len(result).to_bytes(_LENGTH_BYTES, "little"))
                file.write(result)
        finally:
            os._exit(0)
    os.close(writer)
    return _WorkerChild(number, pid, reader, bytearray())


def _finish_worker(hand: _WorkerChild) -> bytes | LostTask:
    """The result of a child that closed its pipe, if it came whole."""
    os.close(hand.pipe)
    status = wait_for_exit(hand.pid, REAP_TIMEOUT)
    if status is None:
        status = kill_and_reap(hand.pid)
    size = int.from_bytes(hand.output[:_LENGTH_BYTES], "little")
    if len(hand.output) >= _LENGTH_BYTES and len(hand.output) == _LENGTH_BYTES + size:
        return bytes(hand.output[_LENGTH_BYTES:])
    if status is None:
        return _NEVER_ENDS
    code = os.waitstatus_to_exitcode(status)
    return LostTask(f"of signal {-code}" if code < 0 else "without an answer")
