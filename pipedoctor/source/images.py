"""Images on their way to tensors: order of channels, floats made in the worker."""

import ast
from collections.abc import Iterator

from pipedoctor.source.around import Step
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import written

_TENSOR_ONLY = ("ToTensor", "Normalize", "PILToTensor", "ConvertImageDtype")
_IMAGENET = ("0.485", "123.675")
_REORDERS = ("COLOR_BGR", "::-1", "bgr", "BGR", "IMREAD_COLOR_RGB", "flip", "[2, 1, 0]")
_ORDERLESS = ("IMREAD_GRAYSCALE", "IMREAD_UNCHANGED", "IMREAD_ANYDEPTH")


def image_events(recorder: Recorder) -> None:
    """Record images that become floats at once, or keep OpenCV's order."""
    for scope in recorder.reach.items.values():
        for step in scope.calls:
            node = step.node
            if isinstance(node, ast.Call):
                name = recorder.name(node.func, scope)
                if name == "PIL.Image.open":
                    _pil(recorder, scope, step, node)
                elif name in {"cv2.imread", "cv2.imdecode"}:
                    _cv2(recorder, scope, step, node)
                if name.startswith("cv2."):
                    recorder.add("cv2", scope, step, name)


def _pil(recorder: Recorder, scope: Scope, step: Step, node: ast.Call) -> None:
    """Opened, and handed as it is to a transform that makes floats of it."""
    holder = _holder(scope, node)
    for outer in scope.calls:
        call = outer.node
        if isinstance(call, ast.Call) and any(_chained(a, node) for a in call.args):
            plain = "convert" not in written(call) or "'RGB'" in written(call)
            if plain and _only_floats(recorder, scope, call):
                recorder.add("float-image", scope, step, written(call.func))
                return
    for key, value, other in holder:
        if "convert" in written(value) and "'RGB'" not in written(value):
            return
        handed = [
            call
            for s in scope.calls
            if isinstance(call := s.node, ast.Call)
            and any(key_of(arg) == key for arg in call.args)
            and getattr(call, "lineno", 0) >= getattr(other.node, "lineno", 0)
        ]
        if handed and _between(scope, key, other, handed[0]):
            return
        if handed and _only_floats(recorder, scope, handed[0]):
            recorder.add("float-image", scope, step, written(handed[0].func))


def _between(scope: Scope, key: str, opened: Step, handed: ast.Call) -> bool:
    """``img = img.resize(size)``: does PIL do more with it before it is handed on?"""
    begin = getattr(opened.node, "lineno", 0)
    return any(
        begin < value.lineno <= handed.lineno
        and value is not handed
        and "convert" not in written(value)
        for value, _ in scope.bound.get(key, ())
    )


def _holder(scope: Scope, node: ast.Call) -> list[tuple[str, ast.expr, Step]]:
    return [
        (key, value, step)
        for key, values in scope.bound.items()
        for value, step in values
        if _chained(value, node)
    ]


def _chained(value: ast.expr, node: ast.Call) -> bool:
    """``Image.open(p)`` or ``Image.open(p).convert("RGB")``, and nothing else."""
    while isinstance(value, ast.Call) and value is not node:
        func = value.func
        if not (isinstance(func, ast.Attribute) and func.attr == "convert"):
            return False
        value = func.value
    return value is node


def _only_floats(recorder: Recorder, scope: Scope, call: ast.Call) -> bool:
    name = recorder.name(call.func, scope)
    if name.endswith(("functional.to_tensor", "transforms.ToTensor")):
        return True
    key = key_of(call.func)
    if not key:
        return False
    values = [value for value, _ in recorder.values.assigned(key, scope)]
    return bool(values) and all(_floats(value) for value in values)


def _floats(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    last = last_name(value.func)
    if last == "ToTensor":
        return True
    if last != "Compose" or not value.args:
        return False
    parts = (
        value.args[0].elts if isinstance(value.args[0], (ast.List, ast.Tuple)) else []
    )
    names = [
        last_name(part.func) if isinstance(part, ast.Call) else last_name(part)
        for part in parts
    ]
    return names[:1] == ["ToTensor"] or (
        bool(names) and all(n in _TENSOR_ONLY or "norm" in n.lower() for n in names)
    )


def _cv2(recorder: Recorder, scope: Scope, step: Step, node: ast.Call) -> None:
    """In OpenCV's order into ImageNet's statistics, with nothing that turns it."""
    text = written(node)
    flag = node.args[1] if len(node.args) > 1 else None
    if isinstance(flag, ast.Constant) and flag.value in {0, -1}:
        return
    if any(word in text for word in _ORDERLESS):
        return
    scopes = list(_together(recorder, scope))
    source = {one.module for one in scopes} | {scope.module}
    whole = [module.text.whole for module in source]
    if any(word.encode() in text for word in _REORDERS for text in whole):
        return
    if any(word.encode() in text for word in _IMAGENET for text in whole):
        recorder.add("bgr", scope, step, text)


def _together(recorder: Recorder, scope: Scope) -> Iterator[Scope]:
    """Every function of the datasets that this one belongs to."""
    for scopes in recorder.reach.of_dataset.values():
        if id(scope) in scopes:
            for key in scopes:
                if key in recorder.reach.items:
                    yield recorder.reach.items[key]
