"""What a short log may be about that no signature knows: by its words alone."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from heapq import nlargest
from typing import Annotated, NamedTuple

import msgspec

from pipedoctor.engine.packs import Pack, find_packs
from pipedoctor.explanation.signature_catalogue import find_pack_folders
from pipedoctor.log.mentions import hide_mentions, is_quotation
from pipedoctor.log.progress import (
    COMPLAINT,
    COMPLAINT_WORDS,
    FAILURE_WORDS,
    PYTHON_WARNING,
    drop_counts_of_none,
    is_minor,
)
from pipedoctor.runtime.attempt import Crash, attempt

VOCABULARY_FILE = "vocabulary.json"
USER_CODE_BUG = "user_code_bug"
"""The class of everything that no environment cures."""
MIN_SIMILARITY = 0.18
"""Likeness below which nothing is said: the cosine between a log and a vocabulary."""
_MIN_SHARED_WORDS, _MIN_RARITY = 4, math.log(6)
"""
Words of some rarity that a log must share with a cause: three may be chance.

Rarity is the logarithm of all causes through those with the word: at most one in six.
"""
_UNKNOWN_RARITY = 3.0
"""Rarity of words that no cause has: who speaks of something else is not alike."""
_MAX_WORDS = 100
"""Words of a cause that are compared: those that weigh most."""
MAX_SIMILAR = 3
_MIN_SHARE = 0.5
"""Of the likeness of the first: what is less alike is not named."""
_MAX_LINES = 2
_WORD = re.compile(r"[a-z_][a-z_0-9]{2,}")


_FAILURE = re.compile(
    rf"(?i)\b(?:{FAILURE_WORDS}|{COMPLAINT_WORDS}|kill\w*|dies|missing|time-?out|hang\w*"
    r"|too (?:many|small|low|old)|no|not|without|(?<!': )False|never|nothing"
    r"|0 ?%|full|limit (?:reached|exceeded|hit))\b"
    r"|[a-z](?:Error|Exception)\b"
)
"""Words of which every report of something that went wrong has one."""
_BANNER = re.compile(
    r"No (?:running processes|broken requirements) found"
    r"|\b[IWE] (?:external/local_xla|tensorflow|tsl)/"
    r"|TF-TRT Warning|rebuild TensorFlow with|does not have many workers"
    r"|^(?:srun|salloc): (?:job|Pending job) \w+ "
    r"|^(?!.*CUDA available)[A-Z][\w /()-]{2,40}: (?:False|N/A|Could not collect)$"
    r"|^\[(?:\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}| {0,6}\d{1,8}\.\d{6})\] "
    r"|^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ (?:systemd(?:-\w+)?|kernel|sshd|CRON|dockerd)\b"
    r"|^(?:LOCAL_RANK: \d+ - CUDA_VISIBLE_DEVICES: \[[\d,]*\]|[GTIH]PU available: \w+)"
)
"""Lines that TensorFlow, Lightning, Slurm and a system print when they start, in health too."""
_TYPED = re.compile(r"^[\w.@:~/-]{0,80}\$ ")
"""What somebody types."""


def tells_of_failure(text: str, *, goes_on: bool = False) -> bool:
    """
    Does a line say that anything went wrong? In a healthy log nothing is guessed.

    Of a job that goes on behind all its lines of failure, only a complaint counts.
    """
    told = COMPLAINT if goes_on else _FAILURE
    return any(
        told.search(hide_mentions(drop_counts_of_none(row), comments=True))
        and not _is_of_others(row)
        and not _TYPED.match(row)
        and not is_minor(row)
        and not (goes_on and PYTHON_WARNING.search(row))
        for row in text.split("\n")
    )


def _is_of_others(row: str) -> bool:
    """Is it a line of a start, or one that only quotes a failure?"""
    return bool(_BANNER.search(row)) or is_quotation(row)


class WordCounts(msgspec.Struct, frozen=True):
    """How often each word stands in the texts about a cause: what a file holds."""

    causes: dict[str, dict[str, Annotated[int, msgspec.Meta(gt=0)]]] = {}


class Vocabulary(NamedTuple):
    """How rare words are, and how often each stands in the texts about a cause."""

    rarity: Mapping[str, float] = {}
    causes: Mapping[str, Mapping[str, int]] = {}


class SimilarCause(NamedTuple):
    """A cause, how alike its words are, and the lines that are most so, from 1."""

    cause: str
    similarity: float
    lines: tuple[tuple[int, str], ...]


def split_words(text: str) -> list[str]:
    """Words and names of functions, files and settings, in small letters."""
    return _WORD.findall(text.lower())


def find_similar_causes(text: str, vocabulary: Vocabulary) -> list[SimilarCause]:
    """
    Causes whose vocabulary is near to the text, the likeliest first.

    None, if none is near.
    """
    rarity = vocabulary.rarity
    text = "\n".join(
        "" if _is_of_others(row) else hide_mentions(row, comments=True) for row in text.split("\n")
    )
    log_weights = {
        word: (1 + math.log(count)) * rarity.get(word, _UNKNOWN_RARITY)
        for word, count in Counter(split_words(text)).items()
    }
    length = math.sqrt(sum(value * value for value in log_weights.values())) or 1.0
    rare = {word for word in log_weights if rarity.get(word, 0.0) >= _MIN_RARITY}
    weights = {
        cause: weigh_words(counts, rarity)
        for cause, counts in vocabulary.causes.items()
        if len(rare & counts.keys()) >= _MIN_SHARED_WORDS
    }
    near = {
        cause: sum(log_weights[word] * its[word] for word in log_weights.keys() & its.keys())
        / length
        for cause, its in weights.items()
        if len(rare & its.keys()) >= _MIN_SHARED_WORDS
    }
    best = nlargest(MAX_SIMILAR, near, key=lambda cause: (near[cause], cause))
    if USER_CODE_BUG in best[:1]:
        return []
    least = max(MIN_SIMILARITY, _MIN_SHARE * near[best[0]]) if best else MIN_SIMILARITY
    return [
        SimilarCause(cause, near[cause], _find_telling_lines(text, rarity, weights[cause]))
        for cause in best
        if near[cause] >= least and cause != USER_CODE_BUG
    ]


def _find_telling_lines(
    text: str, rarity: Mapping[str, float], its: Mapping[str, float]
) -> tuple[tuple[int, str], ...]:
    """The lines that speak most for it, in their order."""
    rows = list(enumerate(text.split("\n"), 1))

    def compute_weight(row: tuple[int, str]) -> float:
        shared = its.keys() & set(split_words(row[1]))
        return sum(rarity[word] * its[word] for word in shared)

    return tuple(
        sorted(one for one in nlargest(_MAX_LINES, rows, compute_weight) if compute_weight(one))
    )


@cache
def load_vocabulary() -> Vocabulary:
    """Of all installed packs; a file that cannot be read says nothing."""
    counts: dict[str, dict[str, int]] = {}
    for pack in find_packs():
        counts = _read_pack(pack) | counts
    spread = Counter(word for its in counts.values() for word in its)
    return Vocabulary({w: math.log(len(counts) / n) for w, n in spread.items()}, counts)


def weigh_words(counts: Mapping[str, int], rarity: Mapping[str, float]) -> dict[str, float]:
    """TF-IDF: the words of a cause that weigh most, as a vector of length 1."""
    found = {word: (1 + math.log(n)) * rarity[word] for word, n in counts.items() if rarity[word]}
    best = sorted(found.items(), key=lambda one: (-one[1], one[0]))[:_MAX_WORDS]
    length = math.sqrt(sum(value * value for _, value in best)) or 1.0
    return {word: value / length for word, value in best}


def _read_pack(pack: Pack) -> dict[str, dict[str, int]]:
    done = attempt(
        lambda: [
            msgspec.json.decode(file.read_bytes(), type=WordCounts).causes
            for folder in find_pack_folders(pack)
            if (file := folder / VOCABULARY_FILE).is_file()
        ]
    )
    read = [] if isinstance(done, Crash) else done.value
    return {cause: its for one in read for cause, its in one.items()}
