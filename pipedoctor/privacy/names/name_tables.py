"""The tables of all places of names, and which of them a text may have."""

import functools
from collections.abc import Mapping

from pipedoctor.privacy import patterns
from pipedoctor.privacy.mark_index import MarkIndex
from pipedoctor.privacy.marked_lines import MatchReplacer
from pipedoctor.privacy.names.account_names import ACCOUNT_HOSTS, ACCOUNT_USERS
from pipedoctor.privacy.names.cloud_names import CLOUD_NAMES
from pipedoctor.privacy.names.command_users import COMMAND_USERS
from pipedoctor.privacy.names.home_folders import NESTED_HOMES
from pipedoctor.privacy.names.log_hosts import HOST_FORMS
from pipedoctor.privacy.names.log_users import USER_FORMS
from pipedoctor.privacy.names.name_form import MAN, NameForm
from pipedoctor.privacy.names.place_names import PLACE_HOSTS, PLACE_USERS
from pipedoctor.privacy.names.project_names import PROJECT_NAMES
from pipedoctor.privacy.names.shell_names import SHELL_HOSTS, SHELL_USERS
from pipedoctor.privacy.names.spoken_names import SPOKEN_HOSTS, SPOKEN_USERS
from pipedoctor.privacy.names.system_names import SYSTEM_HOSTS, SYSTEM_USERS
from pipedoctor.privacy.names.told_hosts import TOLD_HOSTS
from pipedoctor.privacy.names.told_users import TOLD_USERS
from pipedoctor.privacy.names.tool_names import TOOL_HOSTS, TOOL_USERS

_NCCL = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-debug"
_FORMS: tuple[NameForm, ...] = (
    NameForm("host", patterns.JOB_HOST, "https://slurm.schedmd.com/srun.html", in_word=True),
    NameForm("host", patterns.NCCL_HOST, _NCCL, in_word=True),
    NameForm("uuid", patterns.VOLUME, f"{MAN}/man8/blkid.8.html", in_word=True),
    NameForm("serial", patterns.SERIAL, f"{MAN}/man8/lsblk.8.html", in_word=True),
    NameForm("mac", patterns.NAMED_MAC, f"{MAN}/man8/ip-link.8.html", in_word=True),
    *(
        *NESTED_HOMES,
        *USER_FORMS,
        *COMMAND_USERS,
        *SYSTEM_USERS,
        *PLACE_USERS,
        *TOLD_USERS,
        *ACCOUNT_USERS,
        *SPOKEN_USERS,
        *SHELL_USERS,
        *TOOL_USERS,
    ),
    *(
        *HOST_FORMS,
        *SYSTEM_HOSTS,
        *CLOUD_NAMES,
        *PLACE_HOSTS,
        *TOLD_HOSTS,
        *ACCOUNT_HOSTS,
        *SPOKEN_HOSTS,
        *SHELL_HOSTS,
        *TOOL_HOSTS,
        *PROJECT_NAMES,
    ),
)
_LATE = frozenset(
    number for number, form in enumerate(_FORMS) if any("<" in mark for mark in form.pattern.marks)
)
"""Forms that follow what another has replaced: no mark of theirs need stand in the text before."""


def replace_names(text: str, replacers: Mapping[str, MatchReplacer]) -> str:
    """The text without the names of which a mark stands in it; a replacer for each kind."""
    found = _index_marks(" " in text).find_rows(text)
    if not found and "<" not in text:
        return text
    done = -1
    if "<" not in text:  # nothing is replaced yet, in most texts nothing ever is
        for number in sorted(found):
            done, form = number, _FORMS[number]
            text = form.pattern.replace_matches(replacers[form.kind], text)
            if "<" in text:
                break
        else:
            return text
    for number in sorted(found | _LATE):
        if number > done:
            form = _FORMS[number]
            text = form.pattern.replace_matches(replacers[form.kind], text)
    return text


@functools.lru_cache(maxsize=2)
def _index_marks(spaced: bool) -> MarkIndex:
    return MarkIndex(
        (number, form.pattern.marks)
        for number, form in enumerate(_FORMS)
        if number not in _LATE and (spaced or form.in_word)
    )
