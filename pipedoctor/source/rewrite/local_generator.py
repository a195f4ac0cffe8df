"""``random.seed(1)`` for draws nearby: a generator of their own instead."""

import ast

from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.blocks import (
    StatementPosition,
    find_statement_path,
    is_alone_on_lines,
)
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText

_GENERATOR_CLASSES = {
    "random.seed": ("Random", "rng"),
    "numpy.random.seed": ("RandomState", "np_rng"),
}
"""The class that draws the same from the same seed, and a name for one of it."""
_RANDOM_CLASSES = {
    "BitGenerator",
    "Generator",
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "Random",
    "RandomState",
    "SFC64",
    "SeedSequence",
    "SystemRandom",
    "default_rng",
}
_MODULE_ONLY_FUNCTIONS = {"RandomState": {"ranf", "sample"}}
"""Functions of the module that its class lacks."""
_STATE_FUNCTIONS = {"get_state", "getstate", "seed", "set_state", "setstate"}


def localize_generator(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """The seed, and everything that is drawn after it in its block."""
    path = find_statement_path(scope.node, node)
    place = path[-1] if path else None
    func = node.func if isinstance(node, ast.Call) else None
    if (
        place is None
        or not isinstance(func, ast.Attribute)
        or not _is_plain_seed_call(source, node)
    ):
        return NO_PIECES
    if not isinstance(place.statement, ast.Expr) or place.statement.value is not node:
        return NO_PIECES
    module = ast.unparse(func.value)
    top = module.partition(".")[0]
    full = f"{scope.module.imported_names.get(top, '')}{module.removeprefix(top)}.seed"
    if full not in _GENERATOR_CLASSES or not is_alone_on_lines(source, place.statement):
        return NO_PIECES
    kind, name = _GENERATOR_CLASSES[full]
    drawn = [n for n in _find_draws(scope.node, module) if n is not func]
    after = {id(n) for one in place.next_statements for n in ast.walk(one)}
    early = [n for n in drawn if n.lineno < func.lineno]
    mine = [n for n in drawn if id(n) in after]
    whole = len(early) + len(mine) == len(drawn)
    stateful = any(
        n.attr in _STATE_FUNCTIONS or n.attr in _MODULE_ONLY_FUNCTIONS.get(kind, ()) for n in drawn
    )
    free = not source.is_name_used(name)
    if not mine or not whole or stateful or not free or _is_in_loop(path[:-1]):
        return NO_PIECES
    spans = {f"draw{n}": source.node_span(one.value) for n, one in enumerate(mine)}
    return RewritePieces(
        {"seed": source.node_span(func), **spans},
        {"seed": f"{name} = {module}.{kind}", **dict.fromkeys(spans, name)},
    )


def _is_plain_seed_call(source: SourceText, node: ast.AST) -> bool:
    plain = isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords
    starred = plain and any(isinstance(n, ast.Starred) for n in ast.walk(node))
    return plain and not starred and isinstance(node, ast.Call) and source.matches_text(node)


def _find_draws(node: ast.AST, module: str) -> list[ast.Attribute]:
    """``random.shuffle``: everything of the module that its seed decides on."""
    return [
        one
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute)
        and one.attr not in _RANDOM_CLASSES
        and isinstance(one.value, (ast.Name, ast.Attribute))
        and ast.unparse(one.value) == module
    ]


def _is_in_loop(path: list[StatementPosition]) -> bool:
    loops = (ast.For, ast.AsyncFor, ast.While)
    return any(isinstance(one.statement, loops) for one in path)
