"""Findings that are gone once another one is remedied: they are its consequences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipedoctor.check import Finding, Remedy, Verdict
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.effects import predict_facts
from pipedoctor.engine.effects.settings import read_settings
from pipedoctor.engine.runner import run_checks
from pipedoctor.facts import Facts

_FOLDERS_OF_PYTHON = frozenset(("PYTHONPATH", "PYTHONNOUSERSITE"))


def find_consequences(
    catalogue: Catalogue,
    facts: Facts,
    verdicts: Sequence[Verdict],
    settings: Mapping[str, Mapping[str, Any]],
) -> dict[str, str]:
    """
    By the code of a check, that of the cause whose remedy leaves it without a finding.

    Causes are what takes something away that should not be there: a folder of Python's
    path, or files. A remedy that makes room cures much, and is the cause of nothing.
    """
    found: dict[str, str] = {}
    causes = dict(_list_causes(facts, verdicts))
    others = {v.code for v in verdicts if v.findings} - causes.keys()
    for cause, after in causes.items():
        judged = run_checks(
            catalogue, after, check_filter=lambda check: check.code in others, settings=settings
        )
        gone = (v.code for v in judged if v.code in others and not (v.findings or v.skipped))
        found = dict.fromkeys(gone, cause) | found
    return found


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
