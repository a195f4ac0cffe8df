"""Expressions: what they name, and how they read as text."""

import ast

MAX_TEXT_LENGTH = 80
"""Characters of code or of a string that facts carry."""


def last_name(node: ast.expr) -> str:
    """``c`` of ``a.b.c``; empty for what is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def binding_key(node: ast.expr) -> str:
    """``x`` or ``self.x``; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else ""
    return ""


def is_self_expression(node: ast.expr) -> bool:
    """Is it ``self``, or ``cls``, or ``super()``?"""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def unparse_node(node: ast.AST) -> str:
    """An expression as text, unless it is nested too deep for that."""
    try:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
            return f"{unparse_node(node.value)}.{node.attr}"
        return ast.unparse(node)
    except (RecursionError, ValueError):
        return "..."


def unparse_short(node: ast.AST | None) -> str:
    """An expression as text, in short."""
    text = unparse_node(node) if node is not None else ""
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 3]}..."


def unparse_loop_start(loop: ast.For) -> str:
    """A loop as text, in short: only as many of its statements are unparsed as can be seen."""
    most = MAX_TEXT_LENGTH // len("\n    x")
    seen = ast.For(loop.target, loop.iter, loop.body[:most], loop.orelse[:most])
    return unparse_short(ast.copy_location(seen, loop))


def default_of_field(node: ast.expr) -> ast.expr:
    """``Options()`` of ``field(default_factory=Options)``; anything else as it is."""
    if isinstance(node, ast.Call) and last_name(node.func) in {"field", "Field"}:
        for word in node.keywords:
            if word.arg == "default_factory":
                return ast.copy_location(ast.Call(word.value, [], []), word.value)
    return node
