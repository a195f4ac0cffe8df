"""The table of formats: every row can be loaded, and help lists what it holds."""

from importlib import import_module
from pathlib import Path

import pytest

from pipedoctor.cli.formats import (
    DEFAULT_ATTACHMENT,
    FORMATS,
    RenderContext,
    Subject,
    list_formats,
    preload,
    render,
)
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.explanation.model import Explanation
from pipedoctor.pipeline import CheckPolicy, judge_record

MACHINE = Path(__file__).parents[1] / "machines" / "container.json"
CONTAINER = judge_record(get_catalogue(), MACHINE.read_bytes(), None, CheckPolicy())


@pytest.mark.parametrize(
    ("subject", "name"),
    [(subject, name) for name, form in FORMATS.items() for subject in form.renderers],
)
def test_every_renderer_is_there(subject: Subject, name: str) -> None:
    preload(subject, name)

    assert callable(import_module(FORMATS[name].renderers[subject].module).render)


def test_formats_are_listed_in_the_order_of_help() -> None:
    assert list_formats(Subject.REPORT) == (
        "text", "json", "markdown", "html", "sarif", "junit", "github",
    )  # fmt: skip
    assert list_formats(Subject.DIFF) == ("text", "json", "markdown", "html")
    assert list_formats(Subject.EXPLANATION) == ("text", "json", "markdown")
    assert list_formats(Subject.ATTACHMENT, DEFAULT_ATTACHMENT) == (
        "markdown", "json", "html", "zip",
    )  # fmt: skip


def test_every_attachment_has_an_ending_of_its_own() -> None:
    endings = [
        ending for name in list_formats(Subject.ATTACHMENT) for ending in FORMATS[name].endings
    ]

    assert all(FORMATS[name].endings for name in list_formats(Subject.ATTACHMENT))
    assert len(endings) == len(set(endings))


@pytest.mark.parametrize("name", list_formats(Subject.REPORT))
def test_a_report_is_rendered_in_every_format(name: str) -> None:
    written = render(Subject.REPORT, name, CONTAINER, RenderContext())

    assert written
    if FORMATS[name].is_binary:
        assert isinstance(written, bytes)


def test_the_detail_reaches_the_text() -> None:
    brief, full = (
        render(Subject.REPORT, "text", CONTAINER, RenderContext(detail=detail))
        for detail in ("brief", "full")
    )

    assert len(str(brief)) < len(str(full))


@pytest.mark.parametrize("name", list_formats(Subject.EXPLANATION))
def test_an_explanation_is_rendered_in_every_format(name: str) -> None:
    assert render(Subject.EXPLANATION, name, Explanation(), RenderContext())
