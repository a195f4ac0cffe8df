"""``random.seed(1)`` for draws nearby: a generator of their own instead."""

import ast

from pipedoctor.source.blocks import Place, alone, path_to
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.pen import Pen
from pipedoctor.source.scope import Scope

_OWN = {
    "random.seed": ("Random", "rng"),
    "numpy.random.seed": ("RandomState", "np_rng"),
}
"""The class that draws the same from the same seed, and a name for one of it."""
_CLASSES = {
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
_ALIASES = {"RandomState": {"ranf", "sample"}}
"""Functions of the module that its class lacks."""
_STATE = {"get_state", "getstate", "seed", "set_state", "setstate"}


def seeded(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """The seed, and everything that is drawn after it in its block."""
    path = path_to(scope.node, node)
    place = path[-1] if path else None
    func = node.func if isinstance(node, ast.Call) else None
    if place is None or not isinstance(func, ast.Attribute) or not _own_line(pen, node):
        return NONE
    if not isinstance(place.statement, ast.Expr) or place.statement.value is not node:
        return NONE
    module = ast.unparse(func.value)
    top = module.partition(".")[0]
    full = f"{scope.module.names.get(top, '')}{module.removeprefix(top)}.seed"
    if full not in _OWN or not alone(pen, place.statement):
        return NONE
    kind, name = _OWN[full]
    drawn = [n for n in _draws(scope.node, module) if n is not func]
    after = {id(n) for one in place.rest for n in ast.walk(one)}
    early = [n for n in drawn if n.lineno < func.lineno]
    mine = [n for n in drawn if id(n) in after]
    whole = len(early) + len(mine) == len(drawn)
    stateful = any(n.attr in _STATE or n.attr in _ALIASES.get(kind, ()) for n in drawn)
    free = not pen.takes(name)
    if not mine or not whole or stateful or not free or _looped(path[:-1]):
        return NONE
    spans = {f"draw{n}": pen.of(one.value) for n, one in enumerate(mine)}
    return Pieces(
        {"seed": pen.of(func), **spans},
        {"seed": f"{name} = {module}.{kind}", **dict.fromkeys(spans, name)},
    )


def _own_line(pen: Pen, node: ast.AST) -> bool:
    plain = isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords
    starred = plain and any(isinstance(n, ast.Starred) for n in ast.walk(node))
    return plain and not starred and isinstance(node, ast.Call) and pen.same(node)


def _draws(node: ast.AST, module: str) -> list[ast.Attribute]:
    """``random.shuffle``: everything of the module that its seed decides on."""
    return [
        one
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute)
        and one.attr not in _CLASSES
        and isinstance(one.value, (ast.Name, ast.Attribute))
        and ast.unparse(one.value) == module
    ]


def _looped(path: list[Place]) -> bool:
    loops = (ast.For, ast.AsyncFor, ast.While)
    return any(isinstance(one.statement, loops) for one in path)
