"""Which of many marks stand in a text: looked for by pairs of letters."""

import functools
from collections.abc import Iterable, Sequence

_FREQUENT = " etaoinsrldcmhup./g:0-f12byw3v4ES=5_,k6A9R87TI'N(DC)OPL"
"""Letters and signs of logs, the most frequent first."""
_Marks = list[tuple[str, int]]


class MarkIndex:
    """
    Rows of marks, of which a row is found where one of its marks stands.

    Of some 400 marks only those are looked for of which the rarest two letters stand side
    by side in the text. `rows` are numbers, each with its marks.
    """

    def __init__(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        self._by_pair: dict[str, _Marks] = {}
        self._short: _Marks = []
        for number, marks in rows:
            for mark in marks:
                if len(mark) == 1:
                    self._short.append((mark, number))
                else:
                    pairs = [mark[at : at + 2] for at in range(len(mark) - 1)]
                    rarest = max(pairs, key=_rate_rarity)
                    self._by_pair.setdefault(rarest, []).append((mark, number))

    def find_rows(self, text: str) -> set[int]:
        """The numbers of the rows of which a mark stands in a text."""
        found = {number for mark, number in self._short if mark in text}
        by_pair = self._by_pair
        for pair in by_pair.keys() & _find_pairs(text):
            for mark, number in by_pair[pair]:
                if mark in text:
                    found.add(number)
        return found


@functools.lru_cache(maxsize=1)
def _find_pairs(text: str) -> frozenset[str]:
    """Of the letters of a text; several indexes ask for those of the same."""
    return frozenset(map(str.__add__, text, text[1:]))


def _rate_rarity(pair: str) -> int:
    return sum(_FREQUENT.find(letter) % (len(_FREQUENT) + 1) for letter in pair)
