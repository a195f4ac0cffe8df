"""What is done is the plan that was shown, on the machine that it was shown for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pipedoctor.check import Finding, Findings, Lasts, Put, Remedy, Severity, check
from pipedoctor.collect.plan import CollectionRequest
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.facts import Facts, Limits, Rlimit
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.machine.apply import apply_fixes
from pipedoctor.fix.plan.current_value import Gauge
from pipedoctor.fix.plan.plan import CommandStep, FixPlan, FixRefusedError, PlanStep, WriteStep
from pipedoctor.fix.request.named_checks import Examination
from pipedoctor.fix.request.request import FixRequest, PlannedFixes
from tests.fix.workshop import plan

WATCHES = Gauge(kind="sysctl", key="fs.inotify.max_user_watches")
COUNTS = [200, 230, 250, 270]
"""Watches in use at each look: programs go on opening more."""


@dataclass(frozen=True, kw_only=True)
class BusyMachine(Examination):
    """A machine on which the watches in use grow; the limit stands in a file."""

    limit: Path
    looks: list[int] = field(default_factory=lambda: [*COUNTS])

    def collect_facts(self) -> Facts:
        most = int(self.limit.read_text())
        used = self.looks.pop(0)
        files = Rlimit(soft=1024, hard=None)
        return Facts(Limits(nofile=files, inotify_watches=most, inotify_watches_used=used))


def make_request(limit: Path) -> FixRequest:
    @check("T1", "Watches are used up", fix="machine")
    def watches(limits: Limits, /) -> Findings:
        used, most = limits.inotify_watches_used or 0, limits.inotify_watches or 0
        if used >= most:
            file = Put(path=str(limit), content=str(4 * used))
            yield Finding(
                severity=Severity.RISKS,
                summary=f"{used} of {most}",
                remedies=(Remedy(title=f"Allow {4 * used}", lasts=Lasts.BOOT, puts=(file,)),),
            )

    machine = BusyMachine(
        catalogue=Catalogue({"T1": watches}), inquiry=CollectionRequest(), limit=limit
    )
    return FixRequest(examination=machine, checks=(watches,))


def make_console(then: Callable[[], object]) -> tuple[Console, list[str]]:
    """One on which `then` happens while the plan is read."""
    lines: list[str] = []

    def echo(line: str, *, err: bool = False) -> None:
        del err
        if not lines:
            then()
        lines.append(line)

    return Console(echo, lambda _: True, yes=True), lines


@pytest.fixture
def limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "limit"
    path.write_text("128")
    return path


def test_the_value_that_was_shown_is_set(limit: Path) -> None:
    console, lines = make_console(lambda: None)

    code = apply_fixes(console, make_request(limit))

    assert (code, limit.read_text()) == (0, "800"), lines
    assert any(line.startswith("done and proved") for line in lines)


def test_a_machine_that_starts_otherwise_is_left_alone(limit: Path) -> None:
    console, lines = make_console(lambda: limit.write_text("200"))

    with pytest.raises(FixRefusedError, match="machine changed after the plan was shown"):
        apply_fixes(console, make_request(limit))

    assert limit.read_text() == "200"
    assert not any("done" in line for line in lines)


def set_watches(before: str, after: str) -> CommandStep:
    argv = ("sysctl", "-w", f"{WATCHES.key}={after}")
    return CommandStep(argv=argv, gauge=WATCHES, before=before, after=after)


def write(found: bytes | None, content: bytes) -> WriteStep:
    return WriteStep(path="/etc/sysctl.d/90-pipedoctor.conf", content=content, found=found)


SHOWN = (set_watches("128", "800"), write(None, b"800"))


@pytest.mark.parametrize(
    ("now", "follows"),
    [
        pytest.param(SHOWN, True, id="the same"),
        pytest.param((set_watches("128", "920"), write(None, b"920")), True, id="another target"),
        pytest.param((set_watches("256", "800"), SHOWN[1]), False, id="another value now"),
        pytest.param((SHOWN[0], write(b"", b"800")), False, id="the file exists now"),
        pytest.param(SHOWN[:1], False, id="less to do"),
        pytest.param((*SHOWN, CommandStep(argv=("true",))), False, id="more to do"),
        pytest.param((CommandStep(argv=("true",)), SHOWN[1]), False, id="another command"),
    ],
)
def test_plans_follow_where_they_start_alike(now: tuple[PlanStep, ...], follows: bool) -> None:
    shown = PlannedFixes(plans=(plan(*SHOWN),))

    assert shown.may_follow(PlannedFixes(plans=(plan(*now),))) is follows


def test_as_many_plans_of_the_same_checks() -> None:
    one, two = (FixPlan(subject=s, before="", after="", steps=(), lasts="") for s in ("a", "b"))

    assert not PlannedFixes(plans=(one,)).may_follow(PlannedFixes(plans=(one, two)))
    assert not PlannedFixes(plans=(one,)).may_follow(PlannedFixes(plans=(two,)))
    assert not PlannedFixes(plans=(one,)).may_follow(PlannedFixes())
