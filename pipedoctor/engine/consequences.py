"""Findings that are gone once another one is remedied: they are its consequences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pipedoctor.check import Finding, Remedy, Verdict
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.effects import predict_facts
from pipedoctor.engine.effects.settings import read_settings
from pipedoctor.engine.runner import run_checks
from pipedoctor.facts import Facts, Interpreter

_FOLDERS_OF_PYTHON = frozenset(("PYTHONPATH", "PYTHONNOUSERSITE"))


class Consequences(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of other findings once one of them is remedied."""

    gone: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """By the code of a check, that of the cause whose remedy leaves it without a finding."""
    staying: frozenset[tuple[str, str]] = frozenset()
    """Checks that still find something after the remedy of a cause: each with that cause."""

    def choose_causes(self, code: str, causes: Iterable[str]) -> tuple[str, ...]:
        """Its causes: those that its check names, `causes`, unless it stays without them."""
        named = (one for one in causes if (code, one) not in self.staying)
        return (*named, *filter(None, [self.gone.get(code)]))


def find_consequences(
    catalogue: Catalogue,
    facts: Facts,
    verdicts: Sequence[Verdict],
    settings: Mapping[str, Mapping[str, Any]],
) -> Consequences:
    """
    Ask the other checks again as if a cause were remedied.

    Causes are what takes something away that should not be there: a folder of Python's
    path, or files. A remedy that makes room cures much, and is the cause of nothing.
    What imports and libraries do without a folder nobody can compute: only without files
    is it known what stays.
    """
    found: dict[str, str] = {}
    staying: set[tuple[str, str]] = set()
    causes = dict(_list_causes(facts, verdicts))
    others = {v.code for v in verdicts if v.findings} - causes.keys()
    for cause, after in causes.items():
        judged = run_checks(
            catalogue, after, check_filter=lambda check: check.code in others, settings=settings
        )
        if after.get(Interpreter) == facts.get(Interpreter):
            staying |= {(v.code, cause) for v in judged if v.findings}
        gone = (v.code for v in judged if v.code in others and not (v.findings or v.skipped))
        found = dict.fromkeys(gone, cause) | found
    return Consequences(gone=found, staying=frozenset(staying))


def _list_causes(facts: Facts, verdicts: Sequence[Verdict]) -> Iterator[tuple[str, Facts]]:
    """Each with the facts as they are after its first remedy."""
    for verdict in verdicts:
        remedies = [_get_removal(finding) for finding in verdict.findings]
        if remedies and remedies[0] is not None:
            after = predict_facts(facts, remedies[0])
            if after is not None:
                yield verdict.code, after


def _get_removal(finding: Finding) -> Remedy | None:
    """Its first remedy, if that takes something away."""
    first = next(iter(finding.remedies), None)
    if first is None:
        return None
    settings = read_settings(first)
    return first if settings.removed or _FOLDERS_OF_PYTHON & settings.variables.keys() else None
