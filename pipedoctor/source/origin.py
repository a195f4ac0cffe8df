"""Which loader an expression is: through variables, parameters and wrappers."""

import ast
from collections.abc import Iterator
from functools import cached_property

from pipedoctor.source.constructions import Constructions
from pipedoctor.source.holding import filled, of_field
from pipedoctor.source.project import Project, argument, last_name
from pipedoctor.source.scope import Class, Scope, key_of
from pipedoctor.source.values import Values

_DEEP = 7
_ROUNDS, _WIDE = 5, 8
"""From a container to where it was made, and in how many ways."""
THROUGH = {
    "enumerate",
    "iter",
    "tqdm",
    "trange",
    "zip",
    "islice",
    "cycle",
    "track",
    "progress_bar",
    "progressbar",
    "ProgressBar",
    "Progress",
    "log_every",
    "reversed",
    "list",
    "prepare",
    "setup_dataloaders",
    "prepare_data_loader",
    "MpDeviceLoader",
    "ParallelLoader",
    "repeat",
    "chain",
    "metric_logger",
}
"""What hands batches on, and is called with a loader among its arguments."""


class Origins:
    """Finds the loaders behind expressions of one project."""

    def __init__(
        self, project: Project, values: Values, constructions: Constructions
    ) -> None:
        self.project = project
        self.values = values
        self._by_call: dict[int, list[int]] = {}
        for index, made in enumerate(constructions.made):
            self._by_call.setdefault(id(made.site.node), []).append(index)
        self._known: dict[tuple[int, int, int], frozenset[int]] = {}
        self._empty: dict[tuple[int, int], int] = {}
        """Down to which depth nothing was found: nor is there anything nearer."""

    def of(self, node: ast.expr, scope: Scope, depth: int = _DEEP) -> frozenset[int]:
        """Indices of the loaders that this may be; empty: not known."""
        key = (id(node), id(scope))
        if depth <= 0 or not self._by_call or self._empty.get(key, 0) >= depth:
            return frozenset()
        exact = (*key, depth)
        found = self._known.get(exact)
        if found is None:
            found = frozenset(self._of(node, scope, depth - 1))
            self._known[exact] = found
            if not found:
                self._empty[key] = depth
        return found

    def _of(self, node: ast.expr, scope: Scope, depth: int) -> Iterator[int]:
        if isinstance(node, ast.Call):
            yield from self._call(node, scope, depth)
        elif isinstance(node, ast.Name) or key_of(node):
            yield from self._variable(key_of(node), scope, depth)
        elif isinstance(node, ast.Subscript):
            yield from self._part(node, scope, depth)
        elif isinstance(node, (ast.IfExp, ast.BoolOp)):
            parts = (
                [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
            )
            for part in parts:
                yield from self.of(part, scope, depth)
        elif isinstance(node, ast.Attribute):
            yield from self._attribute(node, depth)

    def _call(self, node: ast.Call, scope: Scope, depth: int) -> Iterator[int]:
        if id(node) in self._by_call:
            yield from self._by_call[id(node)]
            return
        found = self.project.found(node.func, scope.module)
        method = self._method(node.func, scope)
        if isinstance(found, Scope) or method is not None:
            target = found if isinstance(found, Scope) else method
            if target is not None:
                for value in returned(target):
                    yield from self.of(value, target, depth)
        elif isinstance(found, Class) or last_name(node.func) in THROUGH:
            for one in node.args[:2]:
                inner = one.value if isinstance(one, ast.Starred) else one
                yield from self.of(inner, scope, depth)
            for word in node.keywords:
                if word.arg in {"iterable", "loader", "dataloader", "data_loader"}:
                    yield from self.of(word.value, scope, depth)

    def _method(self, func: ast.expr, scope: Scope) -> Scope | None:
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            if func.value.id == "self" and scope.owner is not None:
                return self.project.method(scope.owner, func.attr)
        return None

    def _variable(self, key: str, scope: Scope, depth: int) -> Iterator[int]:
        found = False
        for value, its in self.values.assigned(key, scope):
            found = found or not holds_name(value, key)
            yield from self.of(value, its, depth)
        if not found and self.values.has_parameter(scope, key):
            for value, its in self.values.handed(scope, key):
                yield from self.of(value, its, depth)
        elif not found:
            for value in _given_inside(scope, key):
                yield from self.of(value, scope, depth)
            for step in scope.of_type.get(ast.For, []):
                loop = step.node
                if isinstance(loop, ast.For) and _binds(loop.target, key):
                    yield from self._each(loop.iter, scope, depth)

    def _each(self, node: ast.expr, scope: Scope, depth: int) -> Iterator[int]:
        """A loop over a tuple of loaders."""
        parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
        for part in parts:
            yield from self.of(part, scope, depth)

    def _attribute(self, node: ast.Attribute, depth: int) -> Iterator[int]:
        """``trainer.loader``: whatever class of the project has such an attribute."""
        for value, method in self._attributes.get(f"self.{node.attr}", ()):
            yield from self.of(value, method, min(depth, 3))

    @cached_property
    def _attributes(self) -> dict[str, list[tuple[ast.expr, Scope]]]:
        """What methods give to each attribute of self, in any class."""
        found: dict[str, list[tuple[ast.expr, Scope]]] = {}
        for cls in self.project.classes:
            for method in cls.methods.values():
                for key, values in method.bound.items():
                    if key.startswith("self."):
                        pairs = [(value, method) for value, _ in values]
                        found.setdefault(key, []).extend(pairs)
        return found

    def _part(self, node: ast.Subscript, scope: Scope, depth: int) -> Iterator[int]:
        """One of several that a function returns or a dictionary holds."""
        which = node.slice.value if isinstance(node.slice, ast.Constant) else None
        values = [(node.value, scope)]
        for _ in range(_ROUNDS):
            for value, its in values:
                key = key_of(value)
                for one in filled(its, key, which) if key else ():
                    yield from self.of(one, its, depth)
            before = values
            values = [pair for v, s in values for pair in self._behind(v, s)][:_WIDE]
            if [id(v) for v, _ in values] == [id(v) for v, _ in before]:
                break
        for value, its in values:
            yield from self._element(value, its, which, depth)

    def _behind(self, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        if isinstance(node, ast.Call):
            found = self.project.found(node.func, scope.module)
            target = (
                found if isinstance(found, Scope) else self._method(node.func, scope)
            )
            if target is not None:
                return [(value, target) for value in returned(target)]
        key = key_of(node)
        if key:
            given = list(self.values.assigned(key, scope))
            if not given and self.values.has_parameter(scope, key):
                given = self.values.handed(scope, key)
            return given or [(node, scope)]
        if isinstance(node, ast.Attribute):
            return self._attributes.get(f"self.{node.attr}") or [(node, scope)]
        return [(node, scope)]

    def _element(
        self, node: ast.expr, scope: Scope, which: object, depth: int
    ) -> Iterator[int]:
        if isinstance(node, (ast.Tuple, ast.List)) and isinstance(which, int):
            if -len(node.elts) <= which < len(node.elts):
                yield from self.of(node.elts[which], scope, depth)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if which is None or (
                    isinstance(key, ast.Constant) and key.value == which
                ):
                    yield from self.of(value, scope, depth)
        elif isinstance(node, ast.DictComp):
            yield from self.of(node.value, scope, depth)
        elif isinstance(node, ast.Call) and last_name(node.func) in THROUGH:
            if isinstance(which, int) and 0 <= which < len(node.args):
                yield from self.of(node.args[which], scope, depth)
        elif isinstance(node, ast.Call):
            held = of_field(node, scope, which)
            if held is not None:
                yield from self.of(held, scope, depth)


def returned(scope: Scope) -> list[ast.expr]:
    """What a function may return, itself and not the functions within it."""
    return [
        step.node.value
        for step in scope.of_type.get(ast.Return, [])
        if isinstance(step.node, ast.Return)
        and step.node.value is not None
        and not step.around.inner
    ]


def holds_name(node: ast.expr, name: str) -> bool:
    """``loader = tqdm(loader)``: is it made of what had this name before?"""
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _given_inside(scope: Scope, key: str) -> Iterator[ast.expr]:
    """What a function gives to a function within it for a parameter."""
    for name, node in scope.local.items():
        names = [one.arg for one in [*node.args.posonlyargs, *node.args.args]]
        if key not in names:
            continue
        for step in scope.calls:
            call = step.node
            if isinstance(call, ast.Call) and last_name(call.func) == name:
                given = argument(call, key, names.index(key))
                if given is not None:
                    yield given


def _binds(target: ast.expr, key: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == key for n in ast.walk(target))
