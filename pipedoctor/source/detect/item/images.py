"""Images on their way to tensors: order of channels, floats made in the worker."""

import ast
import re
from collections.abc import Iterator, Mapping

from pipedoctor.facts.code_events.images import BgrImage, FloatImage, OpenCVCall
from pipedoctor.source.detect.item.float_frames import record_float_frames
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.context import CodeStep, tests_for_none
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import contains_node, find_nodes
from pipedoctor.source.values.lattice import ExternalValue

IMAGE_OPENERS: Mapping[str, str] = {
    "PIL.Image.open": "https://pillow.readthedocs.io/en/stable/reference/Image.html",
    "torchvision.datasets.folder.default_loader": "https://github.com/pytorch/vision/blob/main/torchvision/datasets/folder.py",
    "torchvision.datasets.folder.pil_loader": "https://github.com/pytorch/vision/blob/main/torchvision/datasets/folder.py",
}
"""What gives an image of PIL as it lies on disk, or as RGB."""
_TENSOR_TRANSFORMS = ("ToTensor", "Normalize", "PILToTensor", "ConvertImageDtype")
_IMAGENET_STATISTICS = (b"0.485", b"123.675")
_REORDERED = re.compile(
    rb"bgr|BGR|IMREAD_COLOR_RGB|::-1(?!\s*,\s*:\s*\])|(?<!cv2\.)(?<!\w)flip\(|\[2,\s*1,\s*0\]"
    rb"|0\.406,\s*0\.456|103\.53,\s*116\.28"
)
"""What turns the channels, or statistics in their order; ``x[:, ::-1, :]`` mirrors an image."""
_SINGLE_CHANNEL_FLAGS = ("IMREAD_GRAYSCALE", "IMREAD_UNCHANGED", "IMREAD_ANYDEPTH")


def record_images(recorder: EventRecorder) -> None:
    """Record images that become floats at once, or keep OpenCV's order."""
    for scope in recorder.call_graph.item_scopes.values():
        record_float_frames(recorder, scope)
        for step in scope.calls:
            node = step.node
            if isinstance(node, ast.Call):
                name = recorder.full_name_of(node.func, scope)
                if name in IMAGE_OPENERS:
                    _record_float_image(recorder, scope, step, node)
                    for outer, its, call in _list_calls_of_opener(recorder, scope, node):
                        _record_float_image(recorder, outer, its, call)
                elif name in {"cv2.imread", "cv2.imdecode"}:
                    _record_bgr_image(recorder, scope, step, node)
                if name.startswith("cv2."):
                    recorder.add_event(OpenCVCall(), scope, step, name)


def _list_calls_of_opener(
    recorder: EventRecorder, scope: CodeScope, opened: ast.Call
) -> Iterator[tuple[CodeScope, CodeStep, ast.Call]]:
    """Calls of a function that opens an image and returns it as it is, or as RGB."""
    names = {
        key
        for key, _, _ in _variables_of_image(scope, opened)
        if all(_keeps_image(value, key, opened) for value, _ in scope.bindings[key])
    }
    returned = returned_values(scope)
    inner = [_strip_conversion(one) for one in returned if _is_plain_rgb(one)]
    if not returned or len(inner) < len(returned):
        return
    if not all(one is opened or binding_key(one) in names for one in inner):
        return
    for outer in sorted(recorder.call_graph.entered_from.get(id(scope), ()), key=_place_of):
        for step in outer.calls if recorder.is_item_code(outer) else ():
            if isinstance(step.node, ast.Call):
                entered = recorder.call_graph.resolve_call(step.node.func, outer, outer.owner)
                if any(one is scope for one, _ in entered):
                    yield outer, step, step.node


def _place_of(scope: CodeScope) -> tuple[str, int]:
    return scope.module.path, scope.number


def _is_plain_rgb(value: ast.expr) -> bool:
    text = unparse_short(value)
    return "convert" not in text or "'RGB'" in text


def _keeps_image(value: ast.expr, key: str, opened: ast.Call) -> bool:
    """Is a variable given what is opened, or itself as RGB?"""
    inner = _strip_conversion(value)
    return _is_plain_rgb(value) and (inner is opened or binding_key(inner) == key)


def _strip_conversion(value: ast.expr) -> ast.expr:
    """``image`` of ``image.convert("RGB")``."""
    func = value.func if isinstance(value, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) and func.attr == "convert" else value


def _record_float_image(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call
) -> None:
    """Opened, and handed as it is to a transform that makes floats of it: both places."""
    call = _find_conversion(recorder, scope, node)
    if call is None:
        return
    holder = _variables_of_image(scope, node)
    found = FloatImage(
        opened=unparse_short(node.args[0]) if node.args else "",
        variable=holder[0][0] if holder else "",
    )
    recorder.add_event(found, scope, step, unparse_short(call.func))
    if call.lineno > (node.end_lineno or node.lineno):
        recorder.add_event(found, scope, step, unparse_short(call.func), node=call)


