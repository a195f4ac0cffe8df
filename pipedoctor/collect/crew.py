"""Work shared among children: each result comes whole, or the work is done again."""

import os
import select
import signal
from collections.abc import Callable, Sequence
from typing import NamedTuple

Task = Callable[[], bytes]
_SIZE = 8
ATTEMPTS = 2


class Lost(NamedTuple):
    """A piece of work whose child died each time, and how."""

    how: str


class _Hand(NamedTuple):
    """A child at work."""

    number: int
    pid: int
    pipe: int
    said: bytearray


def share(tasks: Sequence[Task], order: Sequence[int], jobs: int) -> list[bytes | Lost]:
    """Do every task in a child, `jobs` at a time, begun in this order."""
    waiting = [(number, 1) for number in reversed(order)]
    done: dict[int, bytes | Lost] = {}
    hands: dict[int, tuple[_Hand, int]] = {}
    try:
        while waiting or hands:
            while waiting and len(hands) < jobs:
                number, attempt = waiting.pop()
                try:
                    hand = _begin(tasks[number], number)
                except OSError:  # no more processes: then in this one
                    done[number] = tasks[number]()
                else:
                    hands[hand.pipe] = (hand, attempt)
            for pipe in _ready(list(hands)):
                hand, attempt = hands[pipe]
                part = os.read(pipe, 1 << 20)
                hand.said.extend(part)
                if not part:
                    del hands[pipe]
                    result = _end(hand)
                    if isinstance(result, Lost) and attempt < ATTEMPTS:
                        waiting.append((hand.number, attempt + 1))
                    else:
                        done[hand.number] = result
    finally:
        for hand, _ in hands.values():
            os.kill(hand.pid, signal.SIGKILL)
            _end(hand)
    return [done[number] for number in range(len(tasks))]


def _ready(pipes: Sequence[int]) -> list[int]:
    """Wait until some of them have something to say, or ended."""
    poll = select.poll()
    for pipe in pipes:
        poll.register(pipe, select.POLLIN)
    return [pipe for pipe, _ in poll.poll()] if pipes else []


def _begin(task: Task, number: int) -> _Hand:
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
            result = task()
            with open(writer, "wb") as file:  # noqa: PTH123  (a descriptor)
                file.write(len(result).to_bytes(_SIZE, "little"))
                file.write(result)
        finally:
            os._exit(0)
    os.close(writer)
    return _Hand(number, pid, reader, bytearray())


def _end(hand: _Hand) -> bytes | Lost:
    """The result of a child that closed its pipe, if it came whole."""
    os.close(hand.pipe)
    _, status = os.waitpid(hand.pid, 0)
    size = int.from_bytes(hand.said[:_SIZE], "little")
    if len(hand.said) >= _SIZE and len(hand.said) == _SIZE + size:
        return bytes(hand.said[_SIZE:])
    code = os.waitstatus_to_exitcode(status)
    return Lost(f"of signal {-code}" if code < 0 else "without an answer")
