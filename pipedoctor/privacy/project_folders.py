"""Is a folder where users have theirs that of a project or of data: `/scratch/coco-crops`?"""

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.everyday_words import EVERYDAY_WORDS, GIVEN_NAMES
from pipedoctor.privacy.paths import COMMON_FOLDERS
from pipedoctor.privacy.vocabulary import COMMON_WORDS

_WORD = compile_lazily(r"(?<![a-z])[a-z]+(?![a-z])")
_NUMBER = compile_lazily(r"v?\d+(?:[kmbgx](?![a-z]))?")
_ACCOUNT_WORDS = frozenset("svc usr user users bot admin acct account guest student adm sa".split())  # noqa: SIM905
"""Words that names of accounts are made of."""
_LEAST_WORDS = 2
_LEAST_LETTERS = 5
"""Of a word that nobody knows: shorter ones are names of accounts and initials."""


def is_project_folder(name: str, *, users_known: bool) -> bool:
    """
    Do its words say that it is a project's, not a user's?

    All of them are words of the trade; or, where the same text names its users, and they are
    others, one of them is, and none looks like the name of an account.
    """
    words = _WORD.findall(_NUMBER.sub(" ", name.lower()))
    if len(words) < _LEAST_WORDS or any(w in GIVEN_NAMES or w in _ACCOUNT_WORDS for w in words):
        return False
    unknown = [word for word in words if not _is_of_trade(word)]
    if not unknown:
        return True
    return users_known and len(unknown) == 1 and len(unknown[0]) >= _LEAST_LETTERS


def _is_of_trade(word: str) -> bool:
    return word in COMMON_FOLDERS or word in EVERYDAY_WORDS or word in COMMON_WORDS