def _find_conversion(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> ast.Call | None:
    """The call that makes floats of an image right after it is opened."""
    holder = _variables_of_image(scope, node)
    array = _find_float_array(recorder, scope, node, {key for key, _, _ in holder})
    if array is not None:
        return array
    for outer in scope.calls:
        call = outer.node
        if isinstance(call, ast.Call) and any(_is_opened_image(a, node) for a in call.args):
            if _is_plain_rgb(call) and _only_converts_to_float(recorder, scope, call):
                return call
    for key, value, other in holder:
        if not _is_plain_rgb(value):
            return None
        names = {key, *_names_of_elements(scope, key, node)}
        handed = [
            call
            for s in scope.calls
            if isinstance(call := s.node, ast.Call)
            and any(binding_key(arg) in names for arg in call.args)
            and getattr(call, "lineno", 0) >= getattr(other.node, "lineno", 0)
        ]
        if handed and _is_processed_between(scope, key, other, handed[0]):
            return None
        if handed and _only_converts_to_float(recorder, scope, handed[0]):
            return handed[0]
    return None


def _find_float_array(
    recorder: EventRecorder, scope: CodeScope, opening: ast.Call, names: set[str]
) -> ast.Call | None:
    """``np.array(image, dtype=np.float32)``, ``np.asarray(image).astype(np.float32)``."""
    for step in scope.calls:
        call = step.node
        if not isinstance(call, ast.Call):
            continue
        inner = call
        typed = isinstance(call.func, ast.Attribute) and call.func.attr == "astype"
        if typed and isinstance(call.func, ast.Attribute):
            inner = call.func.value if isinstance(call.func.value, ast.Call) else call
        if recorder.full_name_of(inner.func, scope) not in {"numpy.array", "numpy.asarray"}:
            continue
        if not inner.args or "float" not in " ".join(map(unparse_short, _types_of(call, inner))):
            continue
        given = inner.args[0]
        own = binding_key(given) in names or _is_opened_image(given, opening)
        if own and _is_plain_rgb(given):
            processed = any(_is_processed_between(scope, key, step, inner) for key in names)
            return None if processed else inner
    return None


def _types_of(call: ast.Call, inner: ast.Call) -> list[ast.expr]:
    given = [*inner.args[1:2], *(word.value for word in inner.keywords)]
    return [*given, *(call.args if call is not inner else [])]


def _is_processed_between(scope: CodeScope, key: str, opening: CodeStep, call: ast.Call) -> bool:
    """``img = img.resize(size)``: does PIL do more with it before it is handed on?"""
    begin = getattr(opening.node, "lineno", 0)
    return any(
        begin < value.lineno <= call.lineno
        and not contains_node(value, call)
        and "convert" not in unparse_short(value)
        and not any(tests_for_none(one, present=True) for one in step.context.guards)
        for value, step in scope.bindings.get(key, ())
    )


def _variables_of_image(scope: CodeScope, node: ast.Call) -> list[tuple[str, ast.expr, CodeStep]]:
    return [
        (key, value, step)
        for key, values in scope.bindings.items()
        for value, step in values
        if _is_opened_image(value.elt if isinstance(value, ast.ListComp) else value, node)
    ]


def _names_of_elements(scope: CodeScope, key: str, node: ast.Call) -> Iterator[str]:
    """``image`` of ``for image in images``, where these are what is opened, each for itself."""
    values = [value for value, _ in scope.bindings[key]]
    if any(isinstance(one, ast.ListComp) and _is_opened_image(one.elt, node) for one in values):
        loops = [(one.target, one.iter) for one in find_nodes(scope.node, (ast.For,))]
        made = find_nodes(scope.node, (ast.comprehension,))
        for target, iterated in (*loops, *((one.target, one.iter) for one in made)):
            if binding_key(iterated) == key and isinstance(target, ast.Name):
                yield target.id


def _is_opened_image(value: ast.expr, node: ast.Call) -> bool:
    """``Image.open(p)`` or ``Image.open(p).convert("RGB")``, and nothing else."""
    while value is not node and (inner := _strip_conversion(value)) is not value:
        value = inner
    return value is node


def _only_converts_to_float(recorder: EventRecorder, scope: CodeScope, call: ast.Call) -> bool:
    name = recorder.full_name_of(call.func, scope)
    if name.endswith(("functional.to_tensor", "transforms.ToTensor")):
        return True
    evaluator = recorder.loader_flow.evaluator
    values = evaluator.evaluate(call.func, evaluator.frame_of(scope))
    return bool(values) and all(
        isinstance(one, ExternalValue) and _is_float_transform(one.call) for one in values
    )


def _is_float_transform(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    last = last_name(value.func)
    if last == "ToTensor":
        return True
    if last != "Compose" or not value.args:
        return False
    parts = value.args[0].elts if isinstance(value.args[0], (ast.List, ast.Tuple)) else []
    names = [
        last_name(part.func) if isinstance(part, ast.Call) else last_name(part) for part in parts
    ]
    return names[:1] == ["ToTensor"] or (
        bool(names) and all(n in _TENSOR_TRANSFORMS or "norm" in n.lower() for n in names)
    )


def _record_bgr_image(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call
) -> None:
    """In OpenCV's order into ImageNet's statistics, with nothing that turns it."""
    text = unparse_short(node)
    flag = node.args[1] if len(node.args) > 1 else None
    if isinstance(flag, ast.Constant) and flag.value in {0, -1}:
        return
    if any(word in text for word in _SINGLE_CHANNEL_FLAGS):
        return
    scopes = list(_scopes_of_same_dataset(recorder, scope))
    source = {one.module for one in scopes} | {scope.module}
    whole = [module.file.content for module in source]
    if any(map(_REORDERED.search, whole)):
        return
    if any(word in text for word in _IMAGENET_STATISTICS for text in whole):
        recorder.add_event(BgrImage(), scope, step, text)


def _scopes_of_same_dataset(recorder: EventRecorder, scope: CodeScope) -> Iterator[CodeScope]:
    """Every function of the datasets that this one belongs to."""
    for scopes in recorder.call_graph.scopes_of_dataset.values():
        if id(scope) in scopes:
            for key in scopes:
                if key in recorder.call_graph.item_scopes:
                    yield recorder.call_graph.item_scopes[key]
