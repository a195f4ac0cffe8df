"""Marks are found where they stand, whatever their letters."""

import random

from pipedoctor.privacy.mark_index import MarkIndex


def test_the_same_rows_are_found_as_by_looking_for_every_mark() -> None:
    drawn = random.Random(7)
    marks = ["".join(drawn.choices("ab:@ ", k=drawn.randint(1, 4))) for _ in range(60)]
    index = MarkIndex((number, (mark, "zz")) for number, mark in enumerate(marks))

    for length in (0, 1, 2, 5, 30):
        text = "".join(drawn.choices("ab:@ ", k=length))
        assert index.find_rows(text) == {n for n, mark in enumerate(marks) if mark in text}
