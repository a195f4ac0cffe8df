"""How a call is written: where its arguments stand, and where another one fits."""

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from pipedoctor.facts.call_text import Call, Given, Span
from pipedoctor.source.syntax.source_text import SourceText, TextPosition


class ArgumentText(NamedTuple):
    """An argument with the parentheses around it, and the comma after it."""

    node: ast.expr | ast.keyword
    start: TextPosition
    end: TextPosition
    comma: TextPosition | None


def measure_call(
    source: SourceText,
    node: ast.Call,
    parameters: Sequence[str] = (),
    *,
    direct: bool = False,
) -> Call | None:
    """Measure a call; `names` are those of its positions. None: not exactly known."""
    if not source.matches_text(node):
        return None
    found = _find_arguments(source, node)
    if found is None:
        return None
    opening, items = found
    closing = source.node_end(node).shift(-1)
    given = {
        name: _measure_argument(source, items, n, closing)
        for n, item in enumerate(items)
        if (name := _argument_name(item, n, parameters))
    }
    if not items:
        return Call(
            end=source.make_span(opening.shift(1)),
            lead="",
            wrap="",
            room=99,
            direct=direct,
        )
    return _measure_insertion(
        source, items, Call(end=source.node_span(node), given=given, direct=direct)
    )


def _find_arguments(
    source: SourceText, node: ast.Call
) -> tuple[TextPosition, list[ArgumentText]] | None:
    """The opening parenthesis and the arguments, by walking through the text."""
    at = source.next_code(source.node_end(node.func))
    while source.char_at(at) == ")":
        at = source.next_code(at.shift(1))
    closing = source.node_end(node).shift(-1)
    opening = at
    if source.char_at(opening) != "(" or source.char_at(closing) != ")":
        return None
    every: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
    every.sort(key=source.node_start)
    items: list[ArgumentText] = []
    at = source.next_code(opening.shift(1))
    for one in every:
        end = source.node_end(one)
        after = source.next_code(end)
        while source.char_at(after) == ")" and after != closing:
            end = after.shift(1)
            after = source.next_code(end)
        comma = after if source.char_at(after) == "," else None
        items.append(ArgumentText(one, at, end, comma))
        at = source.next_code(after.shift(1)) if comma else after
        if source.node_start(one) > end or items[-1].start > source.node_start(one):
            return None
    return (opening, items) if at == closing else None


def _argument_name(item: ArgumentText, number: int, names: Sequence[str]) -> str:
    if isinstance(item.node, ast.keyword):
        return item.node.arg or ""
    if isinstance(item.node, ast.Starred):
        return ""
    return names[number] if number < len(names) else str(number)


def _measure_argument(
    source: SourceText, items: list[ArgumentText], number: int, closing: TextPosition
) -> Given:
    item = items[number]
    value = item.node.value if isinstance(item.node, ast.keyword) else item.node
    whole = None
    if isinstance(item.node, ast.keyword):
        whole = _removable_span(source, items, number, closing)
    plain = _dotted_name(value)
    assert isinstance(value, ast.expr)  # noqa: S101  (of a keyword as of an argument)
    return Given(value=source.node_span(value), whole=whole, plain=plain)


_ENDS_LINE = re.compile(r"[\s)\]},:;]*(#.*)?")
"""What may stand behind the arguments where a further line looks as if people had begun it."""


def _dotted_name(node: ast.AST) -> str:
    """``a.b``, however long; empty for what is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _removable_span(
    source: SourceText, items: list[ArgumentText], number: int, closing: TextPosition
) -> Span | None:
    """What goes when a keyword goes, so that it looks as if it had never been."""
    item = items[number]
    before = items[number - 1] if number else None
    following = items[number + 1] if number + 1 < len(items) else None
    after = item.comma.shift(1) if item.comma else item.end
    ends_line = after.line < closing.line and source.is_line_end(after)
    if ends_line and source.is_line_start(item.start):
        return source.make_span(TextPosition(item.start.line, 0), TextPosition(after.line + 1, 0))
    if item.comma and following and following.start.line == after.line:
        return source.make_span(item.start, following.start)
    if before is None:
        return source.make_span(item.start, after)
    if item.comma and before.comma and ends_line:
        return source.make_span(before.comma.shift(1), after)
    if "#" in source.text_between(before.end, item.start):
        return None
    return source.make_span(before.end, item.end)


def _measure_insertion(source: SourceText, items: list[ArgumentText], form: Call) -> Call:
    """Where and how one more argument goes after the last."""
    first, last = items[0], items[-1]
    anchor = last.comma.shift(1) if last.comma else last.end
    comma: TextPosition | None = None
    lead, tail = (" ", ",") if last.comma else (", ", "")
    behind = source.lines[anchor.line - 1][anchor.column :]
    ends_line = _ENDS_LINE.fullmatch(behind) is not None
    wrap = lead.rstrip() + "\n" + _continuation_indent(source, first, last) if ends_line else lead
    if source.is_line_start(last.start):
        indent = "\n" + source.indentation(last.start.line)
        lead = wrap = indent if last.comma else f",{indent}"
        if source.is_before_comment(anchor):
            comma = None if last.comma else last.end
            anchor = TextPosition(anchor.line, len(source.lines[anchor.line - 1]))
            lead, wrap, tail = indent, indent, ","
    return Call(
        end=source.make_span(anchor),
        comma=source.make_span(comma) if comma else None,
        lead=lead,
        wrap=wrap,
        tail=tail,
        room=source.max_width - len(source.lines[anchor.line - 1]),
        given=form.given,
        direct=form.direct,
    )


def _continuation_indent(source: SourceText, first: ArgumentText, last: ArgumentText) -> str:
    """The blanks of a further line: as the last one, or under the first argument."""
    if last.start.line > first.start.line:
        return source.indentation(last.start.line)
    indent = source.indentation(first.start.line)
    return indent + " " * (first.start.column - len(indent))
