"""The line that stands for most samples."""

from collections import Counter
from pathlib import Path

import pytest

from pipedoctor.facts import MainShares
from pipedoctor.watch.observation.observe import choose_step_lines
from pipedoctor.watch.samples.hot_lines import find_hot_line
from pipedoctor.watch.samples.tally import SampleTally

PROGRAM = """\
def count(rows):
    total = 0
    for k in rows:
        total += k
    while total:
        total -= 1
    total = 7
    return total
"""


@pytest.mark.parametrize(
    ("seen", "line", "samples"),
    [
        ({3: 60, 4: 40}, 4, 100),
        ({3: 60, 4: 29}, 3, 60),
        ({5: 50, 6: 25}, 6, 75),
        ({5: 50, 7: 40}, 5, 50),
        ({2: 50, 4: 40}, 2, 50),
        ({4: 50, 3: 40}, 4, 50),
    ],
    ids=[
        "a short body is where the work is",
        "the head itself is slow",
        "while",
        "what follows the loop is not its body",
        "no loop",
        "the body leads already",
    ],
)
def test_the_body_of_a_loop_stands_for_its_head(
    tmp_path: Path, seen: dict[int, int], line: int, samples: int
) -> None:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    hot = find_hot_line(Counter({(str(file), n, "count"): c for n, c in seen.items()}))

    assert hot is not None
    assert (hot.line, hot.function) == (line, "count")
    assert hot.share == pytest.approx(samples / sum(seen.values()))


def test_another_function_is_no_body(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    hot = find_hot_line(Counter({(str(file), 3, "count"): 60, (str(file), 4, "inner"): 40}))

    assert hot is not None
    assert hot.line == 3
    assert find_hot_line(Counter()) is None


@pytest.mark.parametrize(("computing", "line"), [(0.6, 4), (0.2, 6)])
def test_a_step_is_named_where_it_computes_if_it_mostly_does(computing: float, line: int) -> None:
    tally = SampleTally()
    tally.steps["/train.py", 6, "step"] = 50
    tally.steps["/train.py", 4, "step"] = 45
    tally.ran["/train.py", 4, "step"] = 45

    chosen = choose_step_lines(tally, MainShares(computing=computing), "")
    hot = find_hot_line(chosen, "")
    assert hot is not None
    assert hot.line == line
