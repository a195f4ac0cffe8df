"""What every page has in common: its policy, its escapes, its packaging."""

import base64
import hashlib
import re
import sys

import pytest
from jinja2 import UndefinedError

from pipedoctor.report.html_page import escape_lines, is_clickable, render_page


def test_exactly_the_style_and_the_script_of_the_page_are_allowed() -> None:
    text = render_page("A <title>", "base.html.jinja", record='{"a": "</script>"}')

    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    allowed = re.findall(r"&#39;(sha256-[^&]+)&#39;", policy[1])
    inside = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", text, re.DOTALL)
    hashes = [hashlib.sha256(each.encode()).digest() for each in reversed(inside)]
    assert allowed == [f"sha256-{base64.b64encode(each).decode()}" for each in hashes]
    assert policy[1].startswith("default-src &#39;none&#39;;")
    assert "unsafe" not in policy[1]
    assert "<title>A &lt;title&gt;</title>" in text
    assert r'id="record">{"a": "\u003c/script\u003e"}</script>' in text


def test_a_page_may_bring_styles_and_scripts_of_its_own() -> None:
    plain = render_page("x", "base.html.jinja")
    twice = render_page("x", "base.html.jinja", styles=("style.css",), scripts=("page.js",))

    assert twice.count("--page: #f6f7f9;") == 2 * plain.count("--page: #f6f7f9;")
    assert twice.count('"use strict";') == 2
    assert 'id="record"' not in plain


def test_nothing_is_fetched_and_nothing_is_inline() -> None:
    text = render_page("x", "base.html.jinja")

    assert not re.search(r"\b(?:src|href|action|style|on\w+)=(?!\"#main\")", text)
    assert "@import" not in text
    assert "url(" not in text


def test_what_a_template_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="is undefined"):
        render_page("x", "report.html.jinja")


def test_lines() -> None:
    assert escape_lines("a <b>\n\x1b[0m  c\n\n") == "a &lt;b&gt;\n\\x1b[0m  c"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("https://example.org/#a", True),
        ("http://example.org", True),
        ("HTTPS://example.org", False),
        ("ftp://example.org", False),
        ("https://exämple.org", False),
        ("https://example.org/a b", False),
        ("https://example.org/\n", False),
        ("", False),
    ],
)
def test_clickable(text: str, safe: bool) -> None:
    assert is_clickable(text) is safe


def test_only_pages_need_the_engine_of_templates_and_short_lines_need_no_layout() -> None:
    import subprocess  # noqa: PLC0415

    program = "import sys, pipedoctor.report.json, pipedoctor.report.text;"
    program += "sys.exit('jinja2' in sys.modules or 'rich' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
