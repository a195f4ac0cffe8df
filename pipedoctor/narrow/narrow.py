"""Everything that leaves findings in code out, in its order."""

from collections.abc import Callable, Sequence

import msgspec

from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Verdict
from pipedoctor.facts import Facts
from pipedoctor.facts.silenced import Silenced
from pipedoctor.judge import Chosen
from pipedoctor.narrow.baseline import Baseline, settle
from pipedoctor.narrow.perfile import FileIgnore, ignore
from pipedoctor.narrow.places import Lines, thin, unchanged
from pipedoctor.silence import report_unused, silence


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that differ from a revision, by file as it is shown; absent: none."""

    since: str
    files: dict[str, Lines]

    @property
    def why(self) -> str:
        """Why a finding on another line is left out."""
        return f"not on lines changed since {self.since}"


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
    old = unchanged({redact(path): found for path, found in changed.files.items()})
    return [thin(verdict, old, changed.why) for verdict in verdicts]
