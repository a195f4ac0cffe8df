"""The page of a tuning on a telephone."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipedoctor.tune.output.html import render_page
from tests.tune.scripted_search import done

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.extended
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(browser: "Browser", tmp_path: Path, width: int) -> None:
    file = tmp_path / "tune.html"
    file.write_text(render_page(done()), "utf-8")
    window = browser.new_page(viewport={"width": width, "height": 900})
    window.goto(file.as_uri())

    wider = window.evaluate("document.documentElement.scrollWidth - innerWidth")
    window.close()

    assert wider <= 0
