"""Edits are tried in memory: what does not cure, or harms, is left out."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipedoctor.fix.code.ground import Found, Ground
from pipedoctor.fix.code.notebook import NotKept
from pipedoctor.fix.code.proposal import (
    Proposal,
    Turned,
    changes,
    kept,
    obstacle,
    proposals,
)
from pipedoctor.fix.code.script import overlaps
from pipedoctor.fix.code.since import since
from pipedoctor.judge import Chosen
from pipedoctor.source.parse import NotPythonError
from pipedoctor.source.uncollected import uncollected

ROUNDS = 6
"""Edits that touch the same text wait for the next round; few ever do."""
Key = tuple[str, str, str]
Refusals = dict[tuple[Key, bytes], str]
"""Why not, for a finding on a line."""


class Tally(NamedTuple):
    """How often each finding is there, and at how many places of a file."""

    keys: Counter[Key]
    places: Counter[tuple[str, str]]

    @classmethod
    def of(cls, found: Iterable[Found]) -> "Tally":
        """Count them."""
        tally = cls(Counter(), Counter())
        for one in found:
            tally.keys[one.key] += 1
            tally.places[one.key[:2]] += 1 + len(one.finding.also_at)
        return tally

    def lacks(self, found: Found, now: "Tally") -> bool:
        """Is it new? What is left of several places says something else of fewer."""
        more = now.keys[found.key] > self.keys[found.key]
        place = found.key[:2]
        return more and now.places[place] > self.places[place]


@dataclass
class Outcome:
    """What will be edited, what will not, and the bytes of the files afterwards."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    done: list[Proposal] = field(default_factory=list[Proposal])
    turned: list[Turned] = field(default_factory=list[Turned])
    bolder: list[Proposal] = field(default_factory=list[Proposal])
    """What ``--unsafe`` would do besides."""
    doubtful: list[Proposal] = field(default_factory=list[Proposal])
    """Findings that are only possible: edited when the user names them."""


def attempt(ground: Ground, chosen: Chosen, *, unsafe: bool, explicit: bool) -> Outcome:
    """Try everything that may be done, until nothing more is to be done."""
    with uncollected():
        return _attempt(ground, chosen, unsafe=unsafe, explicit=explicit)


def _attempt(
    ground: Ground, chosen: Chosen, *, unsafe: bool, explicit: bool
) -> Outcome:
    outcome = Outcome()
    before = ground.judge()
    known = Tally.of(before)
    refused: Refusals = {}
    now = before

    def mine(now: Iterable[Found]) -> list[Found]:
        wanted = (found for found in now if chosen(found.check))
        raws = ground.raws
        return list(since(ground.changed, wanted, raws, {**raws, **outcome.files}))

    for _ in range(ROUNDS):
        allowed = [
            p
            for p in proposals(mine(now))
            if (unsafe or not p.remedy.unsafe) and (explicit or p.likely)
        ]
        fresh = [p for p in allowed if _known(p.found) not in refused]
        ready = _apart(_permitted(ground, fresh, refused))
        if not ready:
            break
        trial = Trial(ground.edited(outcome.files), known)
        accepted = trial.keep(ready, refused)
        if not accepted:
            continue
        outcome.files |= changes(trial.ground, accepted)
        outcome.done += accepted
        now = ground.judge(outcome.files)
    _conclude(outcome, mine(now), refused, unsafe, explicit)
    return outcome


def _conclude(
    outcome: Outcome,
    left: Sequence[Found],
    refused: Refusals,
    unsafe: bool,
    explicit: bool,
) -> None:
    """Say what is left, and why."""
    outcome.turned = [
        Turned(one, refused[_known(one)]) for one in left if _known(one) in refused
    ]
    if unsafe or explicit:
        outcome.turned += kept(left)
    every = list(proposals(left))
    if not unsafe:
        outcome.bolder = [p for p in every if p.remedy.unsafe and p.likely]
    if not explicit:
        outcome.doubtful = [p for p in every if not p.likely]


def _known(found: Found) -> tuple[Key, bytes]:
    return found.key, found.line


def _permitted(
    ground: Ground, wanted: Sequence[Proposal], refused: Refusals
) -> list[Proposal]:
    """Those whose files may be touched."""
    free: list[Proposal] = []
    for proposal in wanted:
        whys = [why for path in proposal.files if (why := obstacle(ground, path))]
        if whys:
            refused[_known(proposal.found)] = whys[0]
        else:
            free.append(proposal)
    return free


def _apart(wanted: Sequence[Proposal]) -> list[Proposal]:
    """Those that do not touch each other's text, the gravest first."""
    chosen: list[Proposal] = []
    for proposal in wanted:
        if not any(overlaps(proposal.edits, other.edits) for other in chosen):
            chosen.append(proposal)
    return chosen


@dataclass(frozen=True)
class Trial:
    """Judges edits by what the checks say afterwards."""

    ground: Ground
    known: Tally
    """Findings before anything was edited."""

    def keep(self, wanted: Sequence[Proposal], refused: Refusals) -> list[Proposal]:
        """Those that cure and harm nothing; parts are tried where the whole fails."""
        kept = self._keep([], list(wanted), refused)
        return [one for one in wanted if one in kept]

    def _keep(
        self,
        base: list[Proposal],
        wanted: list[Proposal],
        refused: Refusals,
    ) -> list[Proposal]:
        fault = self.fault([*base, *wanted])
        if not fault.why:
            return [*base, *wanted]
        if len(wanted) == 1:
            refused[_known(wanted[0].found)] = fault.why
            return base
        for part in _parts(wanted, fault.path):
            base = self._keep(base, part, refused)
        return base

    def fault(self, chosen: Sequence[Proposal]) -> "Fault":
        """Why these edits together are not good; empty: they are."""
        try:
            new = changes(self.ground, chosen)
            after = self.ground.judge(new)
        except (NotKept, NotPythonError) as error:
            return Fault(str(error))
        return fault(self.known, [p.found for p in chosen], after)


class Fault(NamedTuple):
    """What is wrong after edits, and in which file."""

    why: str = ""
    path: str = ""


def _parts(wanted: list[Proposal], path: str) -> tuple[list[Proposal], list[Proposal]]:
    """The others first, and then those that edit the file with the fault; or halves."""
    near = [one for one in wanted if path in one.files]
    if near and len(near) < len(wanted):
        return [one for one in wanted if one not in near], near
    half = len(wanted) // 2
    return wanted[:half], wanted[half:]


def fault(known: Tally, cured: Sequence[Found], after: Sequence[Found]) -> Fault:
    """What is wrong after an edit: a finding that stays, or one that is new."""
    now = Tally.of(after)
    for found in cured:
        if now.keys[found.key] >= max(1, known.keys[found.key]):
            return Fault("the edit would not cure it", found.key[1])
    for found in after:
        if known.lacks(found, now):
            return Fault(
                f"the edit would bring {found.check.name} at {found.place}:"
                f" {found.finding.summary}",
                found.key[1],
            )
    return Fault()
