"""The same comparison in a terminal, as JSON, as Markdown and as a page."""

import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import msgspec
import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.diff import html, markdown, text
from pipedoctor.diff.json import build_schema, render
from pipedoctor.diff.model import Diff
from pipedoctor.facts import Shm, TorchBuild, Variables
from tests.diff.conftest import Compare, changed, machine, recorded, side
from tests.diff.test_cases import JOB, MiB, packages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DOCS = Path(__file__).parents[2] / "docs"
HOSTILE = "a\x1b[31m|b`c\n<script>@all #1 [x](y) *z* \u202e\x9b \u200b[bold]red[/]{{ 7*7 }}"


@pytest.fixture
def ill(diff: Compare) -> Diff:
    """A machine whose /dev/shm is small and whose torch is another."""
    return diff(
        changed(JOB),
        changed(
            Shm(size=64 * MiB, remountable=True),
            TorchBuild(version="2.5.1", local="cu124", cuda="12.4"),
            packages(torch="2.5.1", torchvision="0.20.1", attrs="25.0.0"),
        ),
    )


@pytest.fixture
def hostile(diff: Compare) -> Diff:
    """Everything that a stranger may have chosen with care."""
    record = recorded(changed(Variables(values={"LD_PRELOAD": HOSTILE})))
    known = record["facts"]["known"]
    known["packages"]["entries"][0] |= {"name": HOSTILE, "version": HOSTILE}
    known[HOSTILE] = {HOSTILE: HOSTILE}
    other = recorded(machine())
    other["facts"]["known"][HOSTILE] = {HOSTILE: "x"}
    record["facts"]["unknown"] = {"gpu": HOSTILE}
    del known["gpu"]
    return diff(side(HOSTILE, record), side("b", other))


FIRST = (
    "Most likely culprit: shm-too-small in b, not in a: /dev/shm has 64.0 MiB, but the"
    " workers need 2.8 GiB; remedy for b: sudo mount -o remount,size="
)


@pytest.mark.parametrize("width", [60, 100, 200])
def test_the_first_line_is_the_answer(ill: Diff, width: int) -> None:
    first, second, *rest = text.render(ill, width=width).splitlines()

    assert first.startswith(FIRST)
    assert second == ""
    assert rest[0].startswith("a  a report of 2026-11-20T10:00:00Z: Bare metal, Debian")


def test_of_two_that_are_ill_it_says_for_whom_the_remedy_is(
    diff: Compare, snapshot: SnapshotAssertion
) -> None:
    small, smaller = (changed(JOB, Shm(size=size * MiB, remountable=True)) for size in (2800, 32))
    said = diff(small, smaller)

    assert text.render(said).splitlines()[0] == snapshot
    assert markdown.render(said) == snapshot
    assert "Remedy for b:" in html.render(said)


def test_what_a_side_does_not_tell_is_said_without_a_place(
    diff: Compare, snapshot: SnapshotAssertion
) -> None:
    half = recorded(changed(JOB, Shm(size=64 * MiB)))
    del half["facts"]["known"]["shm"]
    half["facts"]["unknown"]["shm"] = "not read"

    said = diff(changed(JOB), changed(JOB, Shm(size=64 * MiB)), half)

    assert text.render(said) == snapshot
    assert "there in" not in text.render(said)


def test_values_stand_beside_each_other(ill: Diff) -> None:
    lines = text.render(ill, width=100).splitlines()

    assert any(re.fullmatch(r" +2  torch +2\.6\.0 +2\.5\.1", line) for line in lines)
    assert "  1  BREAKS  shm-too-small  PDR701" in lines
    assert "     size of /dev/shm: 32.0 GiB in a, 64.0 MiB in b" in lines
    assert all(len(line) <= 100 for line in lines[1:] if "$ " not in line)


def test_or_below_each_other_where_it_is_narrow(ill: Diff) -> None:
    lines = text.render(ill, width=40).splitlines()

    at = lines.index("  2  torch")
    assert lines[at + 1 : at + 3] == ["     a  2.6.0", "     b  2.5.1"]
    assert all(len(line) <= 60 for line in lines[1:] if "$ " not in line)


def test_four_do_not_fit_beside_each_other(diff: Compare) -> None:
    said = diff(machine(), machine(), machine(), changed(packages(numpy="1.26.4")))

    assert "     d  1.26.4" in text.render(said, width=200).splitlines()


