"""The page as its readers use it: by eye, by keyboard, by printer, in every width."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from pipedoctor.report.html import FILTER_THRESHOLD, render
from pipedoctor.report.model import Report, ReportedFacts

if TYPE_CHECKING:
    from playwright.sync_api import Page

Opener = Callable[..., Any]
WIDTHS = (360, 800, 1400)
SCHEMES = ("light", "dark")
FACTS = ReportedFacts(
    known={
        "shm": {"size": 64 << 20, "used": 1 << 20},
        "loader": {"num_workers": 8, "batch_bytes": 9 << 20},
        "paths": {
            "entries": [
                {"role": "tmp", "path": "p" * 300, "size": 9, "free": 2},
                {"role": "data", "path": "/data", "error": "no such directory " * 9},
            ]
        },
    },
    unknown={"gpu": "libnvidia-ml.so.1 not found " + "y" * 300},
)
"""A table too wide for a telephone, bars of every kind, words without an end."""


def violations(page: "Page") -> list[str]:
    """What axe-core finds, each with the first place."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found: list[str] = page.evaluate(
        "axe.run().then(({violations}) => violations.map("
        "({id, nodes}) => id + ': ' + nodes[0].html))"
    )
    return found


OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_fits_and_everybody_can_use_it(
    opener: Opener, ill: Report, many: Report, width: int, scheme: str
) -> None:
    window = opener(width, scheme)
    long = replace(ill.findings[0], rank=3, summary="x" * 400, name="y" * 200)
    filtered = (*many.findings[2:], *ill.findings, long)

    page = window.show(render(replace(many, findings=filtered, facts=FACTS)))
    closed = page.evaluate(OVERFLOW)
    window.open_all()

    assert closed <= 0
    assert page.evaluate(OVERFLOW) <= 0
    page.evaluate(
        "for (const each of document.querySelectorAll"
        "('.found > ol > li:nth-child(n + 2):nth-child(-n + 9)')) each.remove()"
    )
    assert violations(page) == []
    assert window.complaints == []
    assert len(window.asked) == 1, "nothing but the file itself"


@pytest.mark.parametrize("name", ["well", "hostile"])
def test_other_reports_fit_as_well(
    opener: Opener, name: str, request: pytest.FixtureRequest
) -> None:
    window = opener(360, "dark")

    page = window.show(render(request.getfixturevalue(name)))
    window.open_all()

    assert page.evaluate(OVERFLOW) <= 0
    assert violations(page) == []
    assert window.complaints == []


def test_what_is_wrong_stands_on_the_first_screen(opener: Opener, ill: Report) -> None:
    page = opener().show(render(ill))

    for seen in ("h1", "#finding-1 h3", "#finding-1 .command code", ".replay code"):
        box = page.locator(seen).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 900


