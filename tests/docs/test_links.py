"""Every link of ours leads somewhere, and every page can be reached."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PAGES = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
HEADING = "heading_open"


def tokens(page: Path) -> list[Token]:
    found = MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    return [token for one in found for token in (one, *(one.children or ()))]


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Files that the page names, and the places in them; not those of the web."""
    for token in tokens(page):
        link = token.attrGet("href") or token.attrGet("src")
        if link is None or urlsplit(str(link)).scheme:
            continue
        parts = urlsplit(str(link))
        file = page.parent / unquote(parts.path) if parts.path else page
        yield file.resolve(), parts.fragment


def anchors(page: Path) -> set[str]:
    """Headings as GitHub makes anchors of them."""
    found = tokens(page)
    titles = [found[i + 1].content for i, t in enumerate(found) if t.type == HEADING]
    return {re.sub(r"[^\w\- ]", "", t).lower().replace(" ", "-") for t in titles}


def test_links_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {file.relative_to(ROOT)}#{place}"
        for page in PAGES
        for file, place in links(page)
        if not file.exists() or (place and place not in anchors(file))
    ]

    assert broken == []


def test_every_page_can_be_reached_from_the_first() -> None:
    seen: set[Path] = set()
    ahead = [ROOT / "README.md", ROOT / "CHANGELOG.md"]
    while ahead:
        page = ahead.pop()
        if page.suffix == ".md" and page.exists() and page not in seen:
            seen.add(page)
            ahead += [file for file, _ in links(page)]

    assert [str(p.relative_to(ROOT)) for p in PAGES if p not in seen] == []
