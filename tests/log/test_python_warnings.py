"""Warnings of Python, and where they end."""

import pytest

from pipedoctor.log.line_prefixes import strip_prefixes
from pipedoctor.log.python_warnings import MAX_WARNING_LINES, WarningTracker

HEAD = "/env/torch/cuda/__init__.py:230: UserWarning: "


@pytest.mark.parametrize(
    "end",
    [
        "  warnings.warn(",
        "  warn_once(",
        "Traceback (most recent call last):",
        '  File "train.py", line 3, in f',
        "RuntimeError: CUDA error: no kernel image is available",
        "torch.AcceleratorError: CUDA error",
    ],
)
def test_until_something_else_begins(end: str) -> None:
    warned = WarningTracker()
    lines = (HEAD, "is not compatible", end, "is not compatible")

    assert [warned.read_line(strip_prefixes(line)) for line in lines] == [
        True,
        True,
        False,
        False,
    ]


def test_it_is_not_long() -> None:
    warned = WarningTracker()
    said = [
        warned.read_line(strip_prefixes(line))
        for line in (HEAD, *["text"] * MAX_WARNING_LINES, "text")
    ]

    assert said == [True, *[True] * MAX_WARNING_LINES, False]


def test_ranks_are_told_apart() -> None:
    warned = WarningTracker()
    lines = (f"[rank1]: {HEAD}", "[rank0]: text", "[rank1]: text")

    assert [warned.read_line(strip_prefixes(line)) for line in lines] == [
        True,
        False,
        True,
    ]


def test_a_line_without_a_warning() -> None:
    assert not WarningTracker().read_line(strip_prefixes("a UserWarning: was seen"))