@pytest.mark.parametrize("way", ["clipboard", "selection"])
def test_a_remedy_is_copied(opener: Opener, ill: Report, way: str) -> None:
    window = opener(permissions=["clipboard-read", "clipboard-write"])
    other = {
        "clipboard": "Document.prototype.execCommand",
        "selection": "Clipboard.prototype.writeText",
    }
    window.page.add_init_script(f"{other[way]} = undefined")
    page = window.show(render(ill))
    button = page.get_by_role("button", name="Copy Grow /dev/shm to 2.8 GiB").first

    button.click()

    page.get_by_role("status").get_by_text("Copied").wait_for(state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == (ill.findings[0].remedies[0].shell)
    assert page.locator("button.done").inner_text().startswith("Copied")
    assert window.complaints == []


def test_who_cannot_copy_is_told_how(opener: Opener, ill: Report) -> None:
    window = opener()
    window.page.add_init_script(
        "Clipboard.prototype.writeText = undefined;document.execCommand = () => false"
    )
    page = window.show(render(ill))

    page.locator("#finding-1 .copy").first.click()

    page.get_by_role("status").get_by_text("Press Ctrl+C").wait_for(state="attached")
    assert page.evaluate("String(getSelection())") == ill.findings[0].remedies[0].shell


def test_lines_are_copied_as_they_are(opener: Opener, ill: Report) -> None:
    page = opener(permissions=["clipboard-read", "clipboard-write"]).show(render(ill))

    page.get_by_role("button", name="Copy /etc/x.conf").first.click()

    page.get_by_role("status").get_by_text("Copied").wait_for(state="attached")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "[Service]\nLimitNOFILE=65536"


def test_findings_open_with_the_keyboard(opener: Opener, many: Report) -> None:
    page = opener().show(render(many))
    second = page.locator("#finding-2 > details")
    assert second.get_attribute("open") is None

    page.locator("#finding-1 > details > summary").focus()
    page.keyboard.press("Enter")  # closed: what is in it is passed over
    page.keyboard.press("Tab")
    page.keyboard.press("Space")

    assert page.locator("#finding-1 > details").get_attribute("open") is None
    assert second.get_attribute("open") is not None


def test_the_keyboard_comes_past_the_head(opener: Opener, ill: Report) -> None:
    page = opener().show(render(ill))

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "main"


def test_all_open_and_close(opener: Opener, many: Report) -> None:
    page = opener().show(render(many))
    closed = page.locator(".findings details:not([open])")

    page.get_by_role("button", name="Open all").click()
    assert closed.count() == 0
    page.get_by_role("button", name="Close all").click()
    assert page.locator(".findings details[open]").count() == 0


def test_a_link_opens_what_it_names(opener: Opener, ill: Report) -> None:
    window = opener()
    above = replace(ill.findings[0], rank=7)
    text = render(replace(ill, findings=(above, *ill.findings)))

    page = window.show(text, "#finding-2")
    assert page.locator("#finding-2 > details").get_attribute("open") is not None
    assert page.get_by_text("deaths").is_visible(), "and the cause it is folded into"

    page = window.show(text, "#finding-9")
    assert window.complaints == []


def test_a_bar_leads_to_its_finding(opener: Opener, ill: Report) -> None:
    shm = {"size": 64 << 20}
    page = opener().show(render(replace(ill, facts=ReportedFacts(known={"shm": shm}, unknown={}))))
    page.locator("#finding-1 > details > summary").click()
    assert not page.get_by_text("shm size").first.is_visible()

    page.get_by_role("link", name="finding 1").click()

    page.get_by_text("shm size").first.wait_for()


def test_findings_are_filtered(opener: Opener, many: Report) -> None:
    page = opener().show(render(many))
    shown = page.locator(".found > .findings > li:visible")
    assert shown.count() == FILTER_THRESHOLD

    page.get_by_role("searchbox").fill(" TRAIN_3.py ")
    assert shown.count() == 1
    page.get_by_role("searchbox").fill("")
    page.get_by_role("checkbox", name="risks").uncheck()

    assert shown.count() == FILTER_THRESHOLD // 2
    assert page.get_by_role("status").inner_text() == f"{FILTER_THRESHOLD // 2} shown"
    page.get_by_role("searchbox").press("Enter")
    assert shown.count() == FILTER_THRESHOLD // 2, "and the page stays"


def test_paper_gets_everything_that_was_found(opener: Opener, ill: Report) -> None:
    page = opener().show(render(ill))
    page.evaluate(
        "addEventListener('beforeprint', () => window.closed ="
        " document.querySelectorAll('.findings details:not([open])').length)"
    )
    before = page.locator(".findings details:not([open])").count()

    assert page.pdf().startswith(b"%PDF")

    assert page.evaluate("window.closed") == 0 < before
    assert page.locator(".findings details:not([open])").count() == before
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("button:visible").count() == 0
    white = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert white == "rgb(255, 255, 255)"


def test_without_scripts_it_offers_nothing_that_needs_them(opener: Opener, many: Report) -> None:
    page = opener(java_script_enabled=False).show(render(many))

    assert page.locator("button:visible, form:visible").count() == 0
    page.locator("#finding-2 > details > summary").click()
    assert page.locator("#finding-2 .about").first.is_visible()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ticket-12.html", "ticket-12.html"),
        ("a b.html", "report.html"),
        ("x'$(id).html", "report.html"),
    ],
)
def test_the_replay_says_the_name_of_its_file(
    opener: Opener, ill: Report, tmp_path: Path, name: str, said: str
) -> None:
    file = tmp_path / name
    file.write_text(render(ill), "utf-8")
    page = opener().page

    page.goto(file.as_uri())

    command = page.locator(".replay code").inner_text()
    assert command == f"pipedoctor check --from {said}"
