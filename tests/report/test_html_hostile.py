"""Whatever stands in a report, its page shows it and obeys nothing of it."""

import html
import re
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pipedoctor.report import markdown, sentences
from pipedoctor.report.html import render
from pipedoctor.report.model import Report, ReportedFacts

Outlined = Callable[[Report], Any]
Opener = Callable[..., Any]

CANARIES = (
    "<script>window.hit=1</script>",
    "</script><script>window.hit=1</script>",
    "</style><script>window.hit=1</script><style>",
    "</title></head><body onload=window.hit=1>",
    "'\"><img src=x onerror=window.hit=1>",
    '" onclick=window.hit=1 x="',
    "--><svg onload=window.hit=1>",
    "javascript:window.hit=1",
    'https://x.test/" onmouseover=window.hit=1 x="',
    "data:text/html,<script>window.hit=1</script>",
    "{{ 7 * 191 }}{% raw %}",
    "]]><![CDATA[<script>window.hit=1</script>",
    "</pre></code></details><form action=https://x.test>",
    "<base href=https://x.test><meta http-equiv=refresh content=0>",
    "\x00\x1b[31m\u202e\u2028\udcff",
)


def poisoned(thing: Any, poison: str) -> Any:
    """The same with this text in place of every text that is no term of ours."""
    if isinstance(thing, str):
        return poison
    if isinstance(thing, (tuple, list)):
        row = cast("list[Any]", thing)
        return tuple(poisoned(item, poison) for item in row)
    if isinstance(thing, dict):
        pairs = cast("dict[str, Any]", thing).items()
        return {f"{key}{poison}": poisoned(item, poison) for key, item in pairs}
    if not isinstance(thing, msgspec.Struct):
        return thing
    terms = ("severity", "confidence", "place", "lasts", "basis", "schema", "facts")
    changed = {
        name: poisoned(getattr(thing, name), poison)
        for name in thing.__struct_fields__
        if name not in terms
    }
    return replace(thing, **changed)


def canary(report: Report, poison: str) -> Report:
    clean = poison.encode(errors="replace").decode()
    site = {
        "system": "linux",
        "distribution": clean,
        "evidence": [clean],
        "virtual": clean,
    }
    facts = ReportedFacts(known={"site": site}, unknown={clean: clean})
    whole: Report = poisoned(report, poison)
    return replace(whole, facts=facts, created=clean)


@given(st.text(min_size=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_changes_the_page(outlined: Outlined, ill: Report, poison: str) -> None:
    assert outlined(canary(ill, poison)).tags == outlined(canary(ill, "a")).tags


@pytest.mark.parametrize("poison", CANARIES)
def test_no_canary_changes_the_page(outlined: Outlined, ill: Report, poison: str) -> None:
    page = render(canary(ill, poison))

    assert outlined(canary(ill, poison)).tags == outlined(canary(ill, "a")).tags
    assert "1337" not in page
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\udcff]", page)
    assert (
        html.escape(sentences.clean_text(poison))
        .replace("&#x27;", "&#39;")
        .replace("&quot;", "&#34;")
        in page
    )


@pytest.mark.parametrize(
    ("source", "linked"),
    [
        ("https://example.org/a?b=c#d", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("JavaScript:alert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//example.org", False),
        ("https://example.org/\u202e", False),
        ("https://example.org/ x", False),
        ("see https://example.org", False),
    ],
)
def test_only_addresses_of_the_web_are_links(ill: Report, source: str, linked: bool) -> None:
    page = render(replace(ill, findings=(replace(ill.findings[0], sources=(source,)),)))

    links = re.findall(r'href="([^#"][^"]*)"', page)
    assert links == ([html.escape(source)] if linked else [])


def test_no_canary_is_executed(opener: Opener, ill: Report) -> None:
    window = opener()
    for poison in CANARIES:
        page = window.show(render(canary(ill, poison)))
        window.open_all()
        assert page.evaluate("window.hit") is None
        assert page.locator("script").count() == 2
        assert page.locator("img, base, iframe, object").count() == 0
    assert window.complaints == []
    assert len(window.asked) == len(CANARIES)


@pytest.mark.parametrize(
    "injected",
    [
        "<script>window.hit=1</script>",
        "<svg onload='window.hit=1'></svg>",
        "<img src='https://x.invalid/a.png'>",
        "<p style='position:fixed'>",
        "<link rel=stylesheet href='https://x.invalid/a.css'>",
        "<iframe src='data:text/html,x'></iframe>",
        "<script src='https://x.invalid/a.js'></script>",
    ],
)
def test_the_policy_stops_what_got_in_all_the_same(
    opener: Opener, ill: Report, injected: str
) -> None:
    window = opener()

    page = window.show(render(ill).replace("<h1", f"{injected}<h1"))

    assert page.evaluate("window.hit") is None
    assert any("Content Security Policy" in said for said in window.complaints)
    assert not [asked for asked in window.asked if "x.invalid" in asked] or (
        "blocked" in " ".join(window.complaints)
    )


def enlarged(report: Report, size: int) -> Report:
    """The same, with a text of so many letters among its facts."""
    site: dict[str, Any] = {"system": "linux", "distribution": "A" * size}
    return replace(report, facts=ReportedFacts(known={"site": site}, unknown={}))


@pytest.mark.parametrize("render_report", [render, markdown.render], ids=["HTML", "Markdown"])
def test_a_huge_report_makes_no_huge_page(
    ill: Report, render_report: Callable[[Report], str]
) -> None:
    titled = replace(ill.findings[0], summary="B" * (1 << 20))

    page = render_report(replace(enlarged(ill, 8 << 20), findings=(titled,)))

    assert "The facts (8.0 MiB) are left out here" in page
    if render_report is render:
        assert len(page) < 1 << 20
        assert re.search(r"B\.\.\. \(\d{7} more characters are left out\)", page)
        assert "--from report.html" not in page


def test_the_facts_of_a_usual_report_stay_in_its_page(ill: Report) -> None:
    page = render(enlarged(ill, 100_000))

    assert page.count("A" * 100_000) == 1
    assert "The facts (" not in page
