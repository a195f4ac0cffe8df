"""The same comparison in a terminal, as JSON and as Markdown."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from markdown_it import MarkdownIt
from syrupy.assertion import SnapshotAssertion

from pipedoctor.diff import html, markdown, text
from pipedoctor.diff.json import build_schema, render
from pipedoctor.diff.model import Diff
from pipedoctor.facts import Shm
from tests.diff.compared_facts import JOB, MiB, packages
from tests.diff.conftest import Compare, changed, machine, recorded

DOCS = Path(__file__).parents[3] / "docs"


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


def test_a_title_of_two_lines_stays_beside_its_arrow(ill: Diff) -> None:
    lines = text.render(ill, width=60).splitlines()

    at = next(number for number, line in enumerate(lines) if line.startswith("     → "))
    assert lines[at + 1].startswith("       ")
    assert "$ " not in lines[at + 1]


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
