"""From what was typed to a comparison, and from a comparison to what is written."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import Any

import click

from pipedoctor.catalogue import installed
from pipedoctor.cli import output, privacy, sides
from pipedoctor.cli.sides import HERE
from pipedoctor.diff.build import Scope, compare
from pipedoctor.diff.model import Diff
from pipedoctor.examine import Standards
from pipedoctor.facts import SECTIONS
from pipedoctor.selection import suggestion

_FEWEST = 2
_MOST = 32
"""Sides that anybody can still read beside each other."""


def conduct(sources: Sequence[str], given: Mapping[str, Any]) -> Diff:
    """Do what was typed; raises UsageError for what cannot be meant or read."""
    catalogue = installed()
    scope = _scope(given)
    if given["since"] is not None:
        found = sides.since(given, sources, catalogue)
    else:
        _plausible(sources)
        names = _names(sources)
        found = [
            sides.typed(source, name, given, catalogue)
            for source, name in zip(sources, names, strict=True)
        ]
    return compare(catalogue, found, _standards(given), scope=scope)


def render(diff: Diff, given: Mapping[str, Any]) -> str | bytes:
    """Write it in the format that is asked for; only this one is loaded."""
    form = given["form"]
    if form == "html":
        from pipedoctor.diff import html

        return html.render(diff).encode()  # as the page says of itself
    if form != "text":
        written: str | bytes = import_module(f"pipedoctor.diff.{form}").render(diff)
        return written
    from pipedoctor.diff import text

    target = given["output"]
    return text.render(
        diff,
        width=output.width(),
        colour=output.colours(target, no_color=given["no_color"]),
        detail=(
            "brief" if given["quiet"] else "full" if given["verbose"] else "normal"
        ),
        ascii_only=output.ascii_only(target),
    )


def _plausible(sources: Sequence[str]) -> None:
    if len(sources) < _FEWEST:
        one = f"{sources[0]} here" if sources and sources[0] != HERE else "A here"
        message = (
            f"it takes two to differ: `pipedoctor diff {one}`, where `here` is this"
            " machine, or --since yesterday"
        )
        raise click.UsageError(message)
    if len(sources) > _MOST:
        message = f"{len(sources)} sides: at most {_MOST} can be compared"
        raise click.UsageError(message)
    for word in ("-", HERE):
        if sources.count(word) > 1:
            message = f"`{word}` is given twice: it would be compared with itself"
            raise click.UsageError(message)


def _names(sources: Sequence[str]) -> list[str]:
    """What the output calls them: the file's name where it is the only one."""
    short = [
        source if source in {"-", HERE} else PurePath(source).name or source
        for source in sources
    ]
    counted = Counter(short)
    plain = [
        name if counted[name] == 1 else source
        for name, source in zip(short, sources, strict=True)
    ]
    names = ["stdin" if name == "-" else name for name in plain]
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({number})" for number, name in enumerate(names, 1)]


def _scope(given: Mapping[str, Any]) -> Scope:
    return Scope(select=_sections(given["select"]), ignore=_sections(given["ignore"]))


def _sections(texts: Sequence[str]) -> tuple[str, ...]:
    """Names of sections, with commas or one by one; raises UsageError."""
    names = [name.strip() for text in texts for name in text.split(",")]
    for name in filter(None, names):
        if name not in SECTIONS:
            close = suggestion(name.lower(), SECTIONS)
            message = (
                f"{name!r} is no section of a report{close}; expected"
                f" {', '.join(SECTIONS)}"
            )
            raise click.UsageError(message)
    return tuple(filter(None, names))


def _standards(given: Mapping[str, Any]) -> Standards:
    """All checks with their own thresholds: configuration is one machine's affair."""
    told = privacy.redactor(given["output"], no_redact=given["no_redact"])
    return Standards(redactor=told)
