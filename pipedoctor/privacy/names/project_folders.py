"""Is a folder where users have theirs that of a project or of data: `/scratch/coco-crops`?"""

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.everyday_words import EVERYDAY_WORDS, GIVEN_NAMES
from pipedoctor.privacy.names.paths import is_common_folder
from pipedoctor.privacy.vocabulary import COMMON_WORDS

_WORD = compile_lazily(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NUMBER = compile_lazily(r"v?\d+(?:[kmbgx](?![a-z]))?")
_PROJECT_WORDS = frozenset(
    "project projects proj prj group groups grp lab labs team teams dept course class"  # noqa: SIM905
    " shared common public job jobs task tasks ai ml dl research study features feature"
    " detector tracker segmenter medical sensing satellite xray mri".split()
)
"""Words of which names of projects are made, beside those of common folders."""
_ACCOUNT_WORDS = frozenset("svc usr user users bot admin acct account guest student adm sa".split())  # noqa: SIM905
"""Words that names of accounts are made of."""
_LEAST_LETTERS = 5
"""Of a word that nobody knows: shorter ones are names of accounts and initials."""
_FILE_NAME = compile_lazily(
    r"\.(?:png|jpe?g|tiff?|webp|mp4|wav|flac|mp3|npy|npz|h5|hdf5|lmdb|parquet|arrow|csv|tsv|jsonl?"
    r"|ya?ml|txt|log|out|err|py|ipynb|sh|tar|t?gz|zip|bin|idx|pth?|ckpt|safetensors)$"
)


def is_file_name(name: str) -> bool:
    """Does it end as files of data, logs and programs do: ``img_00017.png``?"""
    return _FILE_NAME.search(name) is not None


def is_project_folder(name: str, *, users_known: bool) -> bool:
    """
    Do its words say that it is a project's, not a user's: ``project_465``, ``nlp-lab``?

    All of them are words of the trade; or, where the same text names its users, and they are
    others, one of them is, and none looks like the name of an account.
    """
    words = [word.lower() for word in _WORD.findall(_NUMBER.sub(" ", name)) if len(word) > 1]
    if any(word in GIVEN_NAMES or word in _ACCOUNT_WORDS for word in words):
        return False
    common = [word for word in words if is_common_folder(word) or word in _PROJECT_WORDS]
    unknown = [word for word in words if word not in common and not _is_of_trade(word)]
    if not unknown:
        return bool(common)
    several = len(words) > 1 and len(unknown) == 1
    return users_known and several and len(unknown[0]) >= _LEAST_LETTERS


def _is_of_trade(word: str) -> bool:
    return word in EVERYDAY_WORDS or word in COMMON_WORDS
