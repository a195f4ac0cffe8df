"""A byte that is no UTF-8, in a file's name: every format writes it out."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.report import bundle, github, html, junit, markdown, sarif, text, ticket
from pipedoctor.report import json as plain_json
from pipedoctor.report.model import Report, ReportedFacts
from pipedoctor.textsafe import encode_json, escape_surrogates
from tests.report.test_html_hostile import poisoned

ODD = "b\udcffad"
SITE = {"system": "linux", "virtual": ODD}
CHECKS = get_catalogue().checks
FORMATS: dict[str, Callable[[Report], str | bytes]] = {
    "text": lambda report: text.render(report, detail="full"),
    "brief": lambda report: text.render(report, detail="brief"),
    "json": plain_json.render,
    "markdown": markdown.render,
    "ticket": lambda report: ticket.render(report, ""),
    "html": html.render,
    "sarif": lambda report: sarif.render(report, CHECKS, 1),
    "junit": lambda report: junit.render(report, CHECKS, "breaks"),
    "github": github.render,
}


@pytest.fixture
def odd(ill: Report) -> Report:
    """Every text that is no term of ours has such a byte, keys of facts as well."""
    spoilt = tuple(
        replace(poisoned(entry, ODD), code=entry.code, name=entry.name, cause="")
        for entry in ill.findings
    )
    whole = replace(ill, findings=spoilt, recorded=ODD)
    known: dict[str, dict[str, Any]] = {"site": SITE, ODD: {ODD: {ODD: [ODD]}}}
    return replace(whole, facts=ReportedFacts(known=known, unknown={ODD: ODD}), created="")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_writes_it_out(form: str, odd: Report) -> None:
    written = FORMATS[form](odd)

    data = written if isinstance(written, bytes) else written.encode()
    assert b"b\\xffad" in data.replace(b"\\\\", b"\\").replace(b"%5C", b"\\")


def test_what_is_written_is_read(odd: Report) -> None:
    facts, _ = plain_json.read_report(plain_json.render(replace(odd, created="x")))
    paged, _ = plain_json.read_report(html.render(replace(odd, created="x")).encode())
    packed = bundle.build_bundle(odd, {"report.json": b"{}"}, redacted=True)

    known = {"system": "linux", "virtual": "b\\xffad"}
    for read in (facts.to_record(), paged.to_record()):
        assert {name: read["known"]["site"][name] for name in known} == known
    assert "manifest.json" in bundle.unpack_bundle(packed)


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("plain", "plain"),
        ("ü→\U0001f600", "ü→\U0001f600"),
        ("a\udc80\udcff", "a\\x80\\xff"),
        ("\ud800\udbff", "\\ud800\\udbff"),
        ("\udc00\udc41\udc7f", "\\udc00\\udc41\\udc7f"),
    ],
)
def test_only_what_is_no_character_is_written_out(odd: str, said: str) -> None:
    assert escape_surrogates(odd) == said
    assert json.loads(encode_json({odd: (odd, 1)})) == {said: [said, 1]}
