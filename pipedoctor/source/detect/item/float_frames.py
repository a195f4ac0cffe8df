"""Decoded bytes of images and videos that a worker turns into floats before it sends them."""

import ast
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from pipedoctor.facts.code_events.images import FloatImage
from pipedoctor.source.detect.dataset.object_lists import find_appends
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_MAX_DEPTH, _MAX_CALLERS = 5, 4
BYTE_DECODERS: Mapping[str, str] = {
    "cv2.imread": "https://docs.opencv.org/4.x/d4/da8/group__imgcodecs.html",
    "cv2.imdecode": "https://docs.opencv.org/4.x/d4/da8/group__imgcodecs.html",
    "imageio.imread": "https://imageio.readthedocs.io/en/stable/",
    "imageio.v2.imread": "https://imageio.readthedocs.io/en/stable/",
    "skimage.io.imread": "https://scikit-image.org/docs/stable/api/skimage.io.html",
    "torchvision.io.read_image": "https://docs.pytorch.org/vision/stable/io.html",
    "torchvision.io.decode_image": "https://docs.pytorch.org/vision/stable/io.html",
}
"""What gives bytes, by its full name, with its source."""
_BYTE_READERS: Mapping[str, tuple[str, ...]] = {
    "get_batch": ("decord.VideoReader",),
    "read": ("cv2.VideoCapture",),
    "to_ndarray": ("av.open",),
}
"""Methods of what a library opens that give frames of bytes: the openers."""
_KEEPING = frozenset(
    (
        *("from_numpy", "as_tensor", "array", "asarray", "ascontiguousarray", "stack", "transpose"),
        *("permute", "concatenate", "resize", "cvtColor", "flip", "copy", "unsqueeze", "reshape"),
        *("warpAffine", "warpPerspective", "rotate", "remap", "copyMakeBorder", "rot90", "fliplr"),
        *("flipud", "moveaxis", "rollaxis", "expand_dims", "squeeze", "hstack", "vstack"),
        *("asnumpy", "numpy"),
    )
)
"""What leaves bytes as they are, by its last name."""

_FLOAT_MAKERS = frozenset(("FloatTensor", "img_as_float", "img_as_float32", "img_as_float64"))
_CASTS = frozenset(("astype", "to", "type"))
_TYPED_MAKERS = frozenset(("tensor", "as_tensor", "array", "asarray", "ascontiguousarray"))
_ARRAYS = frozenset(("numpy.array", "numpy.asarray"))


def record_float_frames(recorder: EventRecorder, scope: CodeScope) -> None:
    """``frames.float() / 255`` of what was decoded here, where it is returned."""
    returned = {name for value in returned_values(scope) for name in expression_names(value)}
    results = list(returned_values(scope))
    results += [item for _, key, item in find_appends(scope) if key in returned]
    returned = {name for value in results for name in expression_names(value)}
    for step in (*scope.calls, *scope.steps_by_type.get(ast.BinOp, ())):
        node = step.node
        if not (_is_float_call(node) or _divides_bytes(node, scope)):
            continue
        names = {
            key
            for key, its in scope.bindings.items()
            if any(_is_within(node, value) for value, _ in its)
            and not any(_makes_bytes(value, node) for value, _ in its)
        }
        handed = any(_is_within(node, value) for value in results)
        made = node.left if isinstance(node, ast.BinOp) else node
        if (names & returned or handed) and _is_decoded(recorder, scope, made, _MAX_DEPTH):
            _add_event(recorder, scope, step, node)


def _add_event(recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.expr) -> None:
    maker = node.func if isinstance(node, ast.Call) else node
    variable = next(iter(sorted(expression_names(maker))), "")
    recorder.add_event(FloatImage(opened="", variable=variable), scope, step, unparse_short(maker))


def _is_within(node: ast.AST, top: ast.AST) -> bool:
    return any(part is node for part in find_nodes(top, (type(node),)))


def _makes_bytes(value: ast.expr, before: ast.expr) -> bool:
    """``img = cv2.cvtColor(img.astype(np.uint8), code)``: bytes again, before it is returned."""
    return value.lineno > before.lineno and any(
        last_name(call.func) == "astype" and "uint8" in " ".join(map(unparse_short, call.args))
        for call in find_nodes(value, (ast.Call,))
    )


def _is_float_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and _makes_floats(node)


