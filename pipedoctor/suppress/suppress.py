"""Everything that leaves findings in code out, in its order."""

from collections.abc import Callable, Sequence

import msgspec

from pipedoctor.check import Verdict
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.runner import CheckFilter
from pipedoctor.facts import Facts
from pipedoctor.facts.silenced import Silenced
from pipedoctor.suppress.baseline import Baseline, apply_baseline
from pipedoctor.suppress.comments import apply_comments, report_unused
from pipedoctor.suppress.per_file import FileIgnore, ignore_per_file
from pipedoctor.suppress.places import LineNumbers, drop_places, make_unchanged_filter


class ChangedLines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that differ from a revision, by file as it is shown; absent: none."""

    since: str
    files: dict[str, LineNumbers]

    @property
    def skip_reason(self) -> str:
        """Why a finding on another line is left out."""
        return f"not on lines changed since {self.since}"


class FindingFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which findings in code count."""

    rules: tuple[FileIgnore, ...] = ()
    baseline: Baseline | None = None
    changed_lines: ChangedLines | None = None


def filter_findings(
    catalogue: Catalogue,
    facts: Facts,
    verdicts: Sequence[Verdict],
    finding_filter: FindingFilter,
    *,
    check_filter: CheckFilter,
    redact: Callable[[str], str],
) -> list[Verdict]:
    """
    Comments in code, then files, then the baseline, then what did not change.

    What silences nothing is told in between: it may itself be ignored or unchanged.
    """
    left, unused = apply_comments(catalogue, facts, verdicts)
    left = [ignore_per_file(verdict, finding_filter.rules, redact) for verdict in left]
    silenced = Silenced(unused=unused)
    if finding_filter.baseline is not None:
        left, stale = apply_baseline(finding_filter.baseline, left, facts, redact)
        silenced = Silenced(unused=unused, stale=stale)
    left = report_unused(catalogue, facts, left, silenced, check_filter)
    left = [ignore_per_file(verdict, finding_filter.rules, redact) for verdict in left]
    if finding_filter.changed_lines is None:
        return left
    return _keep_changed_lines(left, finding_filter.changed_lines, redact)


def _keep_changed_lines(
    verdicts: Sequence[Verdict], changed_lines: ChangedLines, redact: Callable[[str], str]
) -> list[Verdict]:
    old = make_unchanged_filter(
        {redact(path): found for path, found in changed_lines.files.items()}
    )
    return [drop_places(verdict, old, changed_lines.skip_reason) for verdict in verdicts]
