"""From what was typed to a comparison, and from a comparison to what is written."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

import click

from pipedoctor.cli import formats
from pipedoctor.cli.actions import diff_sides, privacy
from pipedoctor.cli.actions.check_output import JUDGING_SECONDS
from pipedoctor.cli.actions.diff_sides import HERE
from pipedoctor.cli.request.requests import DiffRequest
from pipedoctor.diff.build import DiffScope, compare_sides
from pipedoctor.diff.model import Diff
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.engine.selection import suggest_name
from pipedoctor.facts import SECTIONS
from pipedoctor.pipeline import CheckPolicy

_MIN_SIDES = 2
_MAX_SIDES = 32
"""Sides that anybody can still read beside each other."""


def run_diff(request: DiffRequest, began: float) -> Diff:
    """
    Run `diff` with these options; its time counts from `began`.

    Raises UsageError for options or files that are invalid.
    """
    catalogue = get_catalogue()
    scope = _build_scope(request)
    if request.since is not None:
        found = diff_sides.read_since_sides(request, request.since, catalogue)
    else:
        _validate_sources(request.sides)
        names = _name_sides(request.sides)
        found = [
            diff_sides.read_side(source, name, request, catalogue)
            for source, name in zip(request.sides, names, strict=True)
        ]
    until = max(began + request.deadline, time.monotonic() + JUDGING_SECONDS)
    return compare_sides(catalogue, found, _build_policy(request), scope=scope, until=until)


def render_diff(diff: Diff, request: DiffRequest) -> str | bytes:
    """Write it in the format that is asked for; only this one is loaded."""
    context = formats.RenderContext(
        output=request.output,
        no_color=request.no_color,
        detail="brief" if request.quiet else "full" if request.verbose else "normal",
    )
    return formats.render(formats.Subject.DIFF, request.form, diff, context)


def _validate_sources(sources: Sequence[str]) -> None:
    if len(sources) < _MIN_SIDES:
        one = f"{sources[0]} here" if sources and sources[0] != HERE else "A here"
        message = (
            f"two sides are required: `pipedoctor diff {one}`, where `here` is this"
            " machine, or --since yesterday"
        )
        raise click.UsageError(message)
    if len(sources) > _MAX_SIDES:
        message = f"{len(sources)} sides: at most {_MAX_SIDES} can be compared"
        raise click.UsageError(message)
    for word in ("-", HERE):
        if sources.count(word) > 1:
            message = f"`{word}` is given twice: give two different sides"
            raise click.UsageError(message)


def _name_sides(sources: Sequence[str]) -> list[str]:
    """What the output calls them: the file's name where it is the only one."""
    short = [
        source if source in {"-", HERE} else PurePath(source).name or source for source in sources
    ]
    counted = Counter(short)
    plain = [
        name if counted[name] == 1 else source for name, source in zip(short, sources, strict=True)
    ]
    names = ["stdin" if name == "-" else name for name in plain]
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({number})" for number, name in enumerate(names, 1)]


def _build_scope(request: DiffRequest) -> DiffScope:
    return DiffScope(select=_parse_sections(request.select), ignore=_parse_sections(request.ignore))


def _parse_sections(texts: Sequence[str]) -> tuple[str, ...]:
    """Names of sections, with commas or one by one; raises UsageError."""
    names = [name.strip() for text in texts for name in text.split(",")]
    for name in filter(None, names):
        if name not in SECTIONS:
            close = suggest_name(name.lower(), SECTIONS)
            message = (
                f"{name!r} is not a section of a report{close}; expected {', '.join(SECTIONS)}"
            )
            raise click.UsageError(message)
    return tuple(filter(None, names))


def _build_policy(request: DiffRequest) -> CheckPolicy:
    """All checks with their own thresholds: configuration is one machine's affair."""
    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    return CheckPolicy(redactor=redactor)