def _divides_bytes(node: ast.AST, scope: CodeScope) -> TypeGuard[ast.BinOp]:
    """``frames / 255``, of what nothing before it makes floats."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return False
    if not (isinstance(node.right, ast.Constant) and isinstance(node.right.value, (int, float))):
        return False
    before = [node.left]
    if isinstance(node.left, ast.Name):
        before += _sources_of(scope, node.left)
    return not any(_is_float_call(call) for one in before for call in find_nodes(one, (ast.Call,)))


def _makes_floats(node: ast.Call) -> bool:
    """``x.float()``, ``x.astype(np.float32)``, ``torch.FloatTensor(x)``, ``img_as_float(x)``."""
    if last_name(node.func) in _FLOAT_MAKERS:
        return len(node.args) == 1
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "float":
        return not node.args
    casts = node.func.attr in _CASTS
    types = [one.value for one in node.keywords if one.arg == "dtype"]
    types += node.args if casts else node.args[1:]
    typed = casts or node.func.attr in _TYPED_MAKERS
    return typed and "float" in " ".join(map(unparse_short, types)).lower()


def _is_decoded(recorder: EventRecorder, scope: CodeScope, node: ast.expr, depth: int) -> bool:
    """Does it come of decoded bytes, by steps that leave them bytes?"""
    if depth <= 0:
        return False
    if isinstance(node, ast.Call):
        return _gives_bytes(recorder, scope, node, depth)
    if isinstance(node, (ast.Subscript, ast.Starred)):
        return _is_decoded(recorder, scope, node.value, depth)
    if isinstance(node, ast.Name):
        made = list(_sources_of(scope, node))
        if not made and scope.has_parameter(node.id):
            return _is_given_decoded(recorder, scope, node.id, depth)
        return any(_is_decoded(recorder, scope, one, depth - 1) for one in made)
    if isinstance(node, ast.IfExp):
        return any(_is_decoded(recorder, scope, x, depth) for x in (node.body, node.orelse))
    if isinstance(node, ast.ListComp):
        return _is_decoded(recorder, scope, node.elt, depth - 1)
    return False


def _is_given_decoded(recorder: EventRecorder, scope: CodeScope, name: str, depth: int) -> bool:
    """Do all who call this function, to make items, give it decoded bytes?"""
    given = [
        (value, its)
        for value, its in recorder.values.find_call_arguments(scope, name)[:_MAX_CALLERS]
        if recorder.is_item_code(its) and its is not scope
    ]
    return bool(given) and all(_is_decoded(recorder, its, one, depth - 1) for one, its in given)


def _gives_bytes(recorder: EventRecorder, scope: CodeScope, node: ast.Call, depth: int) -> bool:
    func, name = node.func, last_name(node.func)
    full = recorder.full_name_of(func, scope)
    if full in BYTE_DECODERS:
        return not any(_may_be_deep(one) for one in node.args[1:])
    if name == "astype" and node.args and "uint8" in unparse_short(node.args[0]):
        return True
    openers = _BYTE_READERS.get(name, ())
    if openers and any(one.partition(".")[0] in _imported_tops(scope) for one in openers):
        return True
    if full in _ARRAYS and len(node.args) == 1 and not node.keywords:
        if _is_rgb_image(recorder, scope, node.args[0], depth):
            return True
    inner = [func.value] if isinstance(func, ast.Attribute) and not full else []
    if _makes_floats(node) or name in _KEEPING:
        return any(_is_decoded(recorder, scope, one, depth) for one in (*inner, *node.args[:1]))
    return any(
        _is_decoded(recorder, target, value, depth - 1)
        for target, _ in recorder.call_graph.resolve_call(func, scope, scope.owner)
        for value in returned_values(target)
    )


def _is_rgb_image(recorder: EventRecorder, scope: CodeScope, node: ast.expr, depth: int) -> bool:
    """``Image.open(name).convert("RGB")``"""
    if isinstance(node, ast.Name) and depth > 0:
        made = _sources_of(scope, node)
        return any(_is_rgb_image(recorder, scope, one, depth - 1) for one in made)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    mode = node.args[0] if node.args and node.func.attr == "convert" else None
    plain = isinstance(mode, ast.Constant) and mode.value == "RGB"
    return plain and _is_opened(recorder, scope, node.func.value, depth)


def _is_opened(recorder: EventRecorder, scope: CodeScope, node: ast.expr, depth: int) -> bool:
    if isinstance(node, ast.Name) and depth > 0:
        made = _sources_of(scope, node)
        return any(_is_opened(recorder, scope, one, depth - 1) for one in made)
    return isinstance(node, ast.Call) and (
        recorder.full_name_of(node.func, scope) == "PIL.Image.open"
    )


def _may_be_deep(flag: ast.expr) -> bool:
    """``IMREAD_UNCHANGED``, ``-1``: images of sixteen bits stay so."""
    text = unparse_short(flag)
    return text == "-1" or "ANYDEPTH" in text or "UNCHANGED" in text


def _imported_tops(scope: CodeScope) -> set[str]:
    return {full.partition(".")[0] for full in scope.module.imported_names.values()}


def _sources_of(scope: CodeScope, node: ast.Name) -> Iterator[ast.expr]:
    """What a variable is given above, and what is appended to it."""
    for value, _ in scope.bindings.get(node.id, ()):
        if value.lineno <= node.lineno and not _is_within(node, value):
            yield value
    for _, key, item in find_appends(scope):
        if key == node.id:
            yield item
    for step in scope.steps_by_type.get(ast.For, ()):
        loop = step.node
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            if loop.target.id == node.id and isinstance(loop.iter, (ast.Tuple, ast.List)):
                yield from loop.iter.elts
