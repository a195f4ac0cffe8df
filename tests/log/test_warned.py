"""Warnings of Python, and where they end."""

import pytest

from pipedoctor.log.warned import LONGEST, Warned
from pipedoctor.log.wrapping import bare

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
    warned = Warned()
    lines = (HEAD, "is not compatible", end, "is not compatible")

    assert [warned.read(bare(line)) for line in lines] == [True, True, False, False]


def test_it_is_not_long() -> None:
    warned = Warned()
    said = [warned.read(bare(line)) for line in (HEAD, *["text"] * LONGEST, "text")]

    assert said == [True, *[True] * LONGEST, False]


def test_ranks_are_told_apart() -> None:
    warned = Warned()
    lines = (f"[rank1]: {HEAD}", "[rank0]: text", "[rank1]: text")

    assert [warned.read(bare(line)) for line in lines] == [True, False, True]


def test_a_line_without_a_warning() -> None:
    assert not Warned().read(bare("a UserWarning: was seen"))
