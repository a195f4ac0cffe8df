"""What the user asks for, and what that comes to on this machine right now."""

import resource
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pipedoctor.check import Check, Severity
from pipedoctor.collect.sections import read_sections
from pipedoctor.facts import Pipeline, Site
from pipedoctor.fix.engine.engine import GarbageLookup, Proof
from pipedoctor.fix.limits import nofile, proof, shm_size
from pipedoctor.fix.limits.size_argument import SizeArgument
from pipedoctor.fix.plan.plan import (
    CommandStep,
    FixPlan,
    FixRefusedError,
    NoChangeNeeded,
)
from pipedoctor.fix.request import named_checks
from pipedoctor.fix.request.named_checks import Examination


@dataclass(frozen=True, kw_only=True)
class PlannedFixes:
    """What there is to do, what is done already, and what is refused."""

    plans: tuple[FixPlan, ...] = ()
    unneeded: tuple[NoChangeNeeded, ...] = ()
    refused: tuple[FixRefusedError, ...] = ()

    def may_follow(self, now: "PlannedFixes") -> bool:
        """
        May these plans, which were shown, be done on the machine of `now`?

        Only where all of them start alike: a count that went on changing may ask for
        another value by now, but the value that was shown is the one that is set.
        """
        starts = zip(self.plans, now.plans, strict=False)
        return len(self.plans) == len(now.plans) and all(a.starts_like(b) for a, b in starts)


@dataclass(frozen=True, kw_only=True)
class FixRequest:
    """One call of `pipedoctor fix`, read and understood."""

    examination: Examination
    shm: SizeArgument | None = None
    nofile: int | None = None
    checks: tuple[Check[Any], ...] = ()
    pid: int | None = None
    lasting: bool = False
    force: bool = False

    def make_plans(self) -> PlannedFixes:
        """
        Look at the machine and plan; raises Refused for what was asked by number.

        A named illness that cannot be cured from here does not stop the others.
        """
        found: list[FixPlan | NoChangeNeeded] = list(self._plan_limits())
        refused: list[FixRefusedError] = []
        facts = self.examination.collect_facts() if self.checks else None
        verdicts = {v.code: v for v in self.examination.judge_facts(facts)} if facts else {}
        texts: dict[str, bytes] = {}
        for check in self.checks:
            assert facts is not None  # noqa: S101  (there are checks)
            try:
                found.append(
                    named_checks.plan_check(
                        check,
                        facts,
                        verdicts[check.code],
                        texts,
                        lasting=self.lasting,
                        force=self.force,
                    )
                )
            except FixRefusedError as why:
                refused.append(why)
        plans = tuple(p for p in found if isinstance(p, FixPlan))
        _refuse_conflicts(plans)
        return PlannedFixes(
            plans=plans,
            unneeded=tuple(s for s in found if isinstance(s, NoChangeNeeded)),
            refused=tuple(refused),
        )

    def _plan_limits(self) -> Iterator[FixPlan | NoChangeNeeded]:
        if self.shm is not None:
            shm_size.refuse_other_mounts(self.pid, self.shm)
            facts = read_sections(self.examination.inquiry.machine, *shm_size.SECTIONS)
            size = self.shm.resolve_bytes(facts)
            yield shm_size.plan_size(facts, size, lasting=self.lasting, force=self.force)
        if self.nofile is not None:
            yield from self._plan_descriptors(self.nofile)

    def _plan_descriptors(self, count: int) -> Iterator[FixPlan | NoChangeNeeded]:
        soft, hard = map(nofile.normalise_limit, resource.getrlimit(resource.RLIMIT_NOFILE))
        site = read_sections(self.examination.inquiry.machine, "site").get(Site)
        if self.pid is not None:
            yield nofile.plan_process_limit(count, self.pid)
        if self.lasting:
            yield nofile.plan_login_limit(count, hard, site)
        elif self.pid is None:
            yield nofile.plan_shell_limit(count, soft, hard, site)

    def with_pipeline(self, pipeline: Pipeline | None, reasons: Mapping[str, str]) -> "FixRequest":
        """The same, judged beside this pipeline, or beside why there is none."""
        return replace(self, examination=self.examination.with_pipeline(pipeline, reasons))

    def make_proof(self, plan: FixPlan) -> Proof:
        """
        How to prove what this plan promises.

        A pipeline that was measured before the change says nothing of it.
        """
        check = self.examination.catalogue.checks.get(plan.check)
        running = check is not None and named_checks.needs_running_loader(check)
        if plan.check and not running:
            return lambda: self.examination.explain_unresolved(plan.check, plan.manual)
        return lambda: proof.verify_values(plan)

    def order_causes_first(self, plans: tuple[FixPlan, ...]) -> list[FixPlan]:
        """The same plans; what explains another comes before it."""
        checks = self.examination.catalogue.checks
        waiting, ordered = list(plans), list[FixPlan]()
        while waiting:
            codes = {plan.check for plan in waiting}
            ready = (p for p in waiting if not p.check or codes.isdisjoint(checks[p.check].after))
            waiting.remove(chosen := next(ready, waiting[0]))
            ordered.append(chosen)
        return ordered

    def is_cured(self, plan: FixPlan) -> bool:
        """Is its finding gone by now, without it?"""
        if not plan.check:
            return False
        verdicts = self.examination.collect_verdicts(plan.check)
        return all(not verdict.skipped and not verdict.findings for verdict in verdicts)

    def make_garbage_lookup(self, plan: FixPlan) -> GarbageLookup:
        """How to look for the garbage of this plan again."""
        return lambda: self.examination.find_garbage(plan.check)

    def prepare_recovery(self, code: str) -> tuple[GarbageLookup, Proof]:
        """The same for a fix of another day, of which only the check is known."""
        examination = self.examination
        return (
            lambda: examination.find_garbage(code),
            lambda: examination.explain_unresolved(code, len(examination.collect_findings(code))),
        )

    def list_remaining_findings(self) -> list[str]:
        """What the machine suffers from besides, a line each; notes are left out."""
        catalogue = self.examination.catalogue
        return [
            f"{catalogue.checks[verdict.code].name}: {finding.summary}"
            for verdict in self.examination.collect_verdicts()
            if verdict.code not in self.examination.policy.accepted
            for finding in verdict.findings
            if finding.severity > Severity.NOTE
        ]


def _refuse_conflicts(plans: tuple[FixPlan, ...]) -> None:
    """Refuse two plans that set the same value: each would undo the other."""
    gauges = [s.gauge for p in plans for s in p.steps if isinstance(s, CommandStep) and s.gauge]
    for gauge in gauges:
        if gauges.count(gauge) > 1:
            message = f"two of these set {gauge.subject}: fix them one after the other"
            raise FixRefusedError(message)
