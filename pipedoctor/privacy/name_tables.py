"""The tables of all places of names, and which of them a text may have."""

import functools
import operator

from pipedoctor.privacy.cloud_names import CLOUD_NAMES
from pipedoctor.privacy.command_users import COMMAND_USERS
from pipedoctor.privacy.log_hosts import HOST_FORMS
from pipedoctor.privacy.log_users import USER_FORMS
from pipedoctor.privacy.name_form import NameForm
from pipedoctor.privacy.place_names import PLACE_HOSTS, PLACE_USERS
from pipedoctor.privacy.system_names import SYSTEM_HOSTS, SYSTEM_USERS
from pipedoctor.privacy.told_names import TOLD_HOSTS, TOLD_USERS

_FORMS: tuple[NameForm, ...] = (
    *(*USER_FORMS, *COMMAND_USERS, *SYSTEM_USERS, *PLACE_USERS, *TOLD_USERS),
    *(*HOST_FORMS, *SYSTEM_HOSTS, *CLOUD_NAMES, *PLACE_HOSTS, *TOLD_HOSTS),
)
_LATE = frozenset(
    number for number, form in enumerate(_FORMS) if any("<" in mark for mark in form.pattern.marks)
)
"""Forms that follow what another has replaced: no mark of theirs need stand in the text before."""
_FREQUENT = " etaoinsrldcmhup./g:0-f12byw3v4ES=5_,k6A9R87TI'N(DC)OPL"
"""Letters and signs of logs, the most frequent first."""
_Marks = tuple[tuple[str, int], ...]


def find_forms(text: str) -> list[NameForm]:
    """
    The forms of which a mark stands in a text, in their order.

    Of some 400 marks only those are looked for of which two letters stand side by side.
    """
    by_pair, short = _index_marks(" " in text)
    pairs = set(map(operator.concat, text, text[1:]))
    found = {number for mark, number in short if mark in text}
    for pair in by_pair.keys() & pairs:
        for mark, number in by_pair[pair]:
            if mark in text:
                found.add(number)
    return [_FORMS[number] for number in sorted(found | _LATE)]


@functools.lru_cache(maxsize=2)
def _index_marks(spaced: bool) -> tuple[dict[str, _Marks], _Marks]:
    """Marks by the rarest pair of their letters, and those of one letter."""
    by_pair: dict[str, list[tuple[str, int]]] = {}
    short: list[tuple[str, int]] = []
    for number, form in enumerate(_FORMS):
        if number in _LATE or not (spaced or form.in_word):
            continue
        for mark in form.pattern.marks:
            if len(mark) == 1:
                short.append((mark, number))
            else:
                pairs = [mark[at : at + 2] for at in range(len(mark) - 1)]
                rarest = max(pairs, key=_rate_rarity)
                by_pair.setdefault(rarest, []).append((mark, number))
    return {pair: tuple(marks) for pair, marks in by_pair.items()}, tuple(short)


def _rate_rarity(pair: str) -> int:
    return sum(_FREQUENT.find(letter) % (len(_FREQUENT) + 1) for letter in pair)
