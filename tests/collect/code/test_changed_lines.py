"""Changed lines: as `git diff` counts them, and in bounded time."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipedoctor.collect.code.changed_lines import (
    MAX_COMPARED_LINES,
    find_changed_lines,
    map_lines,
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"", b""),
        (b"a\nb", b"a\nb"),
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"a\rb", b"a\nb"),
    ],
)
def test_no_difference(old: bytes, new: bytes) -> None:
    assert find_changed_lines(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (b"a\nb\nc", b"a\nX\nc", [2]),
        (b"a\nc", b"a\nb\nc", [2]),
        (b"a\nb\nc", b"a\nc", [1, 2]),
        (b"a\nb", b"b", [1]),
        (b"a\nb", b"a", [1]),
        (b"a\nb\nc\nd", b"X\nb\nc\nY", [1, 4]),
        (b"", b"a\nb", [1, 2]),
        (b"a\na\na", b"a\na", [2]),
    ],
)
def test_differences(old: bytes, new: bytes, lines: list[int]) -> None:
    assert find_changed_lines(old, new) == lines


def test_beyond_the_bound_everything_between_counts() -> None:
    middle = [b"%d" % number for number in range(MAX_COMPARED_LINES + 1)]
    old = b"\n".join([b"head", *middle, b"tail"])
    new = b"\n".join([b"head", *reversed(middle), b"tail"])

    assert find_changed_lines(old, new) == list(range(2, MAX_COMPARED_LINES + 3))


TEXT = st.lists(st.sampled_from("abc"), max_size=12)


@given(TEXT, TEXT)
def test_only_equal_lines_are_unchanged(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old).encode(), "\n".join(new).encode()

    lines = find_changed_lines(before, after)

    assert (lines == []) == (before == after)
    rest = [c for n, c in enumerate(after.split(b"\n"), 1) if n not in lines]
    kept = iter(before.split(b"\n"))
    assert all(line in kept for line in rest), "what is left is a part of the old one"


def test_as_git_says(tmp_path: Path) -> None:
    old = "".join(f"{n % 7} {n}\n" for n in range(60))
    new = old.replace("3 10\n", "x\ny\n").replace("5 40\n", "5 41\n")
    (tmp_path / "old").write_text(old)
    (tmp_path / "new").write_text(new)
    done = subprocess.run(
        ["git", "diff", "--no-index", "-U0", "old", "new"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    said: list[int] = []
    for line in done.stdout.splitlines():
        if line.startswith("@@"):
            first, _, count = line.split("+")[1].split(" ")[0].partition(",")
            said += range(int(first), int(first) + int(count or 1))

    assert find_changed_lines(old.encode(), new.encode()) == said


@pytest.mark.parametrize(
    ("old", "new", "lines", "there"),
    [
        (b"a\nb\nc", b"a\nb\nc", {2}, {2}),
        (b"a\nb\nc", b"X\na\nb\nc", {2}, {3}),
        (b"a\nb\nc", b"a\nX\nY\nc", {2}, {2, 3}),
        (b"a\nb\nc", b"a\nX\nY\nc", {1}, {1}),
        (b"a\nb\nc", b"a\nc", {2}, set[int]()),
        (b"a\nb\nc\nd", b"a\nX\nd", {3}, {2}),
        (b"a\r\nb\r\n", b"a\nb\n", {2}, {2}),
    ],
)
def test_where_lines_went(old: bytes, new: bytes, lines: set[int], there: set[int]) -> None:
    assert map_lines(lines, old, new) == there


@given(TEXT, TEXT)
def test_lines_that_stay_are_found(old: list[str], new: list[str]) -> None:
    whole = [*old, *new]
    before, after = "\n".join(old).encode(), "\n".join(whole).encode()

    there = map_lines(range(1, len(old) + 1), before, after)

    assert all(0 < line <= max(1, len(whole)) for line in there)
    assert map_lines((), before, after) == frozenset()
    assert not old or there
