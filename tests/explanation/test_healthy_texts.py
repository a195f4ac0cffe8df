"""Texts that only speak of failures have no cause; the same words of a real failure have."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from pipedoctor.explanation.reasoning import Diagnosis


def read_parts(name: str) -> Iterator[tuple[str, str]]:
    """Title and text of each part."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    for part in re.split(r"^%%% ", text, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        yield title, body


def test_no_cause_is_named_where_nothing_failed(diagnosed: Callable[[str], Diagnosis]) -> None:
    named = {title: diagnosed(text).causes for title, text in read_parts("healthy_texts.txt")}

    assert len(named) >= 320
    assert {title: causes[0].cause for title, causes in named.items() if causes} == {}


def test_the_same_words_of_a_failure_keep_their_cause(first: Callable[[str], str]) -> None:
    failing = list(read_parts("failing_texts.txt"))
    wrong = {title: first(text) for title, text in failing if first(text) != title.split()[0]}

    assert len(failing) >= 120
    assert wrong == {}


def test_a_failure_behind_a_healthy_text_counts(diagnosed: Callable[[str], Diagnosis]) -> None:
    killed = 'Traceback (most recent call last):\n  File "/p/t.py", line 3, in f\n    g()\n'
    killed += "OSError: [Errno 28] No space left on device: '/scratch/a.pt'\n"
    silent = {
        title
        for title, text in read_parts("healthy_texts.txt")
        if "disk_full" not in {one.cause for one in diagnosed(f"{text}{killed}").causes}
    }

    assert silent == set()
