"""Few lines are read, and the right ones."""

import io

import pytest

from pipedoctor.explanation.book import installed_book
from pipedoctor.log.read import read
from pipedoctor.log.sieve import AFTER, END, WORN, Sieve, shape


def test_a_shape_is_letters_alone() -> None:
    assert shape(b"Epoch 3: Loss=0.12\n[rank7]") == b"epoch   loss  \n rank "


def test_only_lines_with_a_word_are_picked() -> None:
    sieve = Sieve(frozenset({"ancdata"}))

    assert sieve.pick(b"loss 1\nitems of ancdata\nloss 2\n") == [1]
    assert sieve.pick(b"loss 3\nloss 4\n") == []


def test_lines_after_a_frame_are_picked() -> None:
    sieve = Sieve(frozenset({"ancdata"}))

    rest = b"".join(b"y%c\n" % letter for letter in b"abcdefghijkl")
    picked = sieve.pick(b'x\n  File "a.py", line 1\n    foo()\nOops: 1\n' + rest)

    assert picked == list(range(1, 1 + 1 + AFTER))


def test_lines_after_a_frame_are_picked_from_the_next_block_too() -> None:
    sieve = Sieve(frozenset({"ancdata"}))
    rest = b"".join(b"y%c\n" % letter for letter in b"abcdefghijkl")

    assert sieve.pick(b'x\n  File "a.py", line 1\n') == [1, 2]
    assert sieve.pick(b"    foo()\nOops: 1\n") == [0, 1, 2]
    assert sieve.pick(rest) == list(range(AFTER - 2))
    assert sieve.pick(rest) == []


def test_what_comes_too_often_wears_out_but_not_at_the_end() -> None:
    sieve = Sieve(frozenset({"ancdata"}))
    block = b"ancdata 1\n" * (WORN + 500)

    assert len(sieve.pick(block)) == WORN
    assert sieve.pick(block) == []
    assert len(sieve.pick(b"ancdata 2\n", last=True)) == 1


@pytest.mark.parametrize("sign", ["#", "█"])
def test_progress_bars_of_any_length_wear_out(sign: str) -> None:
    sieve = Sieve(frozenset({"train"}))
    bars = [f"train {i}%|{sign * (i % 70)}| {'#' * (i % 9)}\n" for i in range(4000)]

    assert len(sieve.pick("".join(bars).encode())) < 3 * WORN
    assert sieve.pick("".join(bars).encode()) == []


def test_of_a_worn_shape_only_the_end_is_read_again() -> None:
    sieve = Sieve(frozenset({"ancdata"}))
    sieve.pick(b"ancdata 1\n" * WORN)

    picked = sieve.pick(b"ancdata 1\n" * (END + 500), last=True)

    assert len(picked) == END - 1  # behind the last newline is one empty line
    assert picked[-1] == END + 499


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_parts_between_carriage_returns_have_the_number_of_their_line(
    end: bytes,
) -> None:
    bars = b"\r".join(b"loading shared memory %d%%|#|" % i for i in range(500))
    rows = [b"starts", bars, b"ends" + bars, b"Bus error (core dumped)", bars]
    bars_in_front = b"\r" + bars + b"\rOSError: [Errno 24] Too many open files"

    log = read(io.BytesIO(end.join([*rows, bars_in_front])), installed_book())

    seen = {one.text: one.line for one in log.seen}
    assert seen["Bus error (core dumped)"] == 4
    assert seen["OSError: [Errno 24] Too many open files"] == 6
    assert log.lines == 6


def test_memory_is_bounded() -> None:
    sieve = Sieve(frozenset({"ancdata"}))
    letters = "abcdefghijklmnopqrstuvwxyz"
    for a in letters:
        names = (f"{a}{b}{c}{d}" for b in letters for c in letters for d in letters)
        sieve.pick("\n".join(names).encode())

    assert sieve.remembered < 100_000
