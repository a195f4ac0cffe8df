"""Before anything else: does every path answer that a fix will touch?"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pipedoctor.collect.dead_paths import describe_dead_path, find_dead_paths
from pipedoctor.collect.named_folders import PathRequest
from pipedoctor.facts import Facts, PathFact, Paths, UnreadableError
from pipedoctor.fix.journal import journals
from pipedoctor.fix.plan.plan import FixRefusedError
from pipedoctor.runtime import files

if TYPE_CHECKING:
    from pipedoctor.runtime.probe import Announce

_JOURNAL_TIMEOUT = 3.0
_CODE_ROLES = frozenset({"code"})


def refuse_dead_paths(paths: Sequence[PathRequest]) -> None:
    """Raise FixRefusedError where one of them, or the journal, does not answer."""
    for fact in find_dead_paths(paths):
        raise FixRefusedError(describe_dead_path(fact))
    try:
        files.run_with_timeout("the journal", _read_journals, timeout=_JOURNAL_TIMEOUT)
    except files.FileTimeoutError as error:
        message = f"the journal of fixes does not answer: {error}"
        raise FixRefusedError(message) from None
    except UnreadableError:
        return  # it answered: what is wrong with it is said where it is read


def list_dead_paths(facts: Facts) -> Iterable[PathFact]:
    """List the paths that hung while these facts were collected."""
    paths = facts.get(Paths)
    return [entry for entry in paths.entries if entry.hang] if paths else []


def refuse_dead_code(facts: Facts) -> None:
    """Raise FixRefusedError where code that is to be edited does not answer."""
    for fact in list_dead_paths(facts):
        if fact.role in _CODE_ROLES:
            raise FixRefusedError(describe_dead_path(fact))


def _read_journals(announce: "Announce") -> bool:
    """Touch all that a fix reads of the journals, in a child that can be abandoned."""
    announce("opening the journal")
    for book in journals.list_journals():
        announce("reading the journal")
        book.read_entries()
    return True
