"""One line of each message that programs have for an illness, and what it means."""

from collections.abc import Callable
from pathlib import Path

from pipedoctor.explanation.reasoning import Diagnosis

ROWS = [
    tuple(row.split(" | ", 1))
    for row in Path(__file__).with_name("said.txt").read_text("utf-8").splitlines()
]


def test_one_line_is_enough(first: Callable[[str], str]) -> None:
    found = [(first("\n".join(reversed(text.split(" <- ")))), text) for _, text in ROWS]

    assert found == ROWS


def test_what_was_decided_by_size_has_the_other_cause_beside_it(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    failed = "unable to mmap 64 bytes from file </torch_1_2_64000>"
    text = f"{failed}: Cannot allocate memory (12)"

    causes = [cause.cause for cause in diagnosed(text).causes]

    assert causes == ["map_count_low", "worker_oom_killed"]
