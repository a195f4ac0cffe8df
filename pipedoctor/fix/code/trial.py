"""Edits are tried in memory: what does not cure, or harms, is left out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipedoctor.engine.runner import CheckFilter
from pipedoctor.fix.code.changed_lines import filter_changed, find_user_place
from pipedoctor.fix.code.judged_source import CodeFinding, CodeWorkspace
from pipedoctor.fix.code.not_offered import list_unedited
from pipedoctor.fix.code.notebook import InexactEditError
from pipedoctor.fix.code.proposal import (
    Proposal,
    RefusedFinding,
    apply_proposals,
    find_file_obstacle,
    list_discouraged,
    list_proposals,
)
from pipedoctor.fix.code.script import has_overlap
from pipedoctor.source.discover.without_gc import pause_gc
from pipedoctor.source.syntax.parse import NotPythonError

MAX_ROUNDS = 6
"""Edits that touch the same text wait for the next round; few ever do."""
FindingKey = tuple[str, str, str]
Refusals = dict[tuple[FindingKey, bytes], str]
"""Why not, for a finding on a line."""


class FindingCounts(NamedTuple):
    """How often each finding is there, and at how many places of a file."""

    keys: Counter[FindingKey]
    places: Counter[tuple[str, str]]

    @classmethod
    def from_findings(cls, findings: Iterable[CodeFinding]) -> "FindingCounts":
        """Count them."""
        tally = cls(Counter(), Counter())
        for one in findings:
            tally.keys[one.identity] += 1
            tally.places[one.identity[:2]] += 1 + len(one.finding.also_at)
        return tally

    def is_new(self, finding: CodeFinding, now: "FindingCounts") -> bool:
        """Is it new? What is left of several places says something else of fewer."""
        more = now.keys[finding.identity] > self.keys[finding.identity]
        place = finding.identity[:2]
        return more and now.places[place] > self.places[place]


@dataclass
class EditOutcome:
    """What will be edited, what will not, and the bytes of the files afterwards."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    applied: list[Proposal] = field(default_factory=list[Proposal])
    refused: list[RefusedFinding] = field(default_factory=list[RefusedFinding])
    needs_unsafe: list[Proposal] = field(default_factory=list[Proposal])
    """What ``--unsafe`` would do besides."""
    uncertain: list[Proposal] = field(default_factory=list[Proposal])
    """Findings that are only possible: edited when the user names them."""
    unedited: list[CodeFinding] = field(default_factory=list[CodeFinding])
    """Findings that have no edit."""
    revealed: list[CodeFinding] = field(default_factory=list[CodeFinding])
    """What was hidden behind the findings that are cured, and shows afterwards."""


def attempt_edits(
    workspace: CodeWorkspace, check_filter: CheckFilter, *, unsafe: bool, explicit: bool
) -> EditOutcome:
    """Try everything that may be done, until nothing more is to be done."""
    with pause_gc():
        return _attempt_rounds(workspace, check_filter, unsafe=unsafe, explicit=explicit)


def _attempt_rounds(
    workspace: CodeWorkspace, check_filter: CheckFilter, *, unsafe: bool, explicit: bool
) -> EditOutcome:
    outcome = EditOutcome()
    before = workspace.judge()
    known = FindingCounts.from_findings(before)
    refused: Refusals = {}
    now = before

    def select_changed(now: Iterable[CodeFinding]) -> list[CodeFinding]:
        wanted = (found for found in now if check_filter(found.check))
        raws = workspace.contents
        return list(
            filter_changed(workspace.changed_lines, wanted, raws, {**raws, **outcome.files})
        )

    for _ in range(MAX_ROUNDS):
        allowed = [
            p
            for p in list_proposals(select_changed(now))
            if (unsafe or not p.remedy.unsafe) and (explicit or p.is_likely)
        ]
        fresh = [p for p in allowed if _identify_line(p.found) not in refused]
        ready = _keep_disjoint(_keep_writable(workspace, fresh, refused))
        if not ready:
            break
        ground = workspace.with_edits(outcome.files)
        trial = EditTrial(ground, known, FindingCounts.from_findings(now), workspace.contents)
        accepted = trial.select_good(ready, refused)
        if not accepted:
            continue
        outcome.files |= apply_proposals(trial.ground, accepted)
        outcome.applied += accepted
        now = workspace.judge(outcome.files)
    counts = FindingCounts.from_findings(now)
    outcome.revealed = [found for found in now if known.is_new(found, counts)]
    _record_remaining(outcome, select_changed(now), refused, unsafe, explicit)
    return outcome


def _record_remaining(
    outcome: EditOutcome,
    remaining: Sequence[CodeFinding],
    refusals: Refusals,
    unsafe: bool,
    explicit: bool,
) -> None:
    """Say what is left, and why."""
    outcome.refused = [
        RefusedFinding(one, refusals[_identify_line(one)])
        for one in remaining
        if _identify_line(one) in refusals
    ]
    if unsafe or explicit:
        outcome.refused += list_discouraged(remaining)
    every = list(list_proposals(remaining))
    outcome.unedited = list_unedited(remaining)
    if not unsafe:
        outcome.needs_unsafe = [p for p in every if p.remedy.unsafe and p.is_likely]
    if not explicit:
        outcome.uncertain = [p for p in every if not p.is_likely]


