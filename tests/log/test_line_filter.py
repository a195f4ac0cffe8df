"""Few lines are read, and the right ones."""

import io

import pytest

from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.line_filter import (
    LINES_AFTER,
    MAX_REPEATS,
    TAIL_LINES,
    LineFilter,
    compute_shape,
)
from pipedoctor.log.read import read_log


def test_a_shape_is_letters_alone() -> None:
    assert compute_shape(b"Epoch 3: Loss=0.12\n[rank7]") == b"epoch   loss  \n rank "


def test_only_lines_with_a_word_are_picked() -> None:
    sieve = LineFilter(frozenset({"ancdata"}))

    assert sieve.pick_lines(b"loss 1\nitems of ancdata\nloss 2\n") == [1]
    assert sieve.pick_lines(b"loss 3\nloss 4\n") == []


def test_lines_after_a_frame_are_picked() -> None:
    sieve = LineFilter(frozenset({"ancdata"}))

    rest = b"".join(b"y%c\n" % letter for letter in b"abcdefghijkl")
    picked = sieve.pick_lines(b'x\n  File "a.py", line 1\n    foo()\nOops: 1\n' + rest)

    assert picked == list(range(1, 1 + 1 + LINES_AFTER))


def test_lines_after_a_frame_are_picked_from_the_next_block_too() -> None:
    sieve = LineFilter(frozenset({"ancdata"}))
    rest = b"".join(b"y%c\n" % letter for letter in b"abcdefghijkl")

    assert sieve.pick_lines(b'x\n  File "a.py", line 1\n') == [1, 2]
    assert sieve.pick_lines(b"    foo()\nOops: 1\n") == [0, 1, 2]
    assert sieve.pick_lines(rest) == list(range(LINES_AFTER - 2))
    assert sieve.pick_lines(rest) == []


def test_what_comes_too_often_wears_out_but_not_at_the_end() -> None:
    sieve = LineFilter(frozenset({"ancdata"}))
    block = b"ancdata 1\n" * (MAX_REPEATS + 500)

    assert len(sieve.pick_lines(block)) == MAX_REPEATS
    assert sieve.pick_lines(block) == []
    assert len(sieve.pick_lines(b"ancdata 2\n", last=True)) == 1


@pytest.mark.parametrize("sign", ["#", "█"])
def test_progress_bars_of_any_length_wear_out(sign: str) -> None:
    sieve = LineFilter(frozenset({"train"}))
    bars = [f"train {i}%|{sign * (i % 70)}| {'#' * (i % 9)}\n" for i in range(4000)]

    assert len(sieve.pick_lines("".join(bars).encode())) < 3 * MAX_REPEATS
    assert sieve.pick_lines("".join(bars).encode()) == []


def test_of_a_worn_shape_only_the_end_is_read_again() -> None:
    sieve = LineFilter(frozenset({"ancdata"}))
    sieve.pick_lines(b"ancdata 1\n" * MAX_REPEATS)

    picked = sieve.pick_lines(b"ancdata 1\n" * (TAIL_LINES + 500), last=True)

    assert len(picked) == TAIL_LINES - 1  # behind the last newline is one empty line
    assert picked[-1] == TAIL_LINES + 499


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_parts_between_carriage_returns_have_the_number_of_their_line(
    end: bytes,
) -> None:
    bars = b"\r".join(b"loading shared memory %d%%|#|" % i for i in range(500))
    rows = [b"starts", bars, b"ends" + bars, b"Bus error (core dumped)", bars]
    bars_in_front = b"\r" + bars + b"\rOSError: [Errno 24] Too many open files"

    log = read_log(io.BytesIO(end.join([*rows, bars_in_front])), load_signatures())

    seen = {one.text: one.line for one in log.seen}
    assert seen["Bus error (core dumped)"] == 4
    assert seen["OSError: [Errno 24] Too many open files"] == 6
    assert log.lines == 6


def test_memory_is_bounded() -> None:
    sieve = LineFilter(frozenset({"ancdata"}))
    letters = "abcdefghijklmnopqrstuvwxyz"
    for a in letters:
        names = (f"{a}{b}{c}{d}" for b in letters for c in letters for d in letters)
        sieve.pick_lines("\n".join(names).encode())

    assert sieve.remembered_count < 100_000
