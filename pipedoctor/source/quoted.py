"""Code that has to move, as text: only what tells nothing that a report would hide."""

import ast
import io
import tokenize
from collections.abc import Sequence

from pipedoctor.source.blocks import alone, first_line
from pipedoctor.source.pen import Pen

LONGEST = 2_000
"""Characters that a fact carries."""
_TELLS = {
    tokenize.STRING,
    tokenize.COMMENT,
    getattr(tokenize, "FSTRING_START", tokenize.STRING),
}


def quoted(pen: Pen, node: ast.expr) -> str:
    """An expression as it is written; empty: it holds strings, or is too long."""
    text = pen.text(pen.start(node), pen.end(node))
    return text if _plain(f"({text}\n)") and pen.same(node) else ""


def lines_of(pen: Pen, statement: ast.stmt) -> list[str]:
    """The lines of a statement without the blanks that it begins with; empty: no."""
    begin, end = first_line(statement), pen.end(statement).line
    indent = pen.indent(begin)
    lines = pen.lines[begin - 1 : end]
    deep = all(line.startswith(indent) or not line.strip() for line in lines)
    if not alone(pen, statement) or not deep:
        return []
    found = [line.removeprefix(indent) for line in lines]
    return found if _plain("\n".join(found)) else []


def _plain(text: str) -> bool:
    if len(text) > LONGEST:
        return False
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return False
    return not any(token.type in _TELLS for token in tokens)


def shifted(lines: Sequence[str], indent: str) -> str:
    """Lines behind these blanks, each with its end."""
    return "".join(f"{indent}{line}\n" if line.strip() else "\n" for line in lines)
