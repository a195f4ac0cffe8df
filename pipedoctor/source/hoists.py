"""What is made again and again: a loader, transforms, an iterator; and made once."""

import ast

from pipedoctor.facts.source import Span
from pipedoctor.source.bindings import bound_in, names_in
from pipedoctor.source.blocks import Place, alone, path_to, unit_of
from pipedoctor.source.call_form import call_form
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.pen import Pen, Point
from pipedoctor.source.project import last_name
from pipedoctor.source.quoted import lines_of, quoted, shifted
from pipedoctor.source.scope import Scope

_PURE = {
    "cpu_count",
    "device_count",
    "int",
    "is_available",
    "len",
    "max",
    "min",
    "sched_getaffinity",
}
_LOOPS = (ast.For, ast.While)


def loader(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    """``loader = DataLoader(...)``, a line of a loop in which nothing of it changes."""
    path = path_to(pen.module.text.tree, node)
    line = path[-1].statement if path else None
    if not path or pen.start(path[-1].statement).line != pen.start(node).line:
        return NONE
    if len(path) < 2 or not isinstance(line, ast.Assign) or line.value is not node:  # noqa: PLR2004  (a loop and its line)
        return NONE
    loop = path[-2].statement
    if not isinstance(loop, ast.For) or path[-1].block is not loop.body:
        return NONE
    target = line.targets[0]
    lines = lines_of(pen, line)
    steady = isinstance(target, ast.Name) and len(line.targets) == 1
    if not lines or not steady or not _opens(pen, loop):
        return NONE
    if len(loop.body) == 1 or not isinstance(target, ast.Name):
        return NONE
    if not isinstance(node, ast.Call) or not _tells(node) or _calls_more(node):
        return NONE
    if _changes(loop, line, target.id):
        return NONE
    outer = pen.indent(loop.lineno)
    begin, end = pen.start(line).line, pen.end(line).line
    at = Point(loop.lineno, 0)
    return Pieces(
        {
            "before": pen.span(at),
            "moved": pen.span(Point(begin, 0), Point(end + 1, 0)),
        },
        {"before": shifted(_lasting(pen, node, lines), outer), "moved": ""},
    )


def _lasting(pen: Pen, node: ast.Call, lines: list[str]) -> list[str]:
    """The same call with workers that are kept: else nothing is gained."""
    word = _kept(node)
    form = call_form(pen, node) if word else None
    if form is None or form.comma is not None:
        return lines
    indent = pen.indent(node.lineno)
    row = form.end.line - pen.span(pen.start(node)).line
    column = form.end.column - 1 - len(indent)
    fits = len(form.lead) + len(word) <= form.room
    lead = (form.lead if fits else form.wrap).replace(f"\n{indent}", "\n")
    text = lines[row][:column] + lead + word + form.tail + lines[row][column:]
    return [*lines[:row], *text.split("\n"), *lines[row + 1 :]]


def _kept(node: ast.Call) -> str:
    """``persistent_workers=``, as the number of workers allows; empty: it is there."""
    words = {word.arg: word.value for word in node.keywords}
    if "persistent_workers" in words:
        return ""
    workers = words.get("num_workers")
    if isinstance(workers, ast.Constant):
        return "persistent_workers=True"
    return f"persistent_workers={ast.unparse(workers)} > 0" if workers else ""


def _tells(node: ast.Call) -> bool:
    """Is it plain how many workers there are, and whether they are kept?"""
    words = {word.arg: word.value for word in node.keywords}
    workers = words.get("num_workers")
    plain = isinstance(workers, (ast.Constant, ast.Name, ast.Attribute))
    return None not in words and (plain or "persistent_workers" in words)


def _opens(pen: Pen, statement: ast.stmt) -> bool:
    return pen.opens(pen.start(statement))


def _changes(loop: ast.For, line: ast.Assign, target: str) -> bool:
    """Does another line of the loop bind it, or anything that it is made of?"""
    others = [one for one in loop.body if one is not line]
    bound = bound_in(loop.target).union(*map(bound_in, others))
    stored = {
        n.attr
        for one in others
        for n in ast.walk(one)
        if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
    }
    parts = {n.attr for n in ast.walk(line.value) if isinstance(n, ast.Attribute)}
    early = loop.body[: loop.body.index(line)]
    used = {name for one in early for name in names_in(one)}
    own = bound_in(line.value)
    names = set(names_in(line.value)) - own | {target}
    return bool(names & bound or parts & stored or target in used)


def _calls_more(node: ast.AST) -> bool:
    """Does it make something else on the way, such as a data set?"""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and n is not node]
    waits = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    odd = any(isinstance(n, waits) for n in ast.walk(node))
    return odd or any(last_name(n.func) not in _PURE for n in calls)


