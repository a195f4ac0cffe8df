"""Formats that reports, comparisons and judgements are written in: one row each."""

import enum
import shlex
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pipedoctor.report.edit_diff import EditDiffs
    from pipedoctor.report.sentences import DetailLevel
    from pipedoctor.report.source_frame import SourceFrames

DEFAULT_FORMAT, DEFAULT_ATTACHMENT = "text", "markdown"


class Subject(enum.Enum):
    """What a format can render."""

    REPORT = "report"
    """What `check` prints."""
    ATTACHMENT = "attachment"
    """What `report` writes: the same report, for a bug ticket."""
    DIFF = "diff"
    EXPLANATION = "explanation"
    FLEET = "fleet"
    """What `fleet show` prints."""
    FLEET_CHANGE = "fleet-change"
    """What `fleet diff` prints."""
    HISTORY_ROWS = "history-rows"
    """What `fleet query` prints."""


class RenderContext(NamedTuple):
    """What a renderer may have to know besides what it renders."""

    output: str | None = None
    """The file it goes to; None or ``-``: stdout."""
    no_color: bool = False
    detail: "DetailLevel" = "normal"
    all_places: bool = False
    """Remedies for other places than the machine of an explanation."""
    fail_on: str = "breaks"
    exit_code: int = 0
    """With which `check` will end."""
    redacted: bool = True
    places: tuple[str, ...] = ()
    """Folders of a fleet, as they were typed."""
    statistics: bool = False
    """Counts per check instead of findings."""
    read_frames: "Callable[[], SourceFrames]" = dict
    """Reads the lines of code to show under findings."""
    read_diffs: "Callable[[], EditDiffs]" = dict
    """Reads what the edits of remedies would change."""


def _take_nothing(_: RenderContext) -> dict[str, Any]:
    return {}


class Renderer(NamedTuple):
    """The module whose function `render` writes one kind of thing in one format."""

    module: str
    """Imported when the format is asked for, and not before."""
    arguments: Callable[[RenderContext], dict[str, Any]] = _take_nothing
    """Keyword arguments of `render`, made when they are needed."""


class OutputFormat(NamedTuple):
    """One format: how it is called, and what renders what in it."""

    name: str
    renderers: Mapping[Subject, Renderer]
    endings: tuple[str, ...] = ()
    """Of the names of attachments, the usual one first."""
    is_binary: bool = False
    """Bytes that no encoding of stdout may alter: text is written as UTF-8."""


def render(subject: Subject, name: str, thing: object, context: RenderContext) -> str | bytes:
    """Write `thing`, which is of this kind, in the format of this name."""
    form = FORMATS[name]
    module, arguments = form.renderers[subject]
    written: str | bytes = import_module(module).render(thing, **arguments(context))
    return written.encode() if form.is_binary and isinstance(written, str) else written


def preload(subject: Subject, name: str) -> None:
    """Import now what `render` will need."""
    import_module(FORMATS[name].renderers[subject].module)


def list_formats(subject: Subject, default: str = DEFAULT_FORMAT) -> tuple[str, ...]:
    """Names of the formats that can render this, the default first."""
    names = [form.name for form in FORMATS.values() if subject in form.renderers]
    return tuple(sorted(names, key=lambda name: name != default))


def _describe_terminal(context: RenderContext) -> dict[str, Any]:
    from pipedoctor.cli.terminal import output

    return {
        "width": output.get_width(),
        "color": output.has_colors(context.output, no_color=context.no_color),
        "ascii_only": output.is_ascii_only(context.output),
    }


def _describe_terminal_detail(context: RenderContext) -> dict[str, Any]:
    return {**_describe_terminal(context), "detail": context.detail}


def _describe_terminal_report(context: RenderContext) -> dict[str, Any]:
    return {
        **_describe_terminal_detail(context),
        "statistics": context.statistics,
        "frames": {} if context.detail == "brief" else context.read_frames(),
        "diffs": {} if context.detail == "brief" else context.read_diffs(),
    }


def _take_diffs(context: RenderContext) -> dict[str, Any]:
    return {"diffs": context.read_diffs()}


def _describe_terminal_places(context: RenderContext) -> dict[str, Any]:
    return {**_describe_terminal(context), "all_places": context.all_places}


def _describe_plain_terminal(context: RenderContext) -> dict[str, Any]:
    from pipedoctor.cli.terminal import output

    color = output.has_colors(context.output, no_color=context.no_color)
    return {"width": output.get_width(), "color": color}


def _describe_fleet_terminal(context: RenderContext) -> dict[str, Any]:
    return {**_describe_plain_terminal(context), "places": shlex.join(context.places)}


def _describe_width(_: RenderContext) -> dict[str, Any]:
    from pipedoctor.cli.terminal import output

    return {"width": output.get_width()}


