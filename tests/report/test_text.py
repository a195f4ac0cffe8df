"""The report in a terminal: whole, narrow, wide, brief, hostile."""

import re

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.report import sentences
from pipedoctor.report.model import (
    Report,
    ReportedFacts,
    ReportedFinding,
    SeverityCounts,
    SkippedCheck,
)
from pipedoctor.report.text import render

NORMAL = """\
Docker container, Debian 12: 1 finding breaks the job, 1 can crash it.

1  BREAKS  /dev/shm has 64.0 MiB, the workers need 2.8 GiB
   PDR701 shm-too-small [fix] · shm.size 64.0 MiB · needed 2.8 GiB
   → Grow /dev/shm to 2.8 GiB (on this machine, until the next reboot)
     $ sudo mount -o remount,size=3019898880 /dev/shm
   → Raise the limit for good (where the job is launched, for good)
     in /etc/x.conf:
       [Service]
       LimitNOFILE=65536
       spec:
         containers: []

   └ 2  RISKS  3 workers died
        PDR902 bus-error · train.py:12 · likely · deaths 3
        explained by PDR701, listed above
        also at eval.py:3
        Saves 30% of epoch (20% to 40%, modelled)

2 healthy; 1 could not be judged (no --data given).
-v shows every reason, source and skipped check.
These remedies can be applied and verified here:
$ pipedoctor fix shm-too-small
"""

WELL = """\
Bare metal: no problems found.

1 healthy.
"""


def test_a_report(ill: Report) -> None:
    assert render(ill) == NORMAL


def test_a_healthy_machine_is_told_plainly(well: Report) -> None:
    assert render(well) == WELL


def test_verbose_says_why_where_from_and_what_was_skipped(ill: Report) -> None:
    text = render(ill, detail="full")

    assert "why here: breaks: it will crash the job or give wrong results" in text
    assert "   https://example.org/shm\n" in text
    assert "     verify: df -h /dev/shm\n" in text
    assert "     undo: mount -o remount,size=67108864 /dev/shm\n" in text
    assert "Healthy: PDR703, PDR704\n" in text
    assert "Could not be judged: no --data given\n  PDR710 slow-storage\n" in text
    assert "Not applicable: no GPU\n  PDR721 affinity\n" in text
    assert "PDR720" not in text, "what was not selected is not named"
    assert text.count("Raise the limit for good") == 2, "the symptom's remedy, too"
    assert "2 healthy; 1 could not be judged.\n" in text
    assert "-v says more" not in text


def test_brief_is_a_line_a_finding(ill: Report, well: Report, snapshot: SnapshotAssertion) -> None:
    assert render(ill, detail="brief") == snapshot
    assert render(well, detail="brief") == ""


@pytest.mark.parametrize("width", [1, 60, 61, 80, 120, 200])
def test_nothing_but_what_is_to_be_pasted_is_wider_than_the_terminal(
    ill: Report, width: int
) -> None:
    for line in render(ill, width=width, detail="full").splitlines():
        pasted = re.match(r" *(\$|https:|verify:|undo:|in )", line)
        assert pasted or len(line) <= max(width, 60), line


def test_a_command_is_never_broken(ill: Report) -> None:
    cause = ill.findings[0]
    command = "docker run " + "--ulimit=nofile=65536:65536 " * 20 + "end"
    cure = replace(cause.remedies[0], shell=command)
    long = replace(ill, findings=(replace(cause, remedies=(cure,)),))

    assert f"     $ {command}\n" in render(long, width=60)


def test_a_word_longer_than_the_line_is_folded_not_cut(ill: Report) -> None:
    path = "/data/" + "x" * 150
    long = replace(ill, findings=(replace(ill.findings[0], summary=path),))

    assert path in re.sub(r"\s", "", render(long, width=60))


def test_colors_only_where_they_are_asked_for(ill: Report) -> None:
    assert "\x1b" not in render(ill)
    colored = render(ill, color=True)

    assert "\x1b[1;31mBREAKS\x1b[0m" in colored
    bare = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in bare.split("\n")] == NORMAL.split("\n")


def test_ascii_where_the_locale_has_no_more(ill: Report) -> None:
    text = render(ill, ascii_only=True)

    assert text.isascii()
    assert "   +-2  RISKS" in text
    assert "PDR701 shm-too-small [fix] - shm.size 64.0 MiB" in text


