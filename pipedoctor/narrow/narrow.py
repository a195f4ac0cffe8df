"""Everything that leaves findings in code out, in its order."""

from collections.abc import Callable, Sequence

import msgspec

from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Location, Verdict
from pipedoctor.facts import Facts
from pipedoctor.facts.silenced import Silenced
from pipedoctor.judge import Chosen
from pipedoctor.narrow.baseline import Baseline, settle
from pipedoctor.narrow.perfile import FileIgnore, ignore
from pipedoctor.narrow.places import thin
from pipedoctor.report.places import file_of
from pipedoctor.silence import report_unused, silence

Lines = frozenset[int] | None
"""Numbers of lines; None: all there are."""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that differ from a revision, by file as it is shown; absent: none."""

    since: str
    files: dict[str, Lines]


class Narrowing(msgspec.Struct, frozen=True, kw_only=True):
    """Which findings in code count."""

    rules: tuple[FileIgnore, ...] = ()
    baseline: Baseline | None = None
    changed: Changed | None = None


def narrow(
    catalogue: Catalogue,
    facts: Facts,
    verdicts: Sequence[Verdict],
    narrowing: Narrowing,
    *,
    chosen: Chosen,
    redact: Callable[[str], str],
) -> list[Verdict]:
    """
    Comments in code, then files, then the baseline, then what did not change.

    What silences nothing is told in between: it may itself be ignored or unchanged.
    """
    left, unused = silence(catalogue, facts, verdicts)
    left = [ignore(verdict, narrowing.rules, redact) for verdict in left]
    silenced = Silenced(unused=unused)
    if narrowing.baseline is not None:
        left, stale = settle(narrowing.baseline, left, facts, redact)
        silenced = Silenced(unused=unused, stale=stale)
    left = report_unused(catalogue, facts, left, silenced, chosen)
    left = [ignore(verdict, narrowing.rules, redact) for verdict in left]
    if narrowing.changed is None:
        return left
    return _only_changed(left, narrowing.changed, redact)


def _only_changed(
    verdicts: Sequence[Verdict], changed: Changed, redact: Callable[[str], str]
) -> list[Verdict]:
    lines = {redact(path): numbers for path, numbers in changed.files.items()}

    def old(place: Location) -> bool:
        numbers = lines.get(file_of(place), frozenset())
        if numbers is None or (numbers and file_of(place) != place.path):
            return False  # lines of a notebook's file are not those of its cells
        last = place.end_line or place.line
        return not any(place.line <= number <= last for number in numbers)

    why = f"not on lines changed since {changed.since}"
    return [thin(verdict, old, why) for verdict in verdicts]
