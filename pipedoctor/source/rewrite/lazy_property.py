"""Attributes that each process must make for itself: how they become properties."""

import ast
from collections.abc import Iterable
from typing import cast

from pipedoctor.source.resolve.bound_names import ModuleReference, reference_module
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.bindings import bound_names
from pipedoctor.source.syntax.blocks import (
    find_indent_unit,
    find_statement_path,
    is_alone_on_lines,
)
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText, TextPosition

_ATTRIBUTE_HOOKS = {
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
_POSITIONED_FILES = {"open", "io.open", "gzip.open"}
"""Where they have read to is part of what they are."""
_SEEDED_FORMS = {
    "numpy.random.default_rng": "{func}({seed})",
    "numpy.random.RandomState": "{func}({seed} % 2**32)",
    "random.Random": "{func}({seed})",
    "torch.Generator": "{func}().manual_seed({seed})",
}


def make_handle_lazy(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``self.x = open(path)``: opened by a property, in each process once."""
    kept = _InitAssignment.find(source, scope, node)
    if (
        kept is None
        or not _is_reopenable(kept)
        or kept.has_private_attribute(f"open_{kept.base_name}")
    ):
        return NO_PIECES
    partial, system = kept.reference_module("functools"), kept.reference_module("os")
    opening = source.next_code(source.node_end(kept.call.func))
    if partial is None or system is None or source.char_at(opening) != "(":
        return NO_PIECES
    own = f"self._{kept.base_name}"
    comma = ", " if kept.call.args or kept.call.keywords else ""
    begun = f"{partial.name}.partial({kept.function_text}{comma}"
    made = f"{own}, {own}_pid = self._open_{kept.base_name}(), {system.name}.getpid()"
    drop = f'"_{kept.base_name}": None, "_{kept.base_name}_pid": None'.replace(
        '"', source.preferred_quote
    )
    return RewritePieces(
        {
            "target": source.make_span(
                source.node_start(kept.statement), source.node_end(kept.target)
            ),
            "call": source.make_span(source.node_start(kept.call), opening.shift(1)),
            "after": source.make_span(kept.end_of_init),
        },
        {
            "target": f"{own} = {own}_pid = None\n{kept.body_indent}self._open_{kept.base_name}",
            "call": begun,
            "after": kept.write_property(system.name, [made])
            + kept.write_method("__getstate__", [f"return {{**self.__dict__, {drop}}}"]),
        },
        imports=(*partial.missing_imports, *system.missing_imports),
    )


def make_generator_lazy(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``self.x = Random(1)``: as it is in this process, another one in each worker."""
    kept = _InitAssignment.find(source, scope, node)
    form = _SEEDED_FORMS.get(kept.full_name) if kept else None
    if kept is None or form is None:
        return NO_PIECES
    torch, system = kept.reference_module("torch"), kept.reference_module("os")
    device = kept.full_name == "torch.Generator" and (kept.call.args or kept.call.keywords)
    if torch is None or system is None or device:
        return NO_PIECES
    own = f"self._{kept.base_name}"
    fresh = form.format(func=kept.function_text, seed=f"{torch.name}.initial_seed()")
    lines = [f"{own}_pid = {system.name}.getpid()", f"{own} = {fresh}"]
    return RewritePieces(
        {
            "target": source.make_span(
                source.node_start(kept.statement), source.node_end(kept.target)
            ),
            "after": source.make_span(kept.end_of_init),
        },
        {
            "target": f"{own}_pid = {system.name}.getpid()\n{kept.body_indent}{own}",
            "after": kept.write_property(system.name, lines),
        },
        imports=(*torch.missing_imports, *system.missing_imports),
    )


class _InitAssignment:
    """An assignment ``self.x = f(...)`` in ``__init__``, with the code around it."""

    def __init__(
        self,
        source: SourceText,
        scope: CodeScope,
        statement: ast.Assign,
        target: ast.Attribute,
        call: ast.Call,
    ) -> None:
        self.source, self.scope = source, scope
        self.statement, self.target, self.call = statement, target, call
        self.base_name = target.attr if target.attr[0] != "_" else f"own{target.attr}"
        self.function_text = ast.unparse(call.func)
        self.body_indent = source.indentation(statement.lineno)
        self.init_node = cast("ast.FunctionDef", scope.node)
        self.method_indent = source.indentation(scope.node.body[0].lineno)
        names = scope.module.imported_names
        top, _, rest = self.function_text.partition(".")
        full = names.get(top, top)
        self.full_name = f"{full}.{rest}" if rest else full

    @classmethod
    def find(cls, source: SourceText, scope: CodeScope, node: ast.AST) -> "_InitAssignment | None":
        """None: it is written in a way that cannot be changed exactly."""
        if not isinstance(node, ast.Assign) or not _is_init(scope):
            return None
        target, call = node.targets[0], node.value
        simple = len(node.targets) == 1 and isinstance(call, ast.Call)
        if not simple or not isinstance(target, ast.Attribute):
            return None
        path = find_statement_path(source.module.file.tree, node)
        if len(path) != 3 or not is_alone_on_lines(source, node) or not isinstance(call, ast.Call):  # noqa: PLR2004  (class, method, line)
            return None
        kept = cls(source, scope, node, target, call)
        return kept if kept._is_replaceable() else None

    def _is_replaceable(self) -> bool:
        """Is everything that the property needs its own?"""
        cls = self.scope.owner
        root = self.call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        local = not isinstance(root, ast.Name) or root.id in bound_names(self.scope.node)
        if cls is None or cls.node.decorator_list or local:
            return False
        if (
            self.target.attr.startswith("__")
            or not self.source.matches_text(self.call)
            or self.target.attr in bound_names(cls.node)
        ):
            return False
        written = self.source.attributes_by_name[self.target.attr]
        special = self.source.attributes_by_name.keys() | bound_names(cls.node)
        return (
            sum(not isinstance(n.ctx, ast.Load) for n in written) == 1
            and not special & _ATTRIBUTE_HOOKS
            and not self.has_private_attribute(self.base_name)
            and not self.has_private_attribute(f"{self.base_name}_pid")
        )

    def has_private_attribute(self, name: str) -> bool:
        """Is this private attribute there already?"""
        return f"_{name}" in self.source.attributes_by_name

    def reference_module(self, full: str) -> ModuleReference | None:
        return reference_module(self.source, self.scope, self.statement, full)

    @property
    def end_of_init(self) -> TextPosition:
        """Behind the last line of ``__init__``, and any comment on it."""
        end = self.source.node_end(self.scope.node).line
        return TextPosition(end, len(self.source.lines[end - 1]))

    def write_property(self, system: str, lines: Iterable[str]) -> str:
        """The attribute, made by these lines where no other process made it."""
        unit = find_indent_unit(self.source, self.init_node.body[0], self.init_node)
        own = f"self._{self.base_name}"
        body = [
            f"if {own}_pid != {system}.getpid():",
            *(f"{unit}{line}" for line in lines),
            f"return {own}",
        ]
        return self.write_method(self.target.attr, body, "@property")

    def write_method(self, name: str, body: Iterable[str], *decorators: str) -> str:
        """A method, to be put behind another one."""
        outer = self.source.indentation(self.init_node.lineno)
        heads = [f"{outer}{line}" for line in (*decorators, f"def {name}(self):")]
        return "\n" + "".join(
            f"\n{line}" for line in [*heads, *(f"{self.method_indent}{one}" for one in body)]
        )


def _is_init(scope: CodeScope) -> bool:
    return (
        isinstance(scope.node, ast.FunctionDef)
        and scope.owner is not None
        and scope.name.endswith(".__init__")
        and not scope.node.decorator_list
        and [one.arg for one in scope.parameters[:1]] == ["self"]
        and scope.node.body[0].lineno > scope.node.lineno
    )


def _is_reopenable(assignment: _InitAssignment) -> bool:
    """Can it be opened a second time and be the same?"""
    modes = [assignment.call.args[1]] if len(assignment.call.args) > 1 else []
    modes += [word.value for word in assignment.call.keywords if word.arg in {"mode", None}]
    mode_values = [m.value if isinstance(m, ast.Constant) else None for m in modes]
    plain = all(isinstance(m, str) and m.strip("btU|:*gzx2") == "r" for m in mode_values)
    if assignment.full_name == "sqlite3.connect":
        plain = bool(assignment.call.args) and ast.unparse(assignment.call.args[0]) != "':memory:'"
    if assignment.full_name == "lmdb.open":
        plain = True
    uses = [n for n in assignment.scope.attribute_nodes if n.attr == assignment.target.attr]
    unread = assignment.full_name not in _POSITIONED_FILES or len(uses) == 1
    return plain and unread and assignment.full_name != "os.open"