@pytest.mark.parametrize("detail", ["brief", "normal", "full"])
def test_nothing_in_it_is_obeyed(hostile: Report, detail: sentences.DetailLevel) -> None:
    text = render(hostile, detail=detail, width=200)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\udcff]", text)
    assert r"a\x1b[31m|b`c\n<script>" in text
    assert "[bold]red[/]" in text


def test_a_record_of_another_machine_is_named_and_not_to_be_fixed_here(
    ill: Report,
) -> None:
    text = render(replace(ill, recorded="2025-12-31T00:00:00Z"))

    assert "Judged from a record of 2025-12-31T00:00:00Z.\n" in text
    assert "pipedoctor fix" not in text


def test_nothing_could_be_judged(well: Report, snapshot: SnapshotAssertion) -> None:
    blind = replace(
        well,
        healthy=(),
        facts=ReportedFacts(known={}, unknown={}),
        skipped=(SkippedCheck(code="PDR701", name="shm-too-small", reason="no /proc"),),
    )

    assert render(blind) == snapshot


def test_an_unknown_bottleneck_is_not_called_no_problem(well: Report) -> None:
    note = ReportedFinding(
        rank=1,
        code="PDR914",
        name="bottleneck-unknown",
        severity="note",
        title="None stands out",
        summary="None stands out",
        evidence={},
        confidence="possible",
    )
    report = replace(well, findings=(note,), summary=SeverityCounts(note=1))

    assert sentences.describe_verdict(report) == "the bottleneck is not known, 1 note"


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        (SeverityCounts(note=1), "no problems found, 1 note"),
        (SeverityCounts(note=2), "no problems found, 2 notes"),
        (SeverityCounts(breaks=2, note=1), "2 findings break the job, 1 note"),
        (SeverityCounts(risks=1), "1 finding can crash the job"),
        (SeverityCounts(risks=2, slows=2), "2 findings can crash the job, 2 slow it"),
        (SeverityCounts(slows=1, note=2), "1 finding slows the job, 2 notes"),
        (
            SeverityCounts(breaks=1, risks=1, slows=1),
            "1 finding breaks the job, 1 can crash it, 1 slows it",
        ),
    ],
)
def test_the_verdict_in_one_sentence(well: Report, summary: SeverityCounts, sentence: str) -> None:
    assert sentences.describe_verdict(replace(well, summary=summary)) == sentence


def test_what_an_accepted_risk_leaves_is_judged(well: Report) -> None:
    skip = SkippedCheck(code="PDR701", name="x", reason="accepted: old", accepted=True)

    assert replace(well, healthy=(), skipped=(skip,)).has_verdicts
    assert not replace(well, healthy=()).has_verdicts


def test_many_reasons_are_counted_together(well: Report) -> None:
    skipped = tuple(SkippedCheck(code=f"X{n}", name="x", reason=f"why {n}") for n in range(7))

    assert sentences.summarize_skips(replace(well, skipped=skipped), 4) == (
        "why 0; why 1; why 2; why 3; 3 for other reasons"
    )


def test_one_reason_of_several_sections_is_said_once(well: Report) -> None:
    reasons = ("torch: no torch here", "torch_import: no torch here", "odd: no torch here")
    skipped = tuple(SkippedCheck(code="X", name="x", reason=reason) for reason in reasons)

    assert sentences.summarize_skips(replace(well, skipped=skipped), 4) == (
        "2: no torch here; odd: no torch here"
    )


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("shm.size", (1 << 20) - 1, "1048575"),
        ("shm.size", 1 << 20, "1.0 MiB"),
        ("memory.limit", 5 << 30, "5.0 GiB"),
        ("limits.nr_open", 1 << 30, "1073741824"),
        ("inodes_free", 1 << 30, "1073741824"),
        ("bytes_free", 1 << 30, "1.0 GiB"),
        ("remountable", True, "yes"),
        ("remountable", False, "no"),
        ("share", 0.123456, "0.1235"),
        ("paths", ("a", "b"), "a, b"),
        ("paths", [], "none"),
        ("paths", list("abcdef"), "a, b, c, d and 2 more"),
        ("asked", {"OMP": 64}, "OMP 64"),
        ("path", "x" * 70, "x" * 70),
        ("path", "x" * 71, "x" * 67 + "..."),
    ],
)
def test_evidence_in_short(name: str, value: object, said: str) -> None:
    assert sentences.format_evidence({name: value}) == [(name, said)]


@pytest.mark.parametrize("value", ["", None])
def test_evidence_that_says_nothing_is_left_out(value: object) -> None:
    assert sentences.format_evidence({"x": value, "y": 0}) == [("y", "0")]
