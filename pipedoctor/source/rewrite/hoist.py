"""What is made again and again: a loader, transforms, an iterator; and made once."""

import ast

from pipedoctor.facts.call_text import Span
from pipedoctor.source.rewrite.call_form import measure_call
from pipedoctor.source.rewrite.quote_code import (
    indent_lines,
    quote_expression,
    quote_statement,
)
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.bindings import bound_names, collect_names
from pipedoctor.source.syntax.blocks import (
    StatementPosition,
    find_indent_unit,
    find_statement_path,
    is_alone_on_lines,
)
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText, TextPosition

_PURE_FUNCTIONS = {
    "cpu_count",
    "device_count",
    "int",
    "is_available",
    "len",
    "max",
    "min",
    "sched_getaffinity",
}
_LOOP_TYPES = (ast.For, ast.While)


def hoist_loader(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``loader = DataLoader(...)``, a line of a loop in which nothing of it changes."""
    path = find_statement_path(source.module.file.tree, node)
    line = path[-1].statement if path else None
    if not path or source.node_start(path[-1].statement).line != source.node_start(node).line:
        return NO_PIECES
    if len(path) < 2 or not isinstance(line, ast.Assign) or line.value is not node:  # noqa: PLR2004  (a loop and its line)
        return NO_PIECES
    loop = path[-2].statement
    if not isinstance(loop, ast.For) or path[-1].block is not loop.body:
        return NO_PIECES
    target = line.targets[0]
    lines = quote_statement(source, line)
    steady = isinstance(target, ast.Name) and len(line.targets) == 1
    if not lines or not steady or not _starts_its_line(source, loop):
        return NO_PIECES
    if len(loop.body) == 1 or not isinstance(target, ast.Name):
        return NO_PIECES
    if not isinstance(node, ast.Call) or not _has_known_workers(node) or _has_other_calls(node):
        return NO_PIECES
    if _is_changed_in_loop(loop, line, target.id):
        return NO_PIECES
    outer = source.indentation(loop.lineno)
    begin, end = source.node_start(line).line, source.node_end(line).line
    at = TextPosition(loop.lineno, 0)
    return RewritePieces(
        {
            "before": source.make_span(at),
            "moved": source.make_span(TextPosition(begin, 0), TextPosition(end + 1, 0)),
        },
        {
            "before": indent_lines(_add_persistent_workers(source, node, lines), outer),
            "moved": "",
        },
    )


def _add_persistent_workers(source: SourceText, node: ast.Call, lines: list[str]) -> list[str]:
    """The same call with workers that are kept: else nothing is gained."""
    word = _persistent_argument(node)
    form = measure_call(source, node) if word else None
    if form is None or form.comma is not None:
        return lines
    indent = source.indentation(node.lineno)
    row = form.end.line - source.make_span(source.node_start(node)).line
    column = form.end.column - 1 - len(indent)
    fits = len(form.lead) + len(word) <= form.room
    lead = (form.lead if fits else form.wrap).replace(f"\n{indent}", "\n")
    text = lines[row][:column] + lead + word + form.tail + lines[row][column:]
    return [*lines[:row], *text.split("\n"), *lines[row + 1 :]]


def _persistent_argument(node: ast.Call) -> str:
    """``persistent_workers=``, as the number of workers allows; empty: it is there."""
    words = {word.arg: word.value for word in node.keywords}
    if "persistent_workers" in words:
        return ""
    workers = words.get("num_workers")
    if isinstance(workers, ast.Constant):
        return "persistent_workers=True"
    return f"persistent_workers={ast.unparse(workers)} > 0" if workers else ""


def _has_known_workers(node: ast.Call) -> bool:
    """Is it known how many workers there are, and whether they persist?"""
    words = {word.arg: word.value for word in node.keywords}
    workers = words.get("num_workers")
    plain = isinstance(workers, (ast.Constant, ast.Name, ast.Attribute))
    return None not in words and (plain or "persistent_workers" in words)


def _starts_its_line(source: SourceText, statement: ast.stmt) -> bool:
    return source.is_line_start(source.node_start(statement))


def _is_changed_in_loop(loop: ast.For, line: ast.Assign, target: str) -> bool:
    """Does another line of the loop bind it, or anything that it is made of?"""
    others = [one for one in loop.body if one is not line]
    bound = bound_names(loop.target).union(*map(bound_names, others))
    stored = {
        n.attr
        for one in others
        for n in ast.walk(one)
        if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
    }
    parts = {n.attr for n in ast.walk(line.value) if isinstance(n, ast.Attribute)}
    early = loop.body[: loop.body.index(line)]
    used = {name for one in early for name in collect_names(one)}
    own = bound_names(line.value)
    names = set(collect_names(line.value)) - own | {target}
    return bool(names & bound or parts & stored or target in used)


def _has_other_calls(node: ast.AST) -> bool:
    """Does it make something else on the way, such as a dataset?"""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and n is not node]
    waits = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    odd = any(isinstance(n, waits) for n in ast.walk(node))
    return odd or any(last_name(n.func) not in _PURE_FUNCTIONS for n in calls)


def hoist_transforms(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``Compose([...])`` of nothing but constants and what ``__init__`` sets."""
    cls = scope.owner
    init = cls.methods.get("__init__") if cls else None
    if cls is None or init is None or init is scope or not isinstance(node, ast.Call):
        return NO_PIECES
    text = quote_expression(source, node)
    last = init.node.body[-1] if not isinstance(init.node, ast.Module) else None
    if not text or last is None or not _has_simple_end(source, init, last):
        return NO_PIECES
    if not _is_fixed_after_init(scope, init, node) or not _only_constructs(node):
        return NO_PIECES
    name = "_transforms"
    if name in source.attributes_by_name:
        return NO_PIECES
    end = source.node_end(last).line
    at = TextPosition(end, len(source.lines[end - 1]))
    own = f"\n{source.indentation(last.lineno)}self.{name} = {text}"
    return RewritePieces(
        {"call": source.node_span(node), "after": source.make_span(at)},
        {"call": f"self.{name}", "after": own},
    )


def _has_simple_end(source: SourceText, init: CodeScope, last: ast.stmt) -> bool:
    """Does ``__init__`` always come to its end, and end with a line of its own?"""
    returns = init.steps_by_type.get(ast.Return, [])
    begin = getattr(init.node, "lineno", last.lineno)
    own = bool(last.lineno > begin)
    first = [one.arg for one in init.parameters[:1]] == ["self"]
    return not returns and own and first and source.is_line_end(source.node_end(last))


def _is_fixed_after_init(scope: CodeScope, init: CodeScope, node: ast.Call) -> bool:
    """Is everything in it known when the dataset is made, and never changed?"""
    own = bound_names(scope.node)
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id in own and one.id != "self":
            return False
        if (
            isinstance(one, ast.Attribute)
            and _is_self_attribute(one)
            and not _is_set_only_in_init(scope, init, one.attr)
        ):
            return False
    mine = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return not any(
        isinstance(n, ast.Name) and n.id == "self" and id(n) not in mine for n in ast.walk(node)
    )


def _is_self_attribute(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_set_only_in_init(scope: CodeScope, init: CodeScope, name: str) -> bool:
    mine = {id(one) for one in ast.walk(init.node)}
    stored = [
        id(one) in mine
        for one in ast.walk(scope.module.file.tree)
        if isinstance(one, ast.Attribute) and one.attr == name and not isinstance(one.ctx, ast.Load)
    ]
    return bool(stored) and all(stored)


def _only_constructs(node: ast.Call) -> bool:
    """Are all calls in it those of classes, and nothing draws or reads?"""
    odd = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    if any(isinstance(n, odd) for n in ast.walk(node)):
        return False
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return all(last_name(n.func)[:1].isupper() for n in calls)


def hoist_iterator(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``x = next(iter(loader))`` in a loop: the next batch of one iterator."""
    tree = source.module.file.tree
    path = find_statement_path(tree, node)
    line = path[-1].statement if path else None
    outer = _outermost_loop(path)
    if outer is None or not isinstance(line, ast.Assign) or line.value is not node:
        return NO_PIECES
    inner = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
    given = inner.args[0] if isinstance(inner, ast.Call) and inner.args else None
    if given is None or inner is None or not isinstance(given, (ast.Name, ast.Attribute)):
        return NO_PIECES
    root = ast.unparse(given).partition(".")[0]
    target = ast.unparse(line.targets[0]).strip("()")
    one = len(line.targets) == 1 and _has_only_names(line.targets[0])
    fits = (
        is_alone_on_lines(source, line)
        and line.lineno == line.end_lineno
        and _starts_its_line(source, outer)
    )
    changed = root in bound_names(outer) or last_name(given) in _stored_attributes(outer)
    name = "batches"
    if not (one and fits) or changed or name in set(collect_names(scope.node)):
        return NO_PIECES
    unit = find_indent_unit(source, path[-1].block[0], path[-2].statement)
    indent = source.indentation(line.lineno)
    again = f"{name} = iter({ast.unparse(given)})"
    texts = {
        "before": f"{again}\n{source.indentation(outer.lineno)}",
        "try": f"try:\n{indent}{unit}",
        "given": name,
        "after": f"\n{indent}except StopIteration:\n{indent}{unit}{again}"
        f"\n{indent}{unit}{target} = next({name})",
    }
    return RewritePieces(_iterator_spans(source, outer, line, inner), texts)


def _stored_attributes(node: ast.AST) -> set[str]:
    """Names of attributes that are set or deleted in it."""
    return {
        n.attr
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
    }


def _iterator_spans(
    source: SourceText, outer: ast.stmt, line: ast.stmt, inner: ast.expr
) -> dict[str, Span]:
    end = TextPosition(line.lineno, len(source.lines[line.lineno - 1]))
    return {
        "before": source.make_span(source.node_start(outer)),
        "try": source.make_span(source.node_start(line)),
        "given": source.node_span(inner),
        "after": source.make_span(end),
    }


def _outermost_loop(path: list[StatementPosition]) -> ast.stmt | None:
    """The first loop of the innermost function around."""
    parts = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    begin = max((n for n, p in enumerate(path) if isinstance(p.statement, parts)), default=-1)
    loops = [p.statement for p in path[begin + 1 : -1] if isinstance(p.statement, _LOOP_TYPES)]
    return loops[0] if loops else None


def _has_only_names(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(isinstance(one, ast.Name) for one in node.elts)
    return isinstance(node, ast.Name)
