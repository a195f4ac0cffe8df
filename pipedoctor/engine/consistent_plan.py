"""One plan for a whole report: no remedy undoes what an earlier one has done."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from pipedoctor.check import Remedy
from pipedoctor.check.remedy_steps import as_step, is_step, take_first_way
from pipedoctor.engine.effects.settings import read_settings
from pipedoctor.engine.triage import RankedFinding
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.units import format_count

_TORCH_FAMILY = frozenset(("torch", "torchvision", "torchaudio"))
"""Packages of one index: a build for one CUDA, in versions that belong together."""
_REQUIREMENT = compile_lazily(r"([A-Za-z0-9][\w.-]*?)(?:\[\w+\])?==\S+")
_WORKERS = compile_lazily(r"(?<=DataLoader\(\.\.\., )num_workers=(\d+)(?=[,)])")
_ALTERNATIVELY = compile_lazily(r"Alternatively,? (\w)")
_NO_WORKERS = "Load in the main process"

Decisions = Mapping[str, tuple[str, Remedy]]
"""By what is settled: its value, and the remedy that settled it."""


def make_consistent(findings: Iterable[RankedFinding]) -> list[RankedFinding]:
    """
    The same findings; the first remedy of each holds for all that come after it.

    Packages of torch's family are installed by one command, and a variable has one
    value. A remedy that contradicts is left out; where it was the only one, or a step
    of several, the earlier remedy stands in its place. All remedies start the fewest
    workers that the first of any finding asks for: more would undo that one.
    """
    decided: dict[str, tuple[str, Remedy]] = {}
    result: list[RankedFinding] = []
    for item in _limit_workers([*findings]):
        remedies = _word_first(tuple(_fit_into_plan(item.finding.remedies, decided)))
        if remedies != item.finding.remedies:
            item = replace(item, finding=replace(item.finding, remedies=remedies))  # noqa: PLW2901
        result.append(item)
        for remedy in take_first_way(remedies):
            for subject, value in _list_decisions(remedy):
                decided.setdefault(subject, (value, remedy))
    return result


def _limit_workers(findings: list[RankedFinding]) -> Iterator[RankedFinding]:
    first = (one for item in findings for one in take_first_way(item.finding.remedies))
    asked = [int(number) for one in first for number in _WORKERS.findall(one.snippet)]
    least = min(asked, default=None)
    for item in findings:
        if least is None:
            yield item
            continue
        remedies = tuple(_start_fewer(one, least) for one in item.finding.remedies)
        yield replace(item, finding=replace(item.finding, remedies=remedies))


def _start_fewer(remedy: Remedy, least: int) -> Remedy:
    def limit(match: re.Match[str]) -> str:
        return f"num_workers={min(int(match[1]), least)}"

    snippet = remedy.snippet if remedy.edits else _WORKERS.sub(limit, remedy.snippet)
    if snippet == remedy.snippet:
        return remedy
    title = f"Start {format_count(least, 'worker')} in each loader" if least else _NO_WORKERS
    fewer = replace(remedy, title=f"{title}: another finding allows no more", snippet=snippet)
    return as_step(fewer) if is_step(remedy) else fewer


def _fit_into_plan(remedies: tuple[Remedy, ...], decisions: Decisions) -> Iterator[Remedy]:
    against = [_find_contradicted(remedy, decisions) for remedy in remedies]
    alone = all(against)
    given: set[Remedy] = set()
    for remedy, earlier in zip(remedies, against, strict=True):
        step = is_step(remedy)
        if earlier is None:
            yield remedy
        elif (alone or step) and earlier not in given:
            given.add(earlier)
            yield as_step(earlier) if step else earlier


def _word_first(remedies: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
    """The first of those that are left is no alternative to one that was left out."""
    if not remedies or not (match := _ALTERNATIVELY.match(remedies[0].title)):
        return remedies
    title = match[1].upper() + remedies[0].title[match.end() :]
    return (replace(remedies[0], title=title), *remedies[1:])


def _find_contradicted(remedy: Remedy, decisions: Decisions) -> Remedy | None:
    """The remedy of an earlier finding that this one would undo."""
    for subject, value in _list_decisions(remedy):
        if subject in decisions and decisions[subject][0] != value:
            return decisions[subject][1]
    return None


def _list_decisions(remedy: Remedy) -> Iterator[tuple[str, str]]:
    """What it settles: variables, and the build of torch."""
    for name, value in read_settings(remedy).variables.items():
        yield f"${name}", value
    matches = map(_REQUIREMENT.fullmatch, remedy.argv if "install" in remedy.argv else ())
    if _TORCH_FAMILY.intersection(match[1].lower() for match in matches if match):
        yield "torch", remedy.shell
