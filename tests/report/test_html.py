"""What the page says, and that its facts can be judged again."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.check import EPOCH, Edit, Gain
from pipedoctor.facts import Facts, LiveJob, MalformedRecordError, Shm
from pipedoctor.report import json, sentences
from pipedoctor.report.html import render
from pipedoctor.report.model import (
    Report,
    ReportedFacts,
    SeverityCounts,
    SkippedCheck,
)

Outlined = Callable[[Report], Any]


def test_it_says_what_the_other_formats_say(outlined: Outlined, ill: Report) -> None:
    said = outlined(ill).text

    for sentence in (
        "1 finding breaks the job, 1 can crash it",
        "Docker container, Debian 12. Examined 2026-01-01 00:00:00 UTC",
        "1 breaks /dev/shm has 64.0 MiB, the workers need 2.8 GiB explains 1 more",
        "PDR701 shm-too-small shm size 64.0 MiB needed 2.8 GiB",
        "Grow /dev/shm to 2.8 GiB on this machine, until the next reboot",
        "sudo mount -o remount,size=3019898880 /dev/shm",
        "Undo: mount -o remount,size=67108864 /dev/shm",
        "Verify: df -h /dev/shm",
        "in /etc/x.conf: [Service] LimitNOFILE=65536 Copy /etc/x.conf",
        "1.1 risks 3 workers died train.py:12",
        "PDR902 bus-error likely, not certain",
        "Explained by PDR701, listed above: fix that one first.",
        "Saves 30% of epoch (20% to 40%, modelled)",
        "Also at eval.py:3",
        "breaks: it will crash the job or give wrong results",
        "The pack of checks acme could not be loaded: ImportError: no",
        "1 could not be judged no --data given PDR710 slow-storage",
        "1 not applicable no GPU PDR721 affinity",
        "2 healthy PDR703, PDR704",
        "Unknown gpu no driver",
        "container docker",
        "pipedoctor fix shm-too-small",
        "pipedoctor check --from report.html",
    ):
        assert sentence in said


def test_a_watched_job_has_no_bars_of_what_nobody_collected(well: Report) -> None:
    live = Facts(LiveJob(pid=1, seconds=9.0)).to_record()["known"]
    shm = Facts(Shm(size=1 << 30, used=0)).to_record()["known"]
    resources = "What the job may use"

    assert resources not in render(replace(well, facts=ReportedFacts(known=live, unknown={})))
    both = ReportedFacts(known=shm | live, unknown={})
    assert resources in render(replace(well, facts=both))
    assert resources in render(replace(well, facts=ReportedFacts(known={}, unknown={})))


def test_a_healthy_machine(outlined: Outlined, well: Report) -> None:
    said = outlined(well).text

    assert "No problems found - pipedoctor" in said
    assert "1 check found nothing wrong." in said
    assert "skipped" not in said
    assert "pipedoctor fix" not in said
    assert 'class="well"' in render(well)


@pytest.mark.parametrize(("note", "named"), [(1, "well"), (0, "well")])
def test_notes_are_no_alarm(ill: Report, note: int, named: str) -> None:
    entries = tuple(replace(ill.findings[0], severity="note") for _ in range(note))
    report = replace(ill, findings=entries, summary=SeverityCounts(note=note))

    assert f'<h1 class="{named}">no problems found' in render(report)


def test_nothing_judged(outlined: Outlined, well: Report) -> None:
    report = replace(well, healthy=())

    assert '<h1 class="unknown">nothing could be judged' in render(report)
    assert "No check could be judged: see the reasons below." in outlined(report).text


def test_what_was_judged_is_named(outlined: Outlined, ill: Report) -> None:
    text = outlined(replace(ill, recorded="2025-12-31T00:00:00Z")).text

    assert ", from a record of 2025-12-31T00:00:00Z." in text
    assert "pipedoctor fix" not in text, "it is another machine"


def test_accepted_risks_and_crashed_checks_are_told_apart(outlined: Outlined, well: Report) -> None:
    skips = (
        SkippedCheck(code="PDR1", name="a", reason="accepted until May", accepted=True),
        SkippedCheck(code="PDR2", name="b", reason="it crashed", trace="Traceback\n  boom"),
    )
    text = outlined(replace(well, skipped=skips)).text

    assert "accepted until May accepted PDR1 a" in text
    assert "it crashed PDR2 b Traceback boom" in text


def test_of_many_remedies_the_first_stands_open(ill: Report) -> None:
    cause = ill.findings[0]
    report = replace(ill, findings=(replace(cause, remedies=cause.remedies * 2),))

    page = render(report)

    assert "3 other remedies" in page
    assert "other remedies" not in render(ill)
    assert page.count("sudo mount -o remount,size=3019898880 /dev/shm") == 2


def test_edits_of_code_are_shown(outlined: Outlined, ill: Report) -> None:
    spot = {"line": 3, "column": 5, "end_line": 3, "end_column": 9}
    edits = (
        Edit(path="a.py", replacement="x = 1", **spot),
        Edit(path="b.ipynb", replacement="", cell=2, **spot),
    )
    cause = ill.findings[0]
    cure = replace(cause.remedies[1], edits=edits, unsafe="the order", kept="it is old")
    report = replace(ill, findings=(replace(cause, remedies=(cure,)),))

    text = outlined(report).text

    assert "a.py:3: becomes x = 1 Copy edit of a.py" in text
    assert "b.ipynb:3, cell 2: goes" in text
    assert "It may change more: the order" in text
    assert "Not changed by a program: it is old" in text


def test_edits_are_a_diff_where_the_code_is_known(ill: Report) -> None:
    edit = Edit(path="a.py", line=3, column=5, end_line=3, end_column=9, replacement="y")
    cause = ill.findings[0]
    cure = replace(cause.remedies[1], edits=(edit,), snippet="y")
    report = replace(ill, findings=(replace(cause, remedies=(cure,)),))

    page = render(report, diffs={(edit,): ("@@ -3 +3 @@ a.py", "-    x", "+    y")})

    assert "@@ -3 +3 @@ a.py\n-    x\n+    y" in page
    assert "The exact edits" not in page


def test_only_many_findings_are_filtered(many: Report) -> None:
    assert 'id="filter"' in render(many)
    assert 'id="filter"' not in render(replace(many, findings=many.findings[1:]))


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("fraction of epoch time", "Saves 30% of epoch time (20% to 40%, measured)"),
        ("images per second", "Saves 0.3 images per second (0.2 to 0.4, measured)"),
    ],
)
def test_gains(unit: str, said: str) -> None:
    gain = Gain(value=0.3, low=0.2, high=0.4, unit=unit, basis="measured")

    assert sentences.describe_gain(gain) == said


@pytest.mark.parametrize(
    ("value", "seconds", "said"),
    [
        (0.3, 42.4, "Saves 30% of epoch time, 42 s of each (20% to 40%, measured)"),
        (0.3, 1.26, "Saves 30% of epoch time, 1.3 s of each (20% to 40%, measured)"),
        (0.004, None, "Saves nothing: 0% of epoch time (20% to 40%, measured)"),
        (-0.1, -3.0, "Saves nothing: -10% of epoch time (20% to 40%, measured)"),
    ],
)
def test_gains_of_an_epoch(value: float, seconds: float | None, said: str) -> None:
    gain = Gain(value=value, low=0.2, high=0.4, unit=EPOCH, basis="measured", seconds=seconds)

    assert sentences.describe_gain(gain) == said
    assert gain.epoch_fraction == value


def test_a_page_is_judged_again(ill: Report) -> None:
    known: dict[str, dict[str, Any]] = {
        "shm": {"size": 64},
        "site": {"system": "linux", "distribution": "</script><!-- &\u202e"},
    }
    report = replace(ill, facts=ReportedFacts(known=known, unknown={"gpu": "<b>"}))

    page = render(report)
    facts, created = json.read_report(page.encode())

    assert created == report.created
    assert facts.get(Shm) == Shm(size=64)
    assert facts.unknown == {"gpu": "<b>"}
    assert facts.to_record()["known"]["site"]["distribution"] == "</script><!-- &\u202e"
    assert "\u202e" not in page


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><p>x", b"\n <!doctype HTML>"])
def test_another_page_is_refused(page: bytes) -> None:
    with pytest.raises(MalformedRecordError, match="it is a page without one"):
        json.read_report(page)
