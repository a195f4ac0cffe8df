"""The pieces of the code behind an event that a remedy would change."""

import ast
from collections.abc import Callable, Iterator

from pipedoctor.source import hoists
from pipedoctor.source.around import Step
from pipedoctor.source.call_form import call_form
from pipedoctor.source.guarded import started, threads
from pipedoctor.source.lazy import generator, handle
from pipedoctor.source.managed import opened
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.naming import known
from pipedoctor.source.own_generator import seeded
from pipedoctor.source.pen import Pen, Point
from pipedoctor.source.project import last_name
from pipedoctor.source.renamed import public, renamed
from pipedoctor.source.root import root_of
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.sent import sent
from pipedoctor.source.values import in_full
from pipedoctor.source.walk import nodes

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)


def pieces(pen: Pen, kind: str, scope: Scope, step: Step) -> Pieces:
    """Measure what stands behind an event of this kind."""
    measure = _MEASURES.get(kind)
    node = step.node
    if measure is None or not hasattr(node, "lineno"):
        return NONE
    if isinstance(node, ast.Call) and not pen.same(node):
        return NONE
    try:
        return measure(pen, scope, node)
    except RecursionError:  # nested as no code is that somebody wrote
        return NONE


def _copy(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    if not isinstance(node, ast.Call) or any(w.arg is None for w in node.keywords):
        return NONE
    return Pieces(
        details={"written": root_of(node) in _written_in_place(scope)},
        call=call_form(pen, node),
    )


def _written_in_place(scope: Scope) -> set[str]:
    """Names whose tensors are written to anywhere in this function."""
    if scope.in_place is None:
        scope.in_place = _in_place(scope)
    return scope.in_place


_WRITING = (ast.Subscript, ast.AugAssign, ast.Call, ast.keyword)


def _in_place(scope: Scope) -> set[str]:
    found: set[str] = set()
    for node in nodes(scope.node, _WRITING):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found.add(root_of(node))
        elif isinstance(node, ast.AugAssign):
            found.add(root_of(node.target))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr.endswith("_") and not node.func.attr.startswith("_"):
                found.add(root_of(node.func))
        if isinstance(node, ast.keyword) and node.arg == "out":
            found.add(root_of(node.value))
    return found


def _created(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    """``torch.zeros(3).to(device)``: the inner call, and what moves its result."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return NONE
    inner = node.func.value
    device = _device(pen, node)
    words = {word.arg for word in node.keywords}
    if not device or words - {"non_blocking"} or not isinstance(inner, ast.Call):
        return NONE
    if {word.arg for word in inner.keywords} & {"device", "requires_grad", None}:
        return NONE
    spans = {"move": pen.span(pen.end(inner), pen.end(node))}
    draws = last_name(inner.func) in {"rand", "randn", "randint"}
    return Pieces(spans, {"device": device, "draws": draws}, call_form(pen, inner))


def _device(pen: Pen, node: ast.Call) -> str:
    if last_name(node.func) == "cuda":
        return "" if node.args else f"{pen.quote}cuda{pen.quote}"
    if len(node.args) != 1:
        return ""
    text = in_full(node.args[0])
    if isinstance(node.args[0], ast.Constant):
        said = node.args[0].value
        return text if isinstance(said, str) and said.startswith("cuda") else ""
    plain = isinstance(node.args[0], (ast.Name, ast.Attribute))
    return text if plain and last_name(node.args[0]) in {"device", "dev"} else ""


def _statement(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    """A call that is a line of its own, and not all that its block does."""
    found = pen.blocks.get(id(node))
    if found is None or len(found[0]) == 1:
        return NONE
    statement = found[1]
    start, end = pen.start(statement), pen.end(statement)
    if not (pen.opens(start) and pen.ends(end)):
        return NONE
    if end.line == len(pen.lines):
        return NONE
    return Pieces({"line": pen.span(Point(start.line, 0), Point(end.line + 1, 0))})


def _kept_graph(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """``total += loss``: the loss, if it is a tensor whatever happened to it."""
    if not isinstance(node, ast.AugAssign):
        return NONE
    parts: list[ast.expr] = [node.value]
    if isinstance(node.value, ast.BinOp):
        parts = [node.value.left, node.value.right]
    spans = {
        f"{part.id}": pen.span(pen.end(part))
        for part in parts
        if isinstance(part, ast.Name) and not _numbered(scope, part.id)
    }
    return Pieces(spans)


def _numbered(scope: Scope, name: str) -> bool:
    """Is a plain number ever assigned to it?"""
    return any(
        (
            last_name(n.func) in {"item", "float", "tolist", "numpy", "mean", "sum"}
            and not isinstance(n.func, ast.Attribute)
        )
        or (isinstance(n.func, ast.Attribute) and n.func.attr in {"item", "tolist"})
        for value, _ in scope.bound.get(name, [])
        for n in ast.walk(value)
        if isinstance(n, ast.Call)
    )


def _next(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return NONE
    tail = pen.span(pen.end(node.func.value), pen.end(node))
    return Pieces({"start": pen.span(pen.start(node)), "tail": tail})


def _pinned(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    inner = (
        node.func.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else None
    )
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        return Pieces({"pin": pen.span(pen.end(inner.func.value), pen.end(inner))})
    return NONE


def _bgr(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return NONE
    local = key_of(node.func.value)
    start, end = pen.span(pen.start(node)), pen.span(pen.end(node))
    return Pieces({"start": start, "end": end}, {"local": local}) if local else NONE


def _seed(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return NONE
    torch = known(pen, scope, node, "torch")
    if torch is None or isinstance(node.args[0], ast.Starred):
        return NONE
    said = {"seed": pen.of(node.args[0])}
    return Pieces(said, {"torch": torch.name}, imports=torch.missing)


def _wrapper(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    """``Variable(x)``: what stands around x."""
    if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 1:
        return NONE
    inner = node.args[0]
    if isinstance(inner, (ast.Starred, ast.GeneratorExp)):
        return NONE
    form = call_form(pen, node)
    start, end = pen.start(node), pen.end(node)
    plain = isinstance(inner, _ATOMS) and not isinstance(inner, ast.Constant)
    around = (
        pen.text(pen.end(node.func), pen.start(inner)),
        pen.text(pen.end(inner), end),
    )
    if form is None or around != ("(", ")"):
        return NONE
    if not plain:
        return Pieces({"open": pen.span(start, pen.end(node.func))})
    return Pieces(
        {
            "open": pen.span(start, pen.start(inner)),
            "close": pen.span(pen.end(inner), end),
        }
    )


def _epoch_loops(scope: Scope, after: int) -> Iterator[ast.For]:
    for step in scope.of_type.get(ast.For, []):
        node = step.node
        outer = len(step.around.loops)
        if isinstance(node, ast.For) and node.lineno > after and not outer:
            if isinstance(node.target, ast.Name) and not step.around.inner:
                if isinstance(node.iter, ast.Call) and "epoch" in node.target.id:
                    yield node


def _sampler(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """Where the loop over epochs begins, if there is but one, and what it counts."""
    loops = list(_epoch_loops(scope, getattr(node, "lineno", 0)))
    names = [
        key for key, values in scope.bound.items() if any(v is node for v, _ in values)
    ]
    if len(loops) != 1 or len(names) != 1 or "." in names[0]:
        return NONE
    loop, name = loops[0], names[0]
    first = loop.body[0]
    others = [(v, s) for v, s in scope.bound[name] if v is not node]
    none = [isinstance(v, ast.Constant) and v.value is None for v, _ in others]
    guarded = any(s.around.guards for v, s in scope.bound[name] if v is node)
    simple = isinstance(first, (ast.Expr, ast.Assign, ast.AugAssign, ast.For, ast.If))
    begin = pen.start(first)
    if not all(none) or (guarded and not none) or not simple:
        return NONE
    if not pen.opens(begin) or not isinstance(loop.target, ast.Name):
        return NONE
    inner, outer = pen.indent(begin.line), pen.indent(loop.lineno)
    text = f"{name}.set_epoch({loop.target.id})\n{inner}"
    if none:
        text = f"if {name} is not None:\n{inner}{inner.removeprefix(outer)}{text}"
    return Pieces({"body": pen.span(begin)}, {"text": text})


_MEASURES: dict[str, Callable[[Pen, Scope, ast.AST], Pieces]] = {
    "bgr": _bgr,
    "created-then-moved": _created,
    "cv2": threads,
    "cuda-amp": renamed,
    "device-copy": _copy,
    "distributed-sampler": _sampler,
    "empty-cache": _statement,
    "fresh-iterator": hoists.iterator,
    "global-seed": seeded,
    "graph-kept": _kept_graph,
    "keeps-generator": generator,
    "keeps-handle": handle,
    "keeps-lambda": sent,
    "old-next": _next,
    "open": opened,
    "pin-then-copy": _pinned,
    "print": _statement,
    "private-import": public,
    "rebuilt": hoists.loader,
    "sent": sent,
    "starts-workers": started,
    "transform-built": hoists.transforms,
    "variable": _wrapper,
    "worker-seed": _seed,
}
