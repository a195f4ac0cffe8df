"""A comparison as a page: what it says, that it obeys nothing, and that everybody can use it."""

import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from pipedoctor.diff import html, markdown, text
from pipedoctor.diff.model import Diff
from tests.diff.compared_facts import packages
from tests.diff.conftest import Compare, changed, machine, recorded

if TYPE_CHECKING:
    from playwright.sync_api import Browser

from tests.diff.formats.conftest import HOSTILE


class _Outline(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.said = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags += [tag, *sorted(name for name, _ in attrs)]

    def handle_data(self, data: str) -> None:
        self.said += f" {data}"


def test_the_page_says_what_the_others_say(ill: Diff) -> None:
    said = " ".join(_Outline(html.render(ill)).said.split())

    for sentence in (
        "Most likely culprit: shm-too-small in b, not in a: /dev/shm has 64.0 MiB",
        "Remedy for b: sudo mount -o remount,size=",
        "1 breaks shm-too-small: /dev/shm has 64.0 MiB",
        "a healthy b /dev/shm has 64.0 MiB",
        "size of /dev/shm 32.0 GiB 64.0 MiB",
        "2 torch 2.6.0 2.5.1",
        "build of torch cu126 cu124 follows torch.version",
    ):
        assert sentence in said


def test_the_page_obeys_nothing(hostile: Diff) -> None:
    def renamed(said: Diff, name: str) -> Diff:
        return replace(
            said,
            answer=name,
            command=name,
            sides=tuple(replace(one, name=name, place=name) for one in said.sides),
            differences=tuple(replace(one, title=name, field=name) for one in said.differences),
        )

    page = html.render(hostile)

    assert "<script>@all" not in page
    assert "49" not in re.findall(r"red\[/\](.{2})", page)
    assert (
        _Outline(html.render(renamed(hostile, HOSTILE))).tags
        == _Outline(html.render(renamed(hostile, "a"))).tags
    )


BEYOND = """
[...document.querySelectorAll("table.beside [data-side]")]
  .filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.textContent)
"""
"""Values that a reader has to scroll for."""


@pytest.mark.parametrize("width", [360, 1300])
def test_everybody_can_use_the_page(
    browser: "Browser", tmp_path: Path, ill: Diff, hostile: Diff, width: int
) -> None:
    complaints: list[str] = []
    for name, said in (("ill", ill), ("hostile", hostile)):
        file = tmp_path / f"{name}.html"
        file.write_text(html.render(said), "utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
        found = page.evaluate(
            "axe.run().then(({violations}) => violations.map("
            "({id, nodes}) => id + ': ' + nodes[0].html))"
        )
        assert found == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.evaluate(BEYOND) == []
        page.close()
    assert complaints == []


def test_a_row_stands_upright_on_a_telephone(browser: "Browser", tmp_path: Path, ill: Diff) -> None:
    file = tmp_path / "ill.html"
    file.write_text(html.render(ill), "utf-8")
    page = browser.new_page(viewport={"width": 360, "height": 900})
    page.goto(file.as_uri())
    row = page.locator("tr", has=page.get_by_text("torch", exact=True)).first
    one, other = row.locator("[data-side]").all()

    first, second = one.bounding_box(), other.bounding_box()
    assert first is not None
    assert second is not None
    assert first["y"] + first["height"] <= second["y"]
    assert one.evaluate("e => getComputedStyle(e, '::before').content") == '"a"'
    page.set_viewport_size({"width": 1300, "height": 900})
    first, second = one.bounding_box(), other.bounding_box()
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]
    assert one.evaluate("e => getComputedStyle(e, '::before').content") == "none"
    page.close()


def test_who_stands_apart_is_marked(diff: Compare) -> None:
    said = diff(machine(), changed(packages(numpy="1.26.4")), machine())

    assert "| 1 | numpy | 2.1.0 | **1.26.4** | 2.1.0 |" in markdown.render(said)
    assert "\x1b[1m1.26.4" in text.render(said, color=True)
    assert '<td class="known apart" data-side="b">1.26.4</td>' in html.render(said)


def test_nothing_that_both_know(diff: Compare) -> None:
    half = recorded(machine())
    half["facts"]["known"] = {}

    assert 'class="unknown">Nothing could be compared' in html.render(diff(half, machine()))
