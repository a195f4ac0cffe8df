"""Columns that climb, and draws that come again."""

import pytest

from pipedoctor.facts.log import Seen
from pipedoctor.log.number_rows import find_repeated_draws, find_rising_column


def column(text: str, name: str = "rss_gb", line: int = 1) -> list[int]:
    seen = Seen(signature="a/b", line=line, text="", values={"column": name})
    return [one.line for one in find_rising_column(seen, text)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("step rss_gb\n0 1\n1 2\n2 3\n", id="three rows"),
        pytest.param("step rss_gb\n0 1\n1 1\n2 1.2\n3 1.29\n", id="hardly"),
        pytest.param("step rss_gb\n0 1\n1 3\n2 2\n3 4\n", id="up and down"),
        pytest.param("step rss_gb\n0 0\n1 1\n2 2\n3 3\n", id="from nothing"),
        pytest.param("step loss\n0 1\n1 2\n2 3\n3 4\n", id="another column"),
        pytest.param("step rss_gb\n0 1\n1 2\nend\n2 3\n3 4\n", id="interrupted"),
        pytest.param("", id="a long log"),
    ],
)
def test_no_column_climbs(text: str) -> None:
    assert column(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "step  rss_gb  loss\n0 1.0 9\n1 1.2 8\n2 1.25 7\n3 1.3 6\n",
        "step,rss_gb\n0,900M\n1,1.1G\n2,2G\n3,3G\n\nend",
        "| step | rss_gb |\n| 0 | 1 |\n| 1 | 2 |\n| 2 | 3 |\n| 3 | 4 |\n",
    ],
)
def test_a_column_that_climbs(text: str) -> None:
    assert column(text) == [1, 2, 5]


def again(text: str) -> list[int]:
    return [one.line for one in find_repeated_draws(Seen(signature="a/b", line=1, text=""), text)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[40 90 37 39]\n[40 90 37 39]\n", id="one pair"),
        pytest.param("[0 1 2 3]\n" * 4, id="indices"),
        pytest.param("[480, 640, 3]\n" * 4, id="shapes"),
        pytest.param("[9 4 7 3]\nepoch 1\n" * 4, id="a line between"),
        pytest.param("[9 4 7 3]\n[9 4 7 2]\n" * 4, id="by turns"),
        pytest.param("boxes [9 4 7 3]\n" * 4, id="a list with a name"),
    ],
)
def test_nothing_comes_again(text: str) -> None:
    assert again(text) == []


def test_a_draw_of_three_workers() -> None:
    assert again("epoch 0\n" + "[40 90 37 39]\n" * 3) == [2, 3]


def test_two_draws_of_two_workers() -> None:
    assert again("[9 4 7 3]\n\n[9 4 7 3]\n[1 8 6 2]\n[1 8 6 2]\n") == [1, 3, 4, 5]


def test_tensors_over_several_lines() -> None:
    one = "tensor([[595, 742,  40],\n        [969, 950, 488]])\n"

    assert again(one * 3) == [1, 3]
