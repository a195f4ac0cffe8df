"""Named illnesses: the examination, its first automatic remedies, and the proof."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from pipedoctor.check import Check, Finding, Place, Remedy, Verdict
from pipedoctor.collect.dead_paths import describe_dead_path
from pipedoctor.collect.plan import CollectionRequest, collect_facts
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.measurements import merge_measurements
from pipedoctor.engine.runner import run_checks
from pipedoctor.facts import Facts, Pipeline, Shm, Site, Source
from pipedoctor.fix.limits import nofile, shm_size
from pipedoctor.fix.limits.size_argument import refuse_size
from pipedoctor.fix.plan.current_value import parse_gauge
from pipedoctor.fix.plan.plan import FixPlan, FixRefusedError, NoChangeNeeded
from pipedoctor.fix.request.dead_paths import list_dead_paths
from pipedoctor.fix.request.plan_draft import PlanDraft
from pipedoctor.pipeline import CheckPolicy
from pipedoctor.report.model import ReportedRemedy
from pipedoctor.report.target_shell import TargetShell

EXAMINATION_SECONDS = 10.0


class ManualRemedyError(FixRefusedError):
    """A finding whose remedies only a human can apply, elsewhere."""

    def __init__(self, why: str, findings: Sequence[Finding], site: Site | None = None) -> None:
        super().__init__(why, *list_manual_remedies(findings, site))
        self.findings = tuple(findings)


@dataclass(frozen=True, kw_only=True)
class Examination:
    """How to look at this machine, and to look again: the same job, the same checks."""

    catalogue: Catalogue
    inquiry: CollectionRequest
    policy: CheckPolicy = field(default_factory=CheckPolicy)
    report_dead_path: Callable[[str], None] = lambda _: None
    """Told in one line of each path that did not answer."""

    def collect_facts(self) -> Facts:
        """Collect everything now, beside what was measured before."""
        known = self.policy
        now = collect_facts(self.inquiry, deadline=EXAMINATION_SECONDS)
        for path in list_dead_paths(now):
            self.report_dead_path(describe_dead_path(path))
        return merge_measurements(now, known.measured, known.unmeasured)

    def with_pipeline(self, pipeline: Pipeline | None, reasons: Mapping[str, str]) -> "Examination":
        """The same beside this pipeline, or why there is none."""
        measured = () if pipeline is None else (pipeline,)
        known = msgspec.structs.replace(self.policy, measured=measured, unmeasured=reasons)
        return replace(self, policy=known)

    def judge_facts(self, facts: Facts, *codes: str) -> list[Verdict]:
        """What these checks, or all, say of these facts."""
        verdicts = run_checks(
            self.catalogue,
            facts,
            check_filter=lambda check: not codes or check.code in codes,
            settings=self.policy.settings,
        )
        return [v for v in verdicts if not codes or v.code in codes]

    def collect_verdicts(self, *codes: str) -> list[Verdict]:
        """What these checks, or all, say now."""
        return self.judge_facts(self.collect_facts(), *codes)

    def collect_findings(self, code: str) -> tuple[Finding, ...]:
        """What this check finds now."""
        return next((v.findings for v in self.collect_verdicts(code)), ())

    def find_garbage(self, code: str) -> frozenset[str]:
        """The files that this check would have removed if asked now."""
        remedies = (find_automatic_remedy(finding) for finding in self.collect_findings(code))
        return frozenset(path for r in remedies if r for path in r.removes)

    def explain_unresolved(self, code: str, manual: int) -> str:
        """
        Why the finding is not proved gone; empty when it is.

        `manual` findings were there before that no remedy of ours can clear.
        """
        verdict = next(iter(self.collect_verdicts(code)), None)
        if verdict is None:
            return f"{code} is no longer installed"
        name = self.catalogue.checks[code].name
        if verdict.skipped and not verdict.applicable:
            return ""  # what it found is gone, and nothing else is there to be judged
        if verdict.skipped:
            return f"{name} can no longer be judged: {verdict.skipped}"
        ours = [f for f in verdict.findings if find_automatic_remedy(f)]
        if ours or len(verdict.findings) > manual:
            return f"{name} still reports: {(ours or verdict.findings)[0].summary}"
        return ""


def needs_running_loader(check: Check[Any]) -> bool:
    """Does the check judge a running loader rather than code?"""
    return Pipeline in check.needs and Source not in check.needs


def find_automatic_remedy(finding: Finding) -> Remedy | None:
    """The first remedy that may run without a human."""
    return next((remedy for remedy in finding.remedies if remedy.automatic), None)


def plan_check(
    check: Check[Any],
    facts: Facts,
    verdict: Verdict,
    texts: dict[str, bytes],
    *,
    lasting: bool,
    force: bool,
) -> FixPlan | NoChangeNeeded:
    """
    The automatic remedies of all its findings as one plan; raises Refused.

    `texts` is what files will hold after the plans made so far; this one adds to it.
    """
    if verdict.skipped:
        message = f"{check.name} could not be judged: {verdict.skipped}"
        raise FixRefusedError(message)
    if not verdict.findings:
        return NoChangeNeeded(f"{check.name} is healthy")
    chosen = [r for r in map(find_automatic_remedy, verdict.findings) if r]
    if not chosen:
        message = (
            f"{check.name}: {verdict.findings[0].summary}; it has no remedy that "
            "can be applied and undone from here; apply one yourself:"
        )
        raise ManualRemedyError(message, verdict.findings, facts.get(Site))
    draft = PlanDraft(texts=texts)
    for finding in verdict.findings:
        if remedy := find_automatic_remedy(finding):
            _refuse_unsafe_value(facts, remedy, force=force)
            draft.add_remedy(remedy)
            if lasting:
                draft.add_persistence(finding, remedy)
    return draft.build_plan(check, verdict, chosen, lasting=lasting)


def list_manual_remedies(findings: Sequence[Finding], site: Site | None = None) -> list[str]:
    """What a human can do: every remedy once, in the order of the findings, as typed here."""
    lines: dict[str, None] = {}
    target = TargetShell.find(site)
    for remedy in (r for finding in findings for r in finding.remedies):
        place = "" if remedy.place is Place.HERE else f" ({remedy.place.value})"
        for typed in ReportedRemedy.for_shell(remedy, target):
            lines[f"# {typed.title}{place}"] = None
            lines |= dict.fromkeys((typed.shell or typed.snippet).splitlines())
    return list(lines)


def _refuse_unsafe_value(facts: Facts, remedy: Remedy, *, force: bool) -> None:
    """What `--shm` refuses is refused from a check as well."""
    known = parse_gauge(remedy.argv)
    shm = facts.get(Shm)
    if known and known[0].kind == "nofile":
        now = known[0].read() or known[1]
        hard = nofile.parse_limits(known[1])[1]
        nofile.refuse_unprivileged_limit(known[0].pid, hard, nofile.parse_limits(now)[1])
    if known and known[0].kind == "shm" and shm:
        refuse_size(facts, int(known[1]), force=force)
        shm_size.refuse_unprivileged_mount(facts.get(Site), shm, int(known[1]))
