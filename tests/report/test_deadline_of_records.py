"""The text of somebody else's report does not decide how long it takes to judge it."""

import json
import time

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.pipeline import CheckPolicy, judge_record
from pipedoctor.privacy.redactor import NOT_REDACTED, RedactionLevel, Redactor

_POLICY = CheckPolicy(redactor=Redactor(RedactionLevel.ALL))


def build_record(reason: str) -> bytes:
    facts = {
        "known": {"node": {"name": "a"}},
        "unknown": {"gpu": reason, "not a section": "x" * 600_000},
    }
    return json.dumps(
        {"schema": "pipedoctor.report/1", "created": "2026-01-01T00:00:00Z", "facts": facts}
    ).encode()


def test_a_text_that_is_too_long_to_redact_makes_its_facts_unknown() -> None:
    data = build_record("ssh bob@host /home/alice/x password=hunter2 " * 60_000)
    began = time.process_time()

    report = judge_record(get_catalogue(), data, None, _POLICY, until=time.monotonic() + 1)

    assert time.process_time() - began < 4
    assert report.facts.unknown == {"gpu": NOT_REDACTED}
    assert list(report.facts.known) == ["node"]


def test_short_sections_are_known_however_late_it_is() -> None:
    data = build_record("no answer from /home/alice/lib.so")

    report = judge_record(get_catalogue(), data, None, _POLICY, until=time.monotonic() - 1)

    assert "no answer" in report.facts.unknown["gpu"]
    assert "alice" not in report.facts.unknown["gpu"]


def test_a_text_of_usual_length_is_redacted_in_time() -> None:
    data = build_record("no answer from /home/alice/lib.so")

    report = judge_record(get_catalogue(), data, None, _POLICY, until=time.monotonic() + 60)

    assert "alice" not in report.facts.unknown["gpu"]
    assert NOT_REDACTED not in report.facts.unknown.values()
