"""Code that has to move, as text: only what tells nothing that a report would hide."""

import ast
import io
import tokenize
from collections.abc import Sequence

from pipedoctor.source.syntax.blocks import first_line, is_alone_on_lines
from pipedoctor.source.syntax.source_text import SourceText

MAX_QUOTE_LENGTH = 2_000
"""Characters that a fact carries."""
_REVEALING_TOKENS = {
    tokenize.STRING,
    tokenize.COMMENT,
    getattr(tokenize, "FSTRING_START", tokenize.STRING),
}


def quote_expression(source: SourceText, node: ast.expr) -> str:
    """An expression as it is written; empty: it holds strings, or is too long."""
    text = source.text_between(source.node_start(node), source.node_end(node))
    return text if _is_safe_to_quote(f"({text}\n)") and source.matches_text(node) else ""


def quote_statement(source: SourceText, statement: ast.stmt) -> list[str]:
    """The lines of a statement without the blanks that it begins with; empty: no."""
    begin, end = first_line(statement), source.node_end(statement).line
    indent = source.indentation(begin)
    lines = source.lines[begin - 1 : end]
    deep = all(line.startswith(indent) or not line.strip() for line in lines)
    if not is_alone_on_lines(source, statement) or not deep:
        return []
    found = [line.removeprefix(indent) for line in lines]
    return found if _is_safe_to_quote("\n".join(found)) else []


def _is_safe_to_quote(text: str) -> bool:
    if len(text) > MAX_QUOTE_LENGTH:
        return False
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return False
    return not any(token.type in _REVEALING_TOKENS for token in tokens)


def indent_lines(lines: Sequence[str], indent: str) -> str:
    """Lines behind these blanks, each with its end."""
    return "".join(f"{indent}{line}\n" if line.strip() else "\n" for line in lines)
