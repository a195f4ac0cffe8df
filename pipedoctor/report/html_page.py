"""
One self-contained HTML page: no network, strict policy, every value escaped.

Whoever writes a page puts a template into ``templates/`` that begins with
``{% extends "base.html.jinja" %}``, fills the blocks ``header``, ``main`` and
``footer``, and calls::

    page("What differs", "diff.html.jinja", differences=differences)

- ``macros.html.jinja`` has the building blocks: ``badge`` (a severity), ``command`` and
  ``listing`` (text with a copy button), ``pairs`` (names and values), ``table``,
  ``fold`` (``<details>``), ``link`` (clickable only if http or https), ``finding``.
- `style.css` and `page.js` are on every page; ``styles=("heat.css",)`` and
  ``scripts=("heat.js",)`` add more. Both are allowed by hash, so there is no attribute
  ``style=`` or ``on...=``: for lengths that are data write SVG attributes.
- Every ``{{ value }}`` is cleaned (`sentences.clean`) and escaped; text of many lines
  goes through the filter ``lines``, which keeps its newlines.
- `record` is JSON that stays in the page as data, for `check --from`.
"""

import base64
import functools
import hashlib
from collections.abc import Sequence
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from pipedoctor.check import shell
from pipedoctor.report import sentences
from pipedoctor.report.size_limits import cut_text
from pipedoctor.version import __version__

CONTENT_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style};"
    " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script';"
    " trusted-types 'none'"
)
_JSON_ESCAPES = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


def render_page(
    title: str,
    template: str,
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    record: str = "",
    **context: object,
) -> str:
    """Render `template` as a whole page, with whatever else it asks for."""
    style = _read_assets(("style.css", *styles))
    script = _read_assets(("page.js", *scripts))
    return (
        _create_environment()
        .get_template(template)
        .render(
            context,
            title=title,
            version=__version__,
            policy=CONTENT_POLICY.format(script=_hash_source(script), style=_hash_source(style)),
            style=Markup(style),  # noqa: S704  (ours)
            script=Markup(script),  # noqa: S704  (ours)
            record=Markup(record.translate(_JSON_ESCAPES)),  # noqa: S704  (JSON without a tag)
        )
    )


def escape_lines(text: str) -> Markup:
    """Text of many lines, cleaned and escaped, with its newlines."""
    rows = cut_text(text.rstrip("\n")).split("\n")
    return Markup("\n").join(map(sentences.clean_text, rows))


def is_clickable(text: str) -> bool:
    """Is this an address that a reader may follow: http or https, and clean?"""
    safe = text.isascii() and text.isprintable() and " " not in text
    return safe and text.startswith(("https://", "http://"))


@functools.cache
def _create_environment() -> Environment:
    made = Environment(
        loader=_create_loader(),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_clean_value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # their types are those of what stands in them already
    cast("dict[str, Any]", made.globals).update(words=sentences, shell=shell)
    made.filters["lines"] = escape_lines
    cast("dict[str, Any]", made.tests).update(clickable=is_clickable)
    return made


def _clean_value(value: object) -> Markup:
    if isinstance(value, Markup):
        return value
    return escape(cut_text(sentences.clean_text(value)))


@functools.cache
def _read_assets(names: Sequence[str]) -> str:
    known, folder = _create_environment(), _create_loader()
    return "\n".join(folder.get_source(known, name)[0] for name in names)


@functools.cache
def _create_loader() -> PackageLoader:
    return PackageLoader("pipedoctor.report")


def _hash_source(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
