"""Which of many marks stand in a text: looked for by pairs of letters."""

import functools
import itertools
from collections.abc import Iterable, Sequence

_FREQUENT = (
    "ors e t th tiner ireitates ahen teon  , dechedsed ler  oto fan sroisenst cndme rcoy "
    "f  warne:  ntanohaelts p btiloetge m lasocecil dadrangmaalnth oukea omotfoeali eow h"
    "vertaccectrsperiof. siurfiundorcimempomp= cko # ssdiaillpyods. `ns|  |hoiomoeppadawo"
    "amrklacaolbem utagprpiex-- -g tttr` rylf##wi (hioous- l efoa.plssoudipfrevoppl) icsh"
    " =k  Pul u 1rrytmibyldwhbls,suee==abrue.naosnc jdsbaums:tchtifvis/):id Wf.fa Cd.PDrn"
    "ieDRe,pusairwapst.ibw pte_t_r:0 uen. 2ni; nu 0A wn Ttu [ glyak Sdgauh.`p.ctp I(s kju"
    "()apThbucuPUrdrmhultwsigcszeErnvrgobiziv vcl0.ks10 Am_va:////dnn Dr. Ffepp Gbo NDa2 "
    "t,gi/supp _d"
)
"""Pairs of letters in lines of logs and documents, the most frequent first."""
_Pair = tuple[str, str]


class _Ranks(dict[_Pair, int]):
    """How rare pairs of letters are: those that are not among the frequent ones are rarest."""

    def __missing__(self, _pair: _Pair) -> int:
        return len(_FREQUENT)


_RANKS = _Ranks(((_FREQUENT[at], _FREQUENT[at + 1]), at) for at in range(0, len(_FREQUENT), 2))
_Rows = tuple[int, ...]


class MarkIndex:
    """
    Rows of marks, of which a row is found where one of its marks stands.

    Of some 600 marks only those are looked for of which the rarest two letters stand side
    by side in the text. `rows` are numbers, each with its marks.
    """

    def __init__(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        by_mark: dict[str, _Rows] = {}
        for number, marks in rows:
            for mark in marks:
                by_mark[mark] = (*by_mark.get(mark, ()), number)
        self._short = [(mark, rows) for mark, rows in by_mark.items() if len(mark) == 1]
        self._by_pair: dict[_Pair, list[tuple[str, _Rows]]] = {}
        for mark, found in by_mark.items():
            if len(mark) > 1:
                rarest = max(itertools.pairwise(mark), key=_RANKS.__getitem__)
                self._by_pair.setdefault(rarest, []).append((mark, found))
        self._pairs = frozenset(self._by_pair)

    def find_rows(self, text: str) -> set[int]:
        """The numbers of the rows of which a mark stands in a text."""
        found: set[int] = set()
        for mark, rows in self._short:
            if mark in text:
                found.update(rows)
        for pair in self._pairs & _find_pairs(text):
            for mark, rows in self._by_pair[pair]:
                if mark in text:
                    found.update(rows)
        return found


@functools.lru_cache(maxsize=1)
def _find_pairs(text: str) -> frozenset[_Pair]:
    """Of the letters of a text; several indexes ask for those of the same."""
    return frozenset(itertools.pairwise(text))