def _identify_line(finding: CodeFinding) -> tuple[FindingKey, bytes]:
    return finding.identity, finding.line


def _keep_writable(
    workspace: CodeWorkspace, proposals: Sequence[Proposal], refusals: Refusals
) -> list[Proposal]:
    """Those whose files may be touched."""
    free: list[Proposal] = []
    for proposal in proposals:
        whys = [why for path in proposal.files if (why := find_file_obstacle(workspace, path))]
        if whys:
            refusals[_identify_line(proposal.found)] = whys[0]
        else:
            free.append(proposal)
    return free


def _keep_disjoint(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Those that do not touch each other's text, the gravest first."""
    chosen: list[Proposal] = []
    for proposal in proposals:
        if not any(has_overlap(proposal.edits, other.edits) for other in chosen):
            chosen.append(proposal)
    return chosen


@dataclass(frozen=True)
class EditTrial:
    """Judges edits by what the checks say afterwards."""

    ground: CodeWorkspace
    counts_before: FindingCounts
    """Findings before anything was edited."""
    counts_now: FindingCounts
    """Findings before this round."""
    user_contents: Mapping[str, bytes]
    """The files as the user sees them."""

    def select_good(self, proposals: Sequence[Proposal], refusals: Refusals) -> list[Proposal]:
        """Those that cure and harm nothing; parts are tried where the whole fails."""
        start = AcceptedEdits([], self.counts_now)
        kept = self._bisect_good(start, list(proposals), refusals).proposals
        return [one for one in proposals if one in kept]

    def _bisect_good(
        self,
        base: "AcceptedEdits",
        proposals: list[Proposal],
        refusals: Refusals,
    ) -> "AcceptedEdits":
        fault, more = self._judge_edits(base, proposals)
        if not fault.why:
            return more
        if len(proposals) == 1:
            refusals[_identify_line(proposals[0].found)] = fault.why
            return base
        for part in _split_proposals(proposals, fault.path):
            base = self._bisect_good(base, part, refusals)
        return base

    def _judge_edits(
        self, base: "AcceptedEdits", proposals: Sequence[Proposal]
    ) -> "tuple[EditFault, AcceptedEdits]":
        """Why these edits on top of others are not good, and both together if they are."""
        chosen = [*base.proposals, *proposals]
        try:
            new = apply_proposals(self.ground, chosen)
            after = self.ground.judge(new)
        except (InexactEditError, NotPythonError) as error:
            return EditFault(str(error)), base
        fault = find_remaining(self.counts_before, [p.found for p in chosen], after)
        if not fault.why:
            edited = {**self.ground.contents, **new}
            fault = self._find_harm(base.counts, proposals, after, edited)
        return fault, AcceptedEdits(chosen, FindingCounts.from_findings(after))

    def _find_harm(
        self,
        counts_before: FindingCounts,
        proposals: Sequence[Proposal],
        after: Sequence[CodeFinding],
        contents: Mapping[str, bytes],
    ) -> "EditFault":
        """
        A new finding that is graver than what is cured.

        One that is no graver was hidden behind that, and shows now: the code does no worse.
        """
        least = min(proposal.found.finding.severity for proposal in proposals)
        now = FindingCounts.from_findings(after)
        for found in after:
            if counts_before.is_new(found, now) and found.finding.severity > least:
                place = find_user_place(found, self.user_contents, contents)
                return EditFault(
                    f"the edit would cause {found.check.name} at {place}: {found.finding.summary}",
                    found.identity[1],
                )
        return EditFault()


class AcceptedEdits(NamedTuple):
    """Edits that are good together, and how often each finding is there after them."""

    proposals: list[Proposal]
    counts: FindingCounts


class EditFault(NamedTuple):
    """What is wrong after edits, and in which file."""

    why: str = ""
    path: str = ""


def _split_proposals(proposals: list[Proposal], path: str) -> tuple[list[Proposal], list[Proposal]]:
    """The others first, and then those that edit the file with the fault; or halves."""
    near = [one for one in proposals if path in one.files]
    if near and len(near) < len(proposals):
        return [one for one in proposals if one not in near], near
    half = len(proposals) // 2
    return proposals[:half], proposals[half:]


def find_remaining(
    counts_before: FindingCounts,
    cured: Sequence[CodeFinding],
    after: Sequence[CodeFinding],
) -> EditFault:
    """A finding that an edit should cure and that is still there."""
    now = FindingCounts.from_findings(after)
    for found in cured:
        if now.keys[found.identity] >= max(1, counts_before.keys[found.identity]):
            return EditFault("the edit would not fix it", found.identity[1])
    return EditFault()
