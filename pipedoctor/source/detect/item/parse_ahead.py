"""Code that parses the files of all items when the dataset is made, in its own names."""

import ast
import copy

from pipedoctor.source.syntax.expressions import unparse_node
from pipedoctor.source.syntax.scope import CodeScope

PARSED = "self.parsed"
_ONE = "one"
_ROW_READERS = {"csv.reader", "csv.DictReader"}
_STREAM_READERS = {"jsonlines.open", "yaml.load_all", "yaml.safe_load_all", "Bio.SeqIO.parse"}
"""They read on while their file is open."""
_MAX_DEPTH = 4
"""Variables that a path is followed through."""


def parse_ahead(scope: CodeScope, node: ast.Call, full: str) -> str:
    """
    Write ``self.parsed = [pd.read_csv(one) for one in self.files]``; empty: not so plain.

    Only where one list of ``self`` and the index of the item decide what is parsed.
    `full` is the full name of what is called.
    """
    given = scope.given_names
    stepwise = full in _ROW_READERS and any(scope.find_calls("next"))
    if (
        stepwise
        or full in _STREAM_READERS
        or scope.name.rpartition(".")[2] != "__getitem__"
        or len(given) != 1
    ):
        return ""
    opening = _find_opening(scope, node)
    item = _ListedItem(scope, given[0])
    call = item.visit(copy.deepcopy(node))
    within = item.visit(copy.deepcopy(opening.context_expr)) if opening else None
    variable = opening.optional_vars if opening else None
    bound = {unparse_node(variable)} if variable else set[str]()
    if len(item.lists) != 1 or not item.is_complete(call, within, bound):
        return ""
    (rows,) = item.lists
    text = f"list({unparse_node(call)})" if full in _ROW_READERS else unparse_node(call)
    if within is None:
        return f"{PARSED} = [{text} for {_ONE} in {rows}]"
    head = f"with {unparse_node(within)} as {next(iter(bound))}:"
    body = f"        {PARSED}.append({text})"
    return f"{PARSED} = []\nfor {_ONE} in {rows}:\n    {head}\n{body}"


def read_parsed(scope: CodeScope) -> str:
    """What stands in place of the call then: ``self.parsed[index]``."""
    return f"{PARSED}[{scope.given_names[0]}]"


def _find_opening(scope: CodeScope, node: ast.Call) -> ast.withitem | None:
    """``open(path) as file`` of the ``with`` whose file it parses."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return next(
        (
            one
            for step in scope.steps_by_type.get(ast.With, [])
            if isinstance(step.node, ast.With)
            for one in step.node.items
            if isinstance(one.optional_vars, ast.Name) and one.optional_vars.id in names
        ),
        None,
    )


class _ListedItem(ast.NodeTransformer):
    """Puts `one` in place of ``self.files[index]``, and values in place of variables."""

    def __init__(self, scope: CodeScope, index: str) -> None:
        self.index = index
        self.lists: set[str] = set()
        self._bindings = scope.bindings
        self._depth = 0

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``self.files[index]``"""
        of_self = isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name)
        if of_self and isinstance(node.slice, ast.Name) and node.slice.id == self.index:
            self.lists.add(unparse_node(node.value))
            return ast.Name(_ONE, ast.Load())
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable of this function that is bound once, to an expression."""
        values = self._bindings.get(node.id, [])
        if len(values) != 1 or self._depth >= _MAX_DEPTH or _is_unpacked(values[0][1].node):
            return node
        self._depth += 1
        found: ast.AST = self.visit(copy.deepcopy(values[0][0]))
        self._depth -= 1
        return found

    def is_complete(self, call: ast.AST, opening: ast.AST | None, bound: set[str]) -> bool:
        """Is nothing left that only ``__getitem__`` knows?"""
        nodes = [*ast.walk(call), *(ast.walk(opening) if opening else ())]
        names = {part.id for part in nodes if isinstance(part, ast.Name)}
        return not (names - bound) & {self.index, *self._bindings}


def _is_unpacked(node: ast.AST) -> bool:
    """``a, b = ...``: is the value not the variable's own?"""
    return not (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
    )