def test_colors_on_demand(ill: Diff) -> None:
    assert "\x1b[1;31mBREAKS" in text.render(ill, color=True)
    assert "\x1b" not in text.render(ill)
    assert text.render(ill, ascii_only=True).isascii()


def test_a_line_a_difference(ill: Diff) -> None:
    lines = text.render(ill, detail="brief").splitlines()

    assert len(lines) == len(ill.differences)
    assert lines[1] == "version torch: 2.6.0 | 2.5.1"


def test_more_on_demand(ill: Diff) -> None:
    short, full = text.render(ill), text.render(ill, detail="full", width=200)

    assert "3 differences hidden: times, free memory" in short
    assert "-v shows hidden" in short
    assert "Hidden (follows torch.version): build of torch: cu126 in a, cu124 in b" in full
    assert "-v shows hidden" not in full


def test_many_that_hardly_matter_are_cut(diff: Compare, snapshot: SnapshotAssertion) -> None:
    many = {f"p{n}": "1" for n in range(30)}
    rows = [{"name": name, "version": version} for name, version in many.items()]
    one, other = recorded(machine()), recorded(machine())
    one["facts"]["known"]["packages"]["entries"] += rows
    said = diff(one, other)

    assert text.render(said) == snapshot
    assert "more, which" not in text.render(said, detail="full")
    assert len(said.differences) == 30


def test_unknown_and_lent_things_are_told(diff: Compare, snapshot: SnapshotAssertion) -> None:
    half = recorded(changed(Shm(size=64 * MiB)))
    del half["facts"]["known"]["gpu"]
    half["facts"]["unknown"]["gpu"] = "no driver"

    said = diff(half, changed(JOB))

    assert text.render(said) == snapshot
    assert text.render(said, detail="full") == snapshot


def test_nothing_differs(diff: Compare, snapshot: SnapshotAssertion) -> None:
    said = diff(machine(), machine())

    assert text.render(said) == snapshot
    assert markdown.render(said) == snapshot
    assert "No difference." in html.render(said)


def test_what_a_terminal_obeys_is_written_out(hostile: Diff) -> None:
    for width in (60, 150):
        for detail in ("brief", "normal", "full"):
            shown = text.render(hostile, width=width, detail=detail)
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", shown)


def test_the_published_schema_is_current() -> None:
    published = json.loads((DOCS / "diff.schema.json").read_text("utf-8"))

    assert published == build_schema()
    jsonschema.Draft202012Validator.check_schema(build_schema())


def test_json_fits_its_schema(ill: Diff, hostile: Diff, diff: Compare) -> None:
    three = diff(machine(), machine(), changed(packages(numpy="1")))
    for said in (ill, hostile, three, diff(machine(), machine())):
        data = render(said)
        jsonschema.validate(json.loads(data), build_schema())
        assert msgspec.json.decode(data, type=Diff) == said


def test_the_schema_is_strict(ill: Diff) -> None:
    for at, value in (
        (("schema",), "pipedoctor.diff/2"),
        (("differences", 0, "group"), "x"),
        (("differences", 0, "values", 0, "state"), "x"),
        (("sides", 0, "origin"), "x"),
    ):
        whole: Any = json.loads(render(ill))
        inner = whole
        for key in at[:-1]:
            inner = inner[key]
        inner[at[-1]] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(whole, build_schema())


def test_json_hides_nothing_from_a_terminal(hostile: Diff) -> None:
    assert not re.search("[\x7f-\x9f\u200b\u202e]", render(hostile).decode())


def test_markdown(ill: Diff) -> None:
    written = markdown.render(ill)

    assert written.startswith(
        "# pipedoctor diff: Most likely culprit: shm-too-small in b, not in a: "
    )
    assert "| 1 | **breaks** PDR701 shm-too-small | healthy | /dev/shm has 64.0 MiB" in written
    assert "|  | size of /dev/shm | 32.0 GiB | 64.0 MiB |" in written
    assert "| 2 | torch | 2.6.0 | 2.5.1 |" in written
    assert "```sh\nsudo mount -o remount,size=" in written
    assert "<summary>3 hidden: noise and consequences</summary>" in written


def test_markdown_obeys_nothing(hostile: Diff) -> None:
    written = markdown.render(hostile)
    page = MarkdownIt("commonmark").enable("table").render(written)
    outside = re.sub(r"<code.*?</code>", "", page, flags=re.DOTALL)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", written)
    assert "<script" not in page
    assert "<a " not in page
    assert "<em>" not in page
    assert "@all" not in outside
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    assert {len(re.findall("<t[dh]", row)) for row in rows} == {4}


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
