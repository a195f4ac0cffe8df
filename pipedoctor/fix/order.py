"""What the user asks for, and what that comes to on this machine right now."""

import resource
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pipedoctor.check import Check, Severity
from pipedoctor.facts import Pipeline, Site
from pipedoctor.fix import named, nofile, proof, resize
from pipedoctor.fix.engine import Garbage, Proof
from pipedoctor.fix.look import look
from pipedoctor.fix.named import Examination
from pipedoctor.fix.plan import Plan, Refused, Run, Settled
from pipedoctor.fix.sizes import Asked


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What there is to do, what is done already, and what is refused."""

    plans: tuple[Plan, ...] = ()
    settled: tuple[Settled, ...] = ()
    refused: tuple[Refused, ...] = ()

    def same_work(self, other: "Outlook") -> bool:
        """Would both do the same? What was shown is what may be done."""
        return [p.steps for p in self.plans] == [p.steps for p in other.plans]


@dataclass(frozen=True, kw_only=True)
class Order:
    """One call of `pipedoctor fix`, read and understood."""

    examination: Examination
    shm: Asked | None = None
    nofile: int | None = None
    checks: tuple[Check[Any], ...] = ()
    pid: int | None = None
    lasting: bool = False
    force: bool = False

    def outlook(self) -> Outlook:
        """
        Look at the machine and plan; raises Refused for what was asked by number.

        A named illness that cannot be cured from here does not stop the others.
        """
        found: list[Plan | Settled] = list(self._numbers())
        refused: list[Refused] = []
        facts = self.examination.facts() if self.checks else None
        verdicts = {v.code: v for v in self.examination.judge(facts)} if facts else {}
        texts: dict[str, bytes] = {}
        for check in self.checks:
            assert facts is not None  # noqa: S101  (there are checks)
            try:
                found.append(
                    named.plan(
                        check,
                        facts,
                        verdicts[check.code],
                        texts,
                        lasting=self.lasting,
                        force=self.force,
                    )
                )
            except Refused as why:
                refused.append(why)
        plans = tuple(p for p in found if isinstance(p, Plan))
        _refuse_rivals(plans)
        return Outlook(
            plans=plans,
            settled=tuple(s for s in found if isinstance(s, Settled)),
            refused=tuple(refused),
        )

    def _numbers(self) -> Iterator[Plan | Settled]:
        if self.shm is not None:
            resize.refuse_other_mounts(self.pid, self.shm)
            facts = look(self.examination.inquiry.machine, *resize.SECTIONS)
            size = self.shm.bytes(facts)
            yield resize.plan(facts, size, lasting=self.lasting, force=self.force)
        if self.nofile is not None:
            yield from self._descriptors(self.nofile)

    def _descriptors(self, count: int) -> Iterator[Plan | Settled]:
        soft, hard = map(nofile.limit, resource.getrlimit(resource.RLIMIT_NOFILE))
        site = look(self.examination.inquiry.machine, "site").get(Site)
        if self.pid is not None:
            yield nofile.for_process(count, self.pid)
        if self.lasting:
            yield nofile.for_good(count, hard, site)
        elif self.pid is None:
            yield nofile.for_shell(count, soft, hard, site)

    def knowing(self, seen: Pipeline | None, unmeasured: Mapping[str, str]) -> "Order":
        """The same, judged beside this pipeline, or beside why there is none."""
        return replace(self, examination=self.examination.knowing(seen, unmeasured))

    def proof(self, plan: Plan) -> Proof:
        """
        How to prove what this plan promises.

        A pipeline that was measured before the change says nothing of it.
        """
        check = self.examination.catalogue.checks.get(plan.check)
        running = check is not None and named.by_running(check)
        if plan.check and not running:
            return lambda: self.examination.still_ill(plan.check, plan.manual)
        return lambda: proof.value_reached(plan)

    def garbage(self, plan: Plan) -> Garbage:
        """How to look for the garbage of this plan again."""
        return lambda: self.examination.garbage(plan.check)

    def again(self, code: str) -> tuple[Garbage, Proof]:
        """The same for a fix of another day, of which only the check is known."""
        examination = self.examination
        return (
            lambda: examination.garbage(code),
            lambda: examination.still_ill(code, len(examination.found(code))),
        )

    def still_wrong(self) -> list[str]:
        """What the machine suffers from besides, a line each; notes are left out."""
        catalogue = self.examination.catalogue
        return [
            f"{catalogue.checks[verdict.code].name}: {finding.summary}"
            for verdict in self.examination.verdicts()
            if verdict.code not in self.examination.standards.accepted
            for finding in verdict.findings
            if finding.severity > Severity.NOTE
        ]


def _refuse_rivals(plans: tuple[Plan, ...]) -> None:
    """Two plans for one value would each take the other for somebody else."""
    gauges = [s.gauge for p in plans for s in p.steps if isinstance(s, Run) and s.gauge]
    for gauge in gauges:
        if gauges.count(gauge) > 1:
            message = f"two of these set {gauge.subject}: fix one, then the other"
            raise Refused(message)