def _list_checks_and_code(context: RenderContext) -> dict[str, Any]:
    from pipedoctor.engine.catalogue import get_catalogue

    return {"checks": get_catalogue().checks, "code": context.exit_code}


def _list_checks_and_threshold(context: RenderContext) -> dict[str, Any]:
    from pipedoctor.engine.catalogue import get_catalogue

    return {"checks": get_catalogue().checks, "threshold": context.fail_on}


def _take_code(context: RenderContext) -> dict[str, Any]:
    return {"code": context.exit_code}


def _take_threshold(context: RenderContext) -> dict[str, Any]:
    return {"threshold": context.fail_on}


def _tell_redaction(context: RenderContext) -> dict[str, Any]:
    return {"redacted": context.redacted}


_ROWS = (
    OutputFormat(
        "text",
        {
            Subject.REPORT: Renderer("pipedoctor.report.text", _describe_terminal_report),
            Subject.DIFF: Renderer("pipedoctor.diff.text", _describe_terminal_detail),
            Subject.EXPLANATION: Renderer("pipedoctor.explanation.text", _describe_terminal_places),
            Subject.FLEET: Renderer("pipedoctor.fleet.output.text", _describe_fleet_terminal),
            Subject.FLEET_CHANGE: Renderer(
                "pipedoctor.fleet.output.change_text", _describe_plain_terminal
            ),
            Subject.HISTORY_ROWS: Renderer("pipedoctor.fleet.output.rows_text", _describe_width),
        },
    ),
    OutputFormat(
        "json",
        {
            Subject.REPORT: Renderer("pipedoctor.report.json"),
            Subject.ATTACHMENT: Renderer("pipedoctor.report.json"),
            Subject.DIFF: Renderer("pipedoctor.diff.json"),
            Subject.EXPLANATION: Renderer("pipedoctor.explanation.json"),
            Subject.FLEET: Renderer("pipedoctor.fleet.output.json"),
            Subject.FLEET_CHANGE: Renderer("pipedoctor.fleet.output.change_json"),
            Subject.HISTORY_ROWS: Renderer("pipedoctor.fleet.output.rows_json"),
        },
        endings=(".json",),
    ),
    OutputFormat(
        "markdown",
        {
            Subject.REPORT: Renderer("pipedoctor.report.markdown", _take_diffs),
            Subject.ATTACHMENT: Renderer("pipedoctor.report.ticket"),
            Subject.DIFF: Renderer("pipedoctor.diff.markdown"),
            Subject.EXPLANATION: Renderer("pipedoctor.explanation.markdown"),
            Subject.FLEET: Renderer("pipedoctor.fleet.output.markdown"),
        },
        endings=(".md", ".markdown"),
    ),
    OutputFormat(
        "html",
        {
            Subject.REPORT: Renderer("pipedoctor.report.html", _take_diffs),
            Subject.ATTACHMENT: Renderer("pipedoctor.report.html"),
            Subject.DIFF: Renderer("pipedoctor.diff.html"),
            Subject.FLEET: Renderer("pipedoctor.fleet.output.html"),
        },
        endings=(".html", ".htm"),
        is_binary=True,  # the page says of itself that it is UTF-8
    ),
    OutputFormat(
        "sarif",
        {
            Subject.REPORT: Renderer("pipedoctor.report.sarif", _list_checks_and_code),
            Subject.FLEET: Renderer("pipedoctor.fleet.output.sarif", _take_code),
        },
    ),
    OutputFormat(
        "junit",
        {
            Subject.REPORT: Renderer("pipedoctor.report.junit", _list_checks_and_threshold),
            Subject.FLEET: Renderer("pipedoctor.fleet.output.junit", _take_threshold),
        },
    ),
    OutputFormat("github", {Subject.REPORT: Renderer("pipedoctor.report.github")}),
    OutputFormat(
        "zip",
        {Subject.ATTACHMENT: Renderer("pipedoctor.report.bundle", _tell_redaction)},
        endings=(".zip",),
        is_binary=True,
    ),
    OutputFormat("slurm", {Subject.FLEET: Renderer("pipedoctor.fleet.output.slurm")}),
    OutputFormat("kubectl", {Subject.FLEET: Renderer("pipedoctor.fleet.output.kubectl")}),
    OutputFormat("ansible", {Subject.FLEET: Renderer("pipedoctor.fleet.output.ansible")}),
    OutputFormat("prometheus", {Subject.FLEET: Renderer("pipedoctor.fleet.output.prometheus")}),
    OutputFormat(
        "csv",
        {
            Subject.HISTORY_ROWS: Renderer("pipedoctor.fleet.output.rows_csv"),
        },
    ),
)
FORMATS: Mapping[str, OutputFormat] = {form.name: form for form in _ROWS}
"""By name, in the order in which help lists them."""
