"""JUnit: a test case a check, well-formed whatever was found."""

import shutil
import subprocess
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.report.junit import render
from pipedoctor.report.model import (
    Report,
    ReportedFacts,
    ReportedFinding,
    SeverityCounts,
    SkippedCheck,
)

CHECKS = get_catalogue().checks


def suite(report: Report, threshold: str = "breaks") -> ET.Element:
    top = ET.fromstring(render(report, CHECKS, threshold))
    assert top.tag == "testsuites"
    (only,) = top
    for key in ("name", "tests", "failures", "errors", "time"):
        assert top.get(key) == only.get(key)
    return only


def case(report: Report, name: str, threshold: str = "breaks") -> ET.Element:
    (found,) = [c for c in suite(report, threshold) if c.get("name") == name]
    return found


def test_a_healthy_machine(well: Report) -> None:
    found = suite(well)

    assert (found.get("tests"), found.get("failures")) == ("1", "0")
    assert (found.get("skipped"), found.get("errors")) == ("0", "0")
    assert found.get("timestamp") == "2026-01-01T00:00:00"
    assert list(case(well, "PDR701 shm-too-small")) == []


def test_every_check_is_one_case(ill: Report) -> None:
    twice = replace(ill, findings=(*ill.findings, ill.findings[0]))
    found = suite(twice)

    names = [c.get("name") for c in found if c.tag == "testcase"]
    assert names == sorted(names, key=str)
    assert len(names) == len(set(names)) == 7
    assert (found.get("tests"), found.get("failures")) == ("7", "1")
    assert len(case(twice, "PDR701 shm-too-small")) == 2, "each finding is told"


def test_code_and_machine_are_told_apart(ill: Report) -> None:
    code = replace(ill, healthy=("PDR201", "PDR703"))

    assert case(code, "PDR201 print-in-item").get("classname") == "pipedoctor.code"
    assert {c.get("classname") for c in suite(ill) if c.tag == "testcase"} == {"pipedoctor.machine"}


@pytest.mark.parametrize(
    ("threshold", "failing"),
    [
        ("breaks", {"PDR701"}),
        ("risks", {"PDR701", "PDR902"}),
        ("slows", {"PDR701", "PDR902"}),
        ("note", {"PDR701", "PDR902"}),
        ("never", set[str]()),
    ],
)
def test_what_fails_is_at_or_above_the_threshold(
    ill: Report, threshold: str, failing: set[str]
) -> None:
    found = suite(ill, threshold)

    failed = {str(c.get("name"))[:6] for c in found if c.find("failure") is not None}
    assert failed == failing
    assert found.get("failures") == str(len(failing))


def test_a_failure_says_what_where_and_the_remedy(ill: Report) -> None:
    (failure,) = case(ill, "PDR701 shm-too-small")

    assert failure.attrib == {
        "message": "/dev/shm has 64.0 MiB, the workers need 2.8 GiB",
        "type": "breaks",
    }
    assert failure.text == (
        "breaks: /dev/shm has 64.0 MiB, the workers need 2.8 GiB\n"
        "shm.size: 64.0 MiB\n"
        "needed: 2.8 GiB\n"
        "remedy (on this machine, until the next reboot): Grow /dev/shm to 2.8 GiB\n"
        "  $ sudo mount -o remount,size=3019898880 /dev/shm\n"
        "remedy (where the job is launched, for good): Raise the limit for good\n"
        "  spec:\n"
        "    containers: []"
    )


def test_what_is_milder_is_output_of_a_case_that_passes(
    ill: Report, snapshot: SnapshotAssertion
) -> None:
    (output,) = case(ill, "PDR902 bus-error")

    assert output.tag == "system-out"
    assert str(output.text) == snapshot


def test_a_failure_in_code_names_the_place(ill: Report) -> None:
    (failure,) = case(ill, "PDR902 bus-error", "risks")

    assert failure.get("message") == "train.py:12: 3 workers died"


def test_skipped_is_told_with_the_reason(ill: Report) -> None:
    taken = SkippedCheck(code="PDR799", name="x", reason="accepted: old", accepted=True)
    more = replace(ill, skipped=(*ill.skipped, taken))

    (skipped,) = case(more, "PDR710 slow-storage")
    (accepted,) = case(more, "PDR799 x")

    assert skipped.attrib == {"type": "skipped", "message": "no --data given"}
    assert accepted.attrib == {"type": "accepted", "message": "accepted: old"}
    assert suite(more).get("skipped") == "4"


def test_a_broken_pack_is_a_property(ill: Report, snapshot: SnapshotAssertion) -> None:
    values = {p.get("name"): p.get("value") for p in suite(ill).iter("property")}

    assert values["broken"] == "acme: ImportError: no"
    assert values["verdict"] == snapshot


def test_nothing_in_it_is_obeyed(hostile: Report) -> None:
    text = render(hostile, CHECKS, "note").decode()

    assert text.startswith("<?xml version='1.0' encoding='utf-8'?>\n")
    assert not any(c in text for c in "\x1b\x9b\u202e\u200b\udcff")
    assert "<script" not in text


@pytest.mark.skipif(not shutil.which("xmllint"), reason="no xmllint")
def test_xmllint_has_nothing_to_say(hostile: Report, ill: Report) -> None:
    for report in (hostile, ill):
        done = subprocess.run(
            ["xmllint", "--noout", "-"],
            input=render(report, CHECKS, "breaks"),
            check=False,
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (0, b"")


@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_text_is_xml(text: str) -> None:
    entry = ReportedFinding(
        rank=1,
        code=text,
        name=text,
        severity="note",
        title=text,
        summary=text,
        evidence={text: text},
        confidence="certain",
    )
    report = Report(
        created=text,
        seconds=0,
        facts=ReportedFacts(known={}, unknown={}),
        findings=(entry,),
        skipped=(SkippedCheck(code="X", name=text, reason=text),),
        summary=SeverityCounts(note=1),
    )

    assert suite(report, "note").get("failures") == "1"


def test_characters_that_xml_lacks_are_spelled_out(well: Report) -> None:
    skip = SkippedCheck(code="X", name="x", reason="a\ufffe\uffff\x00b")

    (skipped,) = case(replace(well, skipped=(skip,)), "X x")

    assert skipped.get("message") == r"a\ufffe\uffff\x00b"
