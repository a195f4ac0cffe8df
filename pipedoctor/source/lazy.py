"""Attributes that each process must make for itself: how they become properties."""

import ast
from collections.abc import Iterable
from typing import cast

from pipedoctor.source.bindings import bound_in
from pipedoctor.source.blocks import alone, path_to, unit_of
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.naming import Known, known
from pipedoctor.source.pen import Pen, Point
from pipedoctor.source.scope import Scope

_SPECIAL = {
    "__getattr__",
    "__getattribute__",
    "__getstate__",
    "__reduce__",
    "__reduce_ex__",
    "__setattr__",
    "__slots__",
    "__dict__",
}
"""With these nobody can tell what an attribute is."""
_OFFSET = {"open", "io.open", "gzip.open"}
"""Where they have read to is part of what they are."""
_SEEDED = {
    "numpy.random.default_rng": "{func}({seed})",
    "numpy.random.RandomState": "{func}({seed} % 2**32)",
    "random.Random": "{func}({seed})",
    "torch.Generator": "{func}().manual_seed({seed})",
}


def handle(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """``self.x = open(path)``: opened by a property, in each process once."""
    kept = _Kept.of(pen, scope, node)
    if kept is None or not _reads_only(kept) or kept.hidden(f"open_{kept.bare}"):
        return NONE
    partial, system = kept.known("functools"), kept.known("os")
    opening = pen.next(pen.end(kept.call.func))
    if partial is None or system is None or pen.char(opening) != "(":
        return NONE
    own = f"self._{kept.bare}"
    comma = ", " if kept.call.args or kept.call.keywords else ""
    begun = f"{partial.name}.partial({kept.func}{comma}"
    made = f"{own}, {own}_pid = self._open_{kept.bare}(), {system.name}.getpid()"
    drop = f'"_{kept.bare}": None, "_{kept.bare}_pid": None'.replace('"', pen.quote)
    return Pieces(
        {
            "target": pen.span(pen.start(kept.statement), pen.end(kept.target)),
            "call": pen.span(pen.start(kept.call), _on(opening)),
            "after": pen.span(kept.end_of_init),
        },
        {
            "target": f"{own} = {own}_pid = None\n{kept.inner}self._open_{kept.bare}",
            "call": begun,
            "after": kept.property(system.name, [made])
            + kept.method("__getstate__", [f"return {{**self.__dict__, {drop}}}"]),
        },
        imports=(*partial.missing, *system.missing),
    )


def generator(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """``self.x = Random(1)``: as it is in this process, another one in each worker."""
    kept = _Kept.of(pen, scope, node)
    form = _SEEDED.get(kept.name) if kept else None
    if kept is None or form is None:
        return NONE
    torch, system = kept.known("torch"), kept.known("os")
    device = kept.name == "torch.Generator" and (kept.call.args or kept.call.keywords)
    if torch is None or system is None or device:
        return NONE
    own = f"self._{kept.bare}"
    fresh = form.format(func=kept.func, seed=f"{torch.name}.initial_seed()")
    lines = [f"{own}_pid = {system.name}.getpid()", f"{own} = {fresh}"]
    return Pieces(
        {
            "target": pen.span(pen.start(kept.statement), pen.end(kept.target)),
            "after": pen.span(kept.end_of_init),
        },
        {
            "target": f"{own}_pid = {system.name}.getpid()\n{kept.inner}{own}",
            "after": kept.property(system.name, lines),
        },
        imports=(*torch.missing, *system.missing),
    )


class _Kept:
    """``self.x = f(...)``, a line of ``__init__``, and all that is around it."""

    def __init__(
        self,
        pen: Pen,
        scope: Scope,
        statement: ast.Assign,
        target: ast.Attribute,
        call: ast.Call,
    ) -> None:
        self.pen, self.scope = pen, scope
        self.statement, self.target, self.call = statement, target, call
        self.bare = target.attr if target.attr[0] != "_" else f"own{target.attr}"
        self.func = ast.unparse(call.func)
        self.inner = pen.indent(statement.lineno)
        self.init = cast("ast.FunctionDef", scope.node)
        self.outer = pen.indent(scope.node.body[0].lineno)
        names = scope.module.names
        top, _, rest = self.func.partition(".")
        full = names.get(top, top)
        self.name = f"{full}.{rest}" if rest else full

    @classmethod
    def of(cls, pen: Pen, scope: Scope, node: ast.AST) -> "_Kept | None":
        """None: it is written in a way that cannot be changed exactly."""
        if not isinstance(node, ast.Assign) or not _is_init(scope):
            return None
        target, call = node.targets[0], node.value
        simple = len(node.targets) == 1 and isinstance(call, ast.Call)
        if not simple or not isinstance(target, ast.Attribute):
            return None
        path = path_to(pen.module.text.tree, node)
        if len(path) != 3 or not alone(pen, node) or not isinstance(call, ast.Call):  # noqa: PLR2004  (class, method, line)
            return None
        kept = cls(pen, scope, node, target, call)
        return kept if kept._free() else None

    def _free(self) -> bool:
        """Is everything that the property needs its own?"""
        cls = self.scope.owner
        root = self.call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        local = not isinstance(root, ast.Name) or root.id in bound_in(self.scope.node)
        if cls is None or cls.node.decorator_list or local:
            return False
        if (
            self.target.attr.startswith("__")
            or not self.pen.same(self.call)
            or self.target.attr in bound_in(cls.node)
        ):
            return False
        written = self.pen.attributes[self.target.attr]
        special = self.pen.attributes.keys() | bound_in(cls.node)
        return (
            sum(not isinstance(n.ctx, ast.Load) for n in written) == 1
            and not special & _SPECIAL
            and not self.hidden(self.bare)
            and not self.hidden(f"{self.bare}_pid")
        )

    def hidden(self, name: str) -> bool:
        """Is this private attribute there already?"""
        return f"_{name}" in self.pen.attributes

    def known(self, full: str) -> Known | None:
        return known(self.pen, self.scope, self.statement, full)

    @property
    def end_of_init(self) -> Point:
        """Behind the last line of ``__init__``, and any comment on it."""
        end = self.pen.end(self.scope.node).line
        return Point(end, len(self.pen.lines[end - 1]))

    def property(self, system: str, lines: Iterable[str]) -> str:
        """The attribute, made by these lines where no other process made it."""
        unit = unit_of(self.pen, self.init.body[0], self.init)
        own = f"self._{self.bare}"
        body = [
            f"if {own}_pid != {system}.getpid():",
            *(f"{unit}{line}" for line in lines),
            f"return {own}",
        ]
        return self.method(self.target.attr, body, "@property")

    def method(self, name: str, body: Iterable[str], *decorators: str) -> str:
        """A method, to be put behind another one."""
        outer = self.pen.indent(self.init.lineno)
        heads = [f"{outer}{line}" for line in (*decorators, f"def {name}(self):")]
        return "\n" + "".join(
            f"\n{line}" for line in [*heads, *(f"{self.outer}{one}" for one in body)]
        )


def _is_init(scope: Scope) -> bool:
    return (
        isinstance(scope.node, ast.FunctionDef)
        and scope.owner is not None
        and scope.name.endswith(".__init__")
        and not scope.node.decorator_list
        and [one.arg for one in scope.parameters[:1]] == ["self"]
        and scope.node.body[0].lineno > scope.node.lineno
    )


def _reads_only(kept: _Kept) -> bool:
    """Can it be opened a second time and be the same?"""
    modes = [kept.call.args[1]] if len(kept.call.args) > 1 else []
    modes += [word.value for word in kept.call.keywords if word.arg in {"mode", None}]
    said = [m.value if isinstance(m, ast.Constant) else None for m in modes]
    plain = all(isinstance(m, str) and m.strip("btU|:*gzx2") == "r" for m in said)
    if kept.name == "sqlite3.connect":
        plain = bool(kept.call.args) and ast.unparse(kept.call.args[0]) != "':memory:'"
    if kept.name == "lmdb.open":
        plain = True
    uses = [n for n in kept.scope.attributes if n.attr == kept.target.attr]
    unread = kept.name not in _OFFSET or len(uses) == 1
    return plain and unread and kept.name != "os.open"


def _on(at: Point) -> Point:
    return Point(at.line, at.column + 1)