def transforms(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """``Compose([...])`` of nothing but constants and what ``__init__`` sets."""
    cls = scope.owner
    init = cls.methods.get("__init__") if cls else None
    if cls is None or init is None or init is scope or not isinstance(node, ast.Call):
        return NONE
    text = quoted(pen, node)
    last = init.node.body[-1] if not isinstance(init.node, ast.Module) else None
    if not text or last is None or not _simple(pen, init, last):
        return NONE
    if not _settled(scope, init, node) or not _constructs(node):
        return NONE
    name = "_transforms"
    if name in pen.attributes:
        return NONE
    end = pen.end(last).line
    at = Point(end, len(pen.lines[end - 1]))
    own = f"\n{pen.indent(last.lineno)}self.{name} = {text}"
    return Pieces(
        {"call": pen.of(node), "after": pen.span(at)},
        {"call": f"self.{name}", "after": own},
    )


def _simple(pen: Pen, init: Scope, last: ast.stmt) -> bool:
    """Does ``__init__`` always come to its end, and end with a line of its own?"""
    returns = init.of_type.get(ast.Return, [])
    begin = getattr(init.node, "lineno", last.lineno)
    own = bool(last.lineno > begin)
    first = [one.arg for one in init.parameters[:1]] == ["self"]
    return not returns and own and first and pen.ends(pen.end(last))


def _settled(scope: Scope, init: Scope, node: ast.Call) -> bool:
    """Is everything in it known when the data set is made, and never changed?"""
    own = bound_in(scope.node)
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id in own and one.id != "self":
            return False
        if (
            isinstance(one, ast.Attribute)
            and _of_self(one)
            and not _set_once(scope, init, one.attr)
        ):
            return False
    mine = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return not any(
        isinstance(n, ast.Name) and n.id == "self" and id(n) not in mine
        for n in ast.walk(node)
    )


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _set_once(scope: Scope, init: Scope, name: str) -> bool:
    mine = {id(one) for one in ast.walk(init.node)}
    stored = [
        id(one) in mine
        for one in ast.walk(scope.module.text.tree)
        if isinstance(one, ast.Attribute)
        and one.attr == name
        and not isinstance(one.ctx, ast.Load)
    ]
    return bool(stored) and all(stored)


def _constructs(node: ast.Call) -> bool:
    """Are all calls in it those of classes, and nothing draws or reads?"""
    odd = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    if any(isinstance(n, odd) for n in ast.walk(node)):
        return False
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return all(last_name(n.func)[:1].isupper() for n in calls)


def iterator(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """``x = next(iter(loader))`` in a loop: the next batch of one iterator."""
    tree = pen.module.text.tree
    path = path_to(tree, node)
    line = path[-1].statement if path else None
    outer = _outermost(path)
    if outer is None or not isinstance(line, ast.Assign) or line.value is not node:
        return NONE
    inner = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
    given = inner.args[0] if isinstance(inner, ast.Call) and inner.args else None
    if (
        given is None
        or inner is None
        or not isinstance(given, (ast.Name, ast.Attribute))
    ):
        return NONE
    root = ast.unparse(given).partition(".")[0]
    target = ast.unparse(line.targets[0]).strip("()")
    one = len(line.targets) == 1 and _names_only(line.targets[0])
    fits = alone(pen, line) and line.lineno == line.end_lineno and _opens(pen, outer)
    changed = root in bound_in(outer) or last_name(given) in _stored(outer)
    name = "batches"
    if not (one and fits) or changed or name in set(names_in(scope.node)):
        return NONE
    unit = unit_of(pen, path[-1].block[0], path[-2].statement)
    indent = pen.indent(line.lineno)
    again = f"{name} = iter({ast.unparse(given)})"
    texts = {
        "before": f"{again}\n{pen.indent(outer.lineno)}",
        "try": f"try:\n{indent}{unit}",
        "given": name,
        "after": f"\n{indent}except StopIteration:\n{indent}{unit}{again}"
        f"\n{indent}{unit}{target} = next({name})",
    }
    return Pieces(_places(pen, outer, line, inner), texts)


def _stored(node: ast.AST) -> set[str]:
    """Names of attributes that are set or deleted in it."""
    return {
        n.attr
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
    }


def _places(
    pen: Pen, outer: ast.stmt, line: ast.stmt, inner: ast.expr
) -> dict[str, Span]:
    end = Point(line.lineno, len(pen.lines[line.lineno - 1]))
    return {
        "before": pen.span(pen.start(outer)),
        "try": pen.span(pen.start(line)),
        "given": pen.of(inner),
        "after": pen.span(end),
    }


def _outermost(path: list[Place]) -> ast.stmt | None:
    """The first loop of the innermost function around."""
    parts = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    begin = max(
        (n for n, p in enumerate(path) if isinstance(p.statement, parts)), default=-1
    )
    loops = [
        p.statement for p in path[begin + 1 : -1] if isinstance(p.statement, _LOOPS)
    ]
    return loops[0] if loops else None


def _names_only(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(isinstance(one, ast.Name) for one in node.elts)
    return isinstance(node, ast.Name)
