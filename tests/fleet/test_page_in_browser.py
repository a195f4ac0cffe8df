"""The page of a fleet as its readers use it: by eye, by keyboard, in every width."""

import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output.html import render
from tests.fleet.fleet_reports import ODD, WHOLE, fleet, outlier
from tests.fleet.node_reports import judged

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
NODES = 2000


@pytest.fixture(scope="module")
def large(fleets: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> FleetReport:
    folder = tmp_path_factory.mktemp("fleet")
    fleets.write_fleet(folder, NODES, packages_each=70)
    return judged(folder)


class Pages:
    """Opens pages in a browser and keeps what it complains of."""

    def __init__(self, browser: "Browser", folder: Path) -> None:
        self._browser, self._folder = browser, folder
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.seconds = 0.0

    def show(self, text: str, width: int = 1400, scheme: Any = "light") -> "Page":
        file = self._folder / "fleet.html"
        file.write_text(text, encoding="utf-8")
        context = self._browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.on("console", lambda said: self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        began = time.monotonic()
        page.goto(file.as_uri())
        self.seconds = time.monotonic() - began
        return page


@pytest.fixture
def pages(browser: "Browser", tmp_path: Path) -> Iterator[Pages]:
    yield Pages(browser, tmp_path)
    for context in browser.contexts:
        context.close()


def violations(page: "Page") -> list[str]:
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found: list[str] = page.evaluate(
        "axe.run().then(({violations}) => violations.map("
        "({id, nodes}) => id + ': ' + nodes[0].html))"
    )
    return found


@pytest.mark.parametrize("width", [360, pytest.param(800, marks=pytest.mark.extended), 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("report", [WHOLE, ODD], ids=["whole", "odd"])
def test_it_fits_and_everybody_can_use_it(
    pages: Pages, report: FleetReport, width: int, scheme: str
) -> None:
    page = pages.show(render(report), width, scheme)

    assert page.evaluate(OVERFLOW) <= 0
    assert violations(page) == []
    assert pages.complaints == []
    assert len(pages.asked) == 1, "nothing but the file itself"


def test_a_narrow_page_shows_every_column(pages: Pages) -> None:
    page = pages.show(render(WHOLE), 360)

    beyond = "cells => cells.filter(one => one.getBoundingClientRect().right > 360).length"
    assert page.locator("table.fleet :is(td, th)").count() > 6
    assert page.locator("table.fleet :is(td, th)").evaluate_all(beyond) == 0


@pytest.mark.extended
@pytest.mark.slow
def test_two_thousand_nodes_are_there_at_once(pages: Pages, large: FleetReport) -> None:
    text = render(large)
    page = pages.show(text)

    assert len(text.encode()) < 5 << 20
    assert pages.seconds < 1.0
    assert page.locator("#outliers tbody tr").count() == len(large.outliers)


@pytest.mark.slow
def test_the_strip_is_used_by_keyboard(pages: Pages, large: FleetReport) -> None:
    page = pages.show(render(large))
    cell = page.locator("#cell")
    page.focus("#heat")

    page.keyboard.press("ArrowRight")
    first = cell.inner_text()
    page.keyboard.press("End")
    last = cell.inner_text()
    page.keyboard.press("ArrowRight")

    named = [f"{one.node}: {one.property}, {one.severity}" for one in large.outliers]
    assert {first, last} <= set(named)
    assert cell.inner_text() == first
    assert page.get_by_role("status").inner_text() == first


@pytest.mark.slow
def test_the_strip_is_used_by_pointer(pages: Pages, large: FleetReport) -> None:
    page = pages.show(render(large))
    page.focus("#heat")
    page.keyboard.press("Home")
    said = page.locator("#cell").inner_text()
    node = [one.node for one in large.nodes].index(said.partition(":")[0])
    page.keyboard.press("End")
    page.evaluate("document.getElementById('heat').scrollIntoView({block: 'start'})")
    box = page.locator("#heat").bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + box["width"] * (node + 0.5) / NODES, box["y"] + 7)

    assert page.locator("#cell").inner_text() == said


@pytest.mark.slow
def test_nodes_of_a_row_of_many_are_found_by_their_names(pages: Pages) -> None:
    alike = (outlier(f"h{number:02}") for number in range(40))
    page = pages.show(render(fleet(*alike, outlier("x1", value=1))))
    rows = page.locator("#outliers tbody tr:visible")
    assert rows.count() == 2

    page.get_by_label("Filter nodes").fill("h17")

    assert rows.count() == 1
    assert page.get_by_role("status").inner_text() == "1 node, 1 outlier"


@pytest.mark.slow
def test_nodes_are_filtered(pages: Pages, large: FleetReport) -> None:
    page = pages.show(render(large))
    field = page.get_by_label("Filter nodes")

    field.fill("cpu.governor")

    rows = page.locator("#outliers tbody tr:visible")
    wanted = sum(one.property == "cpu.governor" for one in large.outliers)
    assert rows.count() == wanted
    assert page.get_by_role("status").inner_text() == (f"{wanted} nodes, {wanted} outliers")
    field.fill("")
    assert rows.count() == len(large.outliers)
