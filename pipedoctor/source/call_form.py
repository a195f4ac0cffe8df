"""How a call is written: where its arguments stand, and where another one fits."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from pipedoctor.facts.source import Call, Given, Span
from pipedoctor.source.pen import Pen, Point


class Item(NamedTuple):
    """An argument with the parentheses around it, and the comma after it."""

    node: ast.expr | ast.keyword
    start: Point
    end: Point
    comma: Point | None


def call_form(
    pen: Pen, node: ast.Call, names: Sequence[str] = (), *, direct: bool = False
) -> Call | None:
    """Measure a call; `names` are those of its positions. None: not exactly known."""
    if not pen.same(node):
        return None
    found = _items(pen, node)
    if found is None:
        return None
    opening, items = found
    closing = _back(pen.end(node))
    given = {
        name: _given(pen, items, n, closing)
        for n, item in enumerate(items)
        if (name := _name(item, n, names))
    }
    if not items:
        return Call(
            end=pen.span(_on(opening)), lead="", wrap="", room=99, direct=direct
        )
    return _end(pen, items, Call(end=pen.of(node), given=given, direct=direct))


def _items(pen: Pen, node: ast.Call) -> tuple[Point, list[Item]] | None:
    """The opening parenthesis and the arguments, by walking through the text."""
    at = pen.next(pen.end(node.func))
    while pen.char(at) == ")":
        at = pen.next(_on(at))
    closing = _back(pen.end(node))
    opening = at
    if pen.char(opening) != "(" or pen.char(closing) != ")":
        return None
    every: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
    every.sort(key=pen.start)
    items: list[Item] = []
    at = pen.next(_on(opening))
    for one in every:
        end = pen.end(one)
        after = pen.next(end)
        while pen.char(after) == ")" and after != closing:
            end = _on(after)
            after = pen.next(end)
        comma = after if pen.char(after) == "," else None
        items.append(Item(one, at, end, comma))
        at = pen.next(_on(after)) if comma else after
        if pen.start(one) > end or items[-1].start > pen.start(one):
            return None
    return (opening, items) if at == closing else None


def _name(item: Item, number: int, names: Sequence[str]) -> str:
    if isinstance(item.node, ast.keyword):
        return item.node.arg or ""
    if isinstance(item.node, ast.Starred):
        return ""
    return names[number] if number < len(names) else str(number)


def _given(pen: Pen, items: list[Item], number: int, closing: Point) -> Given:
    item = items[number]
    value = item.node.value if isinstance(item.node, ast.keyword) else item.node
    whole = None
    if isinstance(item.node, ast.keyword):
        whole = _whole(pen, items, number, closing)
    plain = _dotted(value)
    assert isinstance(value, ast.expr)  # noqa: S101  (of a keyword as of an argument)
    return Given(value=pen.of(value), whole=whole, plain=plain)


def _dotted(node: ast.AST) -> str:
    """``a.b``, however long; empty for what is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _whole(pen: Pen, items: list[Item], number: int, closing: Point) -> Span | None:
    """What goes when a keyword goes, so that it looks as if it had never been."""
    item = items[number]
    before = items[number - 1] if number else None
    following = items[number + 1] if number + 1 < len(items) else None
    after = _on(item.comma) if item.comma else item.end
    ends_line = after.line < closing.line and pen.ends(after)
    if ends_line and pen.opens(item.start):
        return pen.span(Point(item.start.line, 0), Point(after.line + 1, 0))
    if item.comma and following and following.start.line == after.line:
        return pen.span(item.start, following.start)
    if before is None:
        return pen.span(item.start, after)
    if item.comma and before.comma and ends_line:
        return pen.span(_on(before.comma), after)
    if "#" in pen.text(before.end, item.start):
        return None
    return pen.span(before.end, item.end)


def _end(pen: Pen, items: list[Item], form: Call) -> Call:
    """Where and how one more argument goes after the last."""
    first, last = items[0], items[-1]
    anchor = _on(last.comma) if last.comma else last.end
    comma: Point | None = None
    lead, tail = (" ", ",") if last.comma else (", ", "")
    wrap = lead.rstrip() + "\n" + _hanging(pen, first, last)
    if pen.opens(last.start):
        indent = "\n" + pen.indent(last.start.line)
        lead = wrap = indent if last.comma else f",{indent}"
        if pen.comment(anchor):
            comma = None if last.comma else last.end
            anchor = Point(anchor.line, len(pen.lines[anchor.line - 1]))
            lead, wrap, tail = indent, indent, ","
    return Call(
        end=pen.span(anchor),
        comma=pen.span(comma) if comma else None,
        lead=lead,
        wrap=wrap,
        tail=tail,
        room=pen.width - len(pen.lines[anchor.line - 1]),
        given=form.given,
        direct=form.direct,
    )


def _hanging(pen: Pen, first: Item, last: Item) -> str:
    """The blanks of a further line: as the last one, or under the first argument."""
    if last.start.line > first.start.line:
        return pen.indent(last.start.line)
    indent = pen.indent(first.start.line)
    return indent + " " * (first.start.column - len(indent))


def _on(at: Point) -> Point:
    return Point(at.line, at.column + 1)


def _back(at: Point) -> Point:
    return Point(at.line, at.column - 1)
