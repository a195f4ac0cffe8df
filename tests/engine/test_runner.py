"""One check that crashes, hangs or talks nonsense harms no other."""

import contextlib
import dataclasses
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from pipedoctor.check import CannotJudge, Check, Finding, Findings, Severity, Verdict
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.runner import run_checks
from pipedoctor.facts import Facts, Filesystem, Filesystems, Shm

FACTS = Facts(Shm(size=7))
NOTE = Finding(severity=Severity.NOTE, summary="here")


def named(code: str, examine: Callable[..., Any]) -> Check[Any]:
    examine.__name__ = code.lower()
    return Check(code, "title", examine)


def speaks(code: str) -> Check[Any]:
    def examine(_shm: Shm, /) -> Findings:
        yield NOTE

    return named(code, examine)


def beside(examine: Callable[..., Any], **how: Any) -> Verdict:
    """The verdict of a check between two healthy ones, which must both speak."""
    checks = (speaks("A1"), named("M1", examine), speaks("Z1"))
    catalogue = Catalogue({check.code: check for check in checks})
    first, verdict, last = run_checks(catalogue, FACTS, **how)
    assert first.findings == last.findings == (NOTE,)
    return verdict


def forever() -> None:
    while True:
        time.sleep(0.001)


def refuse(why: str) -> Findings:
    raise CannotJudge(why)


def silent(_shm: Shm, /) -> Findings:
    yield from ()


def test_a_crash_is_skipped_with_its_traceback() -> None:
    def examine(_shm: Shm, /) -> Findings:
        yield NOTE
        raise ZeroDivisionError

    verdict = beside(examine)

    assert verdict.skipped == "crashed: ZeroDivisionError"
    assert "Traceback" in verdict.trace
    assert verdict.findings == ()


@pytest.mark.parametrize("stubborn", [False, True], ids=["plain loop", "catches everything"])
def test_an_endless_loop_is_cut(stubborn: bool) -> None:
    def examine(_shm: Shm, /) -> Findings:
        for _ in range(3 if stubborn else 0):
            with contextlib.suppress(BaseException):
                forever()
        forever()
        yield NOTE

    began = time.monotonic()
    verdict = beside(examine, timeout=0.2)

    assert verdict.skipped == "crashed: CheckTimeoutError: no verdict after 0.2 s"
    assert time.monotonic() - began < 5


def test_a_pattern_that_explodes_is_cut() -> None:
    def examine(_shm: Shm, /) -> Findings:
        re.fullmatch(r"(a+)+b", "a" * 60)
        yield NOTE

    assert "CheckTimeoutError" in beside(examine, timeout=0.2).skipped


def test_cannot_judge_is_a_reason_and_no_crash() -> None:
    def examine(_shm: Shm, /) -> Findings:
        yield from refuse("no --data given")

    verdict = beside(examine)

    assert verdict.skipped == "no --data given"
    assert verdict.trace == ""


@pytest.mark.parametrize(
    ("yielded", "reason"),
    [
        pytest.param("text", "yielded str, not a Finding", id="no finding"),
        pytest.param(None, "yielded NoneType, not a Finding", id="nothing"),
        pytest.param(
            Finding(severity=Severity.NOTE, summary=7),  # type: ignore[arg-type]
            "Expected `str`, got `int`",
            id="a number for words",
        ),
        pytest.param(
            Finding(severity=9, summary=""),  # type: ignore[arg-type]
            "Invalid enum value 9",
            id="an unheard-of severity",
        ),
        pytest.param(
            Finding(severity=Severity.NOTE, summary="", evidence={"x": object()}),
            "type object is unsupported",
            id="evidence that no report can show",
        ),
        pytest.param(
            Finding(severity=Severity.NOTE, summary="\udce9"),
            "surrogates not allowed",
            id="words that are no text",
        ),
    ],
)
def test_nonsense_is_a_crash_of_its_check(yielded: object, reason: str) -> None:
    def examine(_shm: Shm, /) -> Any:
        yield yielded

    assert reason in beside(examine).skipped


def test_a_check_that_is_no_generator_is_a_crash() -> None:
    def examine(_shm: Shm, /) -> None:
        return None

    assert "not iterable" in beside(examine).skipped


def test_a_check_may_not_write_into_the_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def examine(_shm: Shm, /) -> Findings:
        print("noise")  # noqa: T201
        yield NOTE

    beside(examine)

    assert capsys.readouterr() == ("", "noise\n")


def test_settings_go_to_the_check_of_that_name() -> None:
    def examine(shm: Shm, /, *, most: int = 9) -> Findings:
        if shm.size < most:
            yield NOTE

    assert beside(examine).findings == (NOTE,)
    assert beside(examine, settings={"m1": {"most": 7}}).findings == ()
    assert beside(examine, settings={"other": {"most": 7}}).findings == (NOTE,)


def test_a_setting_that_does_not_exist_is_a_crash_of_that_check() -> None:
    verdict = beside(silent, settings={"m1": {"nonsense": 1}})

    assert "unexpected keyword argument 'nonsense'" in verdict.skipped


def test_what_is_not_selected_is_skipped() -> None:
    check = speaks("A1")

    (verdict,) = run_checks(Catalogue({"A1": check}), FACTS, check_filter=lambda _: False)

    assert verdict == Verdict("A1", skipped="not selected", applicable=False)


def test_when_time_is_up_the_rest_is_skipped() -> None:
    check = speaks("A1")

    (verdict,) = run_checks(Catalogue({"A1": check}), FACTS, until=time.monotonic())

    assert verdict.skipped == "the deadline passed before it could start"


def test_one_that_leads_has_its_turn_when_time_is_up() -> None:
    leader = dataclasses.replace(speaks("A2"), leads=True)

    late, led = run_checks(
        Catalogue({"A1": speaks("A1"), "A2": leader}), FACTS, until=time.monotonic() - 9
    )

    assert late.skipped == "the deadline passed before it could start"
    assert led.findings


def test_many_that_hang_share_the_time_that_is_left() -> None:
    def examine(_s: Shm, /) -> Findings:
        forever()
        yield NOTE

    checks = {f"A{n}": named(f"A{n}", examine) for n in range(9)}
    began = time.monotonic()

    verdicts = run_checks(Catalogue(checks), FACTS, until=began + 0.5)

    assert all(verdict.skipped for verdict in verdicts)
    assert time.monotonic() - began < 4


def test_tables_about_the_world_are_facts() -> None:
    row = Filesystem(fstype="zonefs", kind="local", source="s", checked="2026-11-21")

    def examine(table: Filesystems, /) -> Findings:
        yield Finding(severity=Severity.NOTE, summary=table.rows[0].fstype)

    check = named("A1", examine)
    catalogue = Catalogue({"A1": check}, tables=(Filesystems(rows=(row,)),))

    assert run_checks(catalogue, Facts())[0].findings[0].summary == "zonefs"


def test_without_alarms_it_still_judges() -> None:
    """Off the main thread no signal can be had."""
    verdicts: list[Verdict] = []
    thread = threading.Thread(target=lambda: verdicts.append(beside(silent)))

    thread.start()
    thread.join()

    assert verdicts == [Verdict("M1")]
