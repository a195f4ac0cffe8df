"""What a short log may be about that no signature knows: by its words alone."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from heapq import nlargest
from typing import NamedTuple

import msgspec

from pipedoctor.attempt import Crash, attempt
from pipedoctor.explanation.book import folders_of
from pipedoctor.packs import Pack, installed_packs

FILE = "vocabulary.json"
OWN_BUG = "user_code_bug"
"""The class of everything that no environment cures."""
LEAST = 0.12
"""Likeness below which nothing is said: the cosine between a log and a vocabulary."""
_FEWEST, _RARE = 4, 1.5
"""Words of some rarity that a log must share with a cause: three may be chance."""
_STRANGE = 3.0
"""Rarity of words that no cause has: who speaks of something else is not alike."""
MOST = 3
_SHARE = 0.5
"""Of the likeness of the first: what is less alike is not named."""
_LINES = 2
_WORD = re.compile(r"[a-z_][a-z_0-9]{2,}")


class Vocabulary(msgspec.Struct, frozen=True):
    """How rare words are, and how much each speaks for a cause (of length 1)."""

    rarity: dict[str, float] = {}
    causes: dict[str, dict[str, float]] = {}


class Alike(NamedTuple):
    """A cause, how alike its words are, and the lines that are most so, from 1."""

    cause: str
    likeness: float
    lines: tuple[tuple[int, str], ...]


def words(text: str) -> list[str]:
    """Words and names of functions, files and settings, in small letters."""
    return _WORD.findall(text.lower())


def alike(text: str, known: Vocabulary) -> list[Alike]:
    """Causes whose words these are, the likeliest first; none, if none is near."""
    said = {
        word: (1 + math.log(count)) * known.rarity.get(word, _STRANGE)
        for word, count in Counter(words(text)).items()
    }
    length = math.sqrt(sum(value * value for value in said.values())) or 1.0
    rare = {word for word in said if known.rarity.get(word, 0.0) >= _RARE}
    near = {
        cause: sum(said[word] * its[word] for word in said.keys() & its.keys()) / length
        for cause, its in known.causes.items()
        if len(rare & its.keys()) >= _FEWEST
    }
    best = nlargest(MOST, near, key=lambda cause: (near[cause], cause))
    if OWN_BUG in best[:1]:
        return []
    least = max(LEAST, _SHARE * near[best[0]]) if best else LEAST
    return [
        Alike(cause, near[cause], _telling(text, known, cause))
        for cause in best
        if near[cause] >= least and cause != OWN_BUG
    ]


def _telling(text: str, known: Vocabulary, cause: str) -> tuple[tuple[int, str], ...]:
    """The lines that speak most for it, in their order."""
    rows = list(enumerate(text.split("\n"), 1))
    its = known.causes[cause]

    def speaks(row: tuple[int, str]) -> float:
        shared = its.keys() & set(words(row[1]))
        return sum(known.rarity[word] * its[word] for word in shared)

    return tuple(sorted(one for one in nlargest(_LINES, rows, speaks) if speaks(one)))


@cache
def installed_vocabulary() -> Vocabulary:
    """Of all installed packs; a file that cannot be read says nothing."""
    return _joined(_of(pack) for pack in installed_packs())


def _joined(found: Iterable[Vocabulary]) -> Vocabulary:
    rarity: dict[str, float] = {}
    causes: dict[str, dict[str, float]] = {}
    for one in found:
        rarity = {**one.rarity, **rarity}
        causes = {**one.causes, **causes}
    return Vocabulary(rarity, causes)


def _of(pack: Pack) -> Vocabulary:
    done = attempt(
        lambda: _joined(
            msgspec.json.decode(file.read_bytes(), type=Vocabulary)
            for folder in folders_of(pack)
            if (file := folder / FILE).is_file()
        )
    )
    return Vocabulary() if isinstance(done, Crash) else done.value
