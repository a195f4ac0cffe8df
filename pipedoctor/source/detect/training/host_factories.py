"""Tensors that a step makes on the host, only to move them: ``torch.zeros(3).cuda()``."""

import ast

from pipedoctor.source.detect.device_copies import is_cpu_device, is_device_copy
from pipedoctor.source.detect.positions import is_initializer
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.host_made import (
    FILLED_FACTORIES,
    computes_on_host,
    makes_on_host,
)
from pipedoctor.source.detect.training.host_numbers import is_number, lists_numbers
from pipedoctor.source.detect.training.kept_arrays import is_kept_array
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_TYPED_FACTORIES = frozenset(
    f"torch.{kind}Tensor" for kind in ("", "Float", "Double", "Half", "Int", "Long", "Byte", "Bool")
)
"""They take sizes, and then hold whatever was in the memory, or what is in a list."""
_CONVERTING_FACTORIES = frozenset(("torch.as_tensor", "torch.tensor", "torch.from_numpy"))
_ARRAY_FACTORIES = frozenset(
    f"numpy.{name}" for name in ("zeros", "ones", "full", "arange", "eye", "linspace")
)
"""What makes an array of numbers that nobody has given."""
_FILLING_METHODS = frozenset(("fill_", "zero_", "normal_", "uniform_"))
_KEEPING_METHODS = _FILLING_METHODS | {
    *("float", "double", "half", "bfloat16", "long", "int", "bool", "byte"),
    *("unsqueeze", "view", "contiguous", "reshape", "expand", "repeat", "requires_grad_"),
    *("expand_as", "view_as", "squeeze", "permute", "transpose", "t", "flatten", "clone"),
}
"""Methods after which a tensor is still what was made here."""
_MAX_CHANGES = 3
"""Changes of the shape of one tensor before it is moved."""
_NAMED_NUMBERS = frozenset(("inf", "nan", "pi"))


def creates_then_moves(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call, *, in_callee: bool
) -> bool:
    """
    ``torch.zeros(3).cuda()``, or ``z = torch.zeros(3)`` and, with nothing between, ``z.cuda()``.

    Deep in functions not what may come from lists. Also ``self.mean.cuda()``, where objects are
    given that tensor when they are made, and no other.
    """
    inner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if kept := find_kept_key(node):
        return _is_kept_on_host(recorder, scope, kept)
    return is_created(recorder, scope, inner, node, in_callee=in_callee)


def is_created(
    recorder: EventRecorder,
    scope: CodeScope,
    tensor: ast.expr | None,
    node: ast.Call,
    *,
    in_callee: bool,
) -> bool:
    """Is what a call moves, or is given to move, a tensor that was made right before it?"""
    made, methods = _take_off_methods(tensor)
    if isinstance(made, ast.Name):
        return not methods & _FILLING_METHODS and _is_made_here(recorder, scope, node, made.id)
    return _is_creation(recorder, scope, made, methods, in_callee=in_callee)


def find_kept_key(node: ast.Call) -> str:
    """``self.mean`` of ``self.mean.cuda()``; empty: it is of nothing that an object keeps."""
    key = binding_key(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    return key if key.startswith("self.") else ""


def _is_kept_on_host(recorder: EventRecorder, scope: CodeScope, key: str) -> bool:
    """Does ``__init__`` make a tensor that stays on the host, and that nothing replaces?"""
    if scope.owner is None:
        return False
    bases = recorder.project.find_bases(scope.owner)[0]
    methods = [one for cls in bases for one in cls.methods.values()]
    given = [(one, value) for one in methods for value, _ in one.bindings.get(key, ())]
    return bool(given) and all(
        is_initializer(method) and _makes_tensor(recorder, method, value) for method, value in given
    )


def _makes_tensor(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """``torch.tensor(mean).float()``, of whatever, if nothing says on which device."""
    made, _ = _take_off_methods(node)
    if not isinstance(made, ast.Call) or _is_placed(made):
        return False
    known = recorder.full_name_of(made.func, scope)
    return known in FILLED_FACTORIES or known in _TYPED_FACTORIES | _CONVERTING_FACTORIES


def find_made(scope: CodeScope, node: ast.Call) -> int:
    """The line in which a variable is given the tensor that a copy moves; 0: the copy itself."""
    made, _ = _take_off_methods(node.func.value if isinstance(node.func, ast.Attribute) else None)
    if not isinstance(made, ast.Name) or scope.module.file.cells:
        return 0  # lines of a notebook count anew in each cell
    values = [value for value, _ in scope.bindings.get(made.id, ()) if value is not node]
    own = [one for one in values if one.lineno < node.lineno and not _is_of_itself(one, made.id)]
    return max((one.lineno for one in own), default=0)


def _take_off_methods(node: ast.expr | None) -> tuple[ast.expr | None, set[str]]:
    """What methods are called on that change nothing of where a tensor comes from."""
    methods: set[str] = set()
    node = _take_off_parts(node)
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and _keeps_contents(node):
            methods.add(last_name(node.func))
            node = node.func.value
        elif last_name(node.func) == "Variable" and len(node.args) == 1:
            node = node.args[0]
        else:
            break
        node = _take_off_parts(node)
    first = node
    while isinstance(first, ast.BinOp):
        first = first.right if isinstance(first.left, ast.Constant) else first.left
    return (first if isinstance(first, ast.Call) else node), methods  # and what is computed of it


def _take_off_parts(node: ast.expr | None) -> ast.expr | None:
    """``torch.eye(3)[None]``: parts that no variable chooses."""
    while isinstance(node, ast.Subscript) and not find_nodes(node.slice, (ast.Name,)):
        node = node.value
    return node


def _keeps_contents(node: ast.Call) -> bool:
    """``x.float()``, ``x.to(dtype)``: another type or shape of the same tensor."""
    name = last_name(node.func)
    return name in _KEEPING_METHODS or (name == "to" and not is_device_copy(node))


def _is_creation(
    recorder: EventRecorder,
    scope: CodeScope,
    node: ast.expr | None,
    methods: set[str],
    *,
    in_callee: bool,
) -> bool:
    if isinstance(node, ast.IfExp):
        both = map(_take_off_methods, (node.body, node.orelse))
        parts = ((made, methods | more) for made, more in both)
        return all(_is_creation(recorder, scope, *x, in_callee=in_callee) for x in parts)
    if not isinstance(node, ast.Call) or _is_placed(node):
        return False
    known = recorder.full_name_of(node.func, scope)
    if known in _TYPED_FACTORIES:
        filled = bool(methods & _FILLING_METHODS) or len(node.args) > 1  # several sizes
        return filled or _holds_constants(recorder, scope, node)
    if known in _CONVERTING_FACTORIES:
        fixed = _holds_constants(recorder, scope, node)
        return fixed or (known == "torch.tensor" and not in_callee)
    if known in FILLED_FACTORIES or computes_on_host(recorder, scope, node):
        return True
    return makes_on_host(recorder, scope, node)


def _is_placed(node: ast.Call) -> bool:
    """Is it told another device, or may it be: ``torch.zeros(3, **options)``?"""
    return any(
        word.arg is None or (word.arg == "device" and not is_cpu_device(word.value))
        for word in node.keywords
    )


def _holds_constants(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    """``[1, 2]``, ``0.5``, ``IMAGE_MEAN``, ``np.random.rand(3)``: nothing of the batch."""
    one = node.args[0] if node.args else None
    if lists_numbers(scope, one):
        return True
    if one is not None and is_number(scope, one):  # a size is one for the typed factories
        return recorder.full_name_of(node.func, scope) in _CONVERTING_FACTORIES
    if isinstance(one, ast.Call):
        return _is_array_of_host(recorder, scope, one)
    if one is not None and (
        _is_drawn_here(recorder, scope, one) or is_kept_array(recorder, scope, one)
    ):
        return True
    name = last_name(one) if one is not None else ""
    return (name.isupper() and not name.startswith("_")) or name in _NAMED_NUMBERS


def _is_drawn_here(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """A variable that is given nothing but arrays of NumPy that are made here, nor filled."""
    key = node.id if isinstance(node, ast.Name) else ""
    given = [value for value, _ in scope.bindings.get(key, ())] if key else []
    return (
        bool(given)
        and key not in scope.item_stores
        and all(
            isinstance(one, ast.Call) and _is_array_of_host(recorder, scope, one) for one in given
        )
    )


def _is_array_of_host(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    """``np.random.normal(0, 1, shape)``, whatever its type is then."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
        if isinstance(node.func.value, ast.Call):
            node = node.func.value
    known = recorder.full_name_of(node.func, scope)
    if known in {"numpy.array", "numpy.asarray"}:
        given = node.args[0] if node.args else None
        return isinstance(given, ast.List) and all(isinstance(x, ast.Constant) for x in given.elts)
    return known in _ARRAY_FACTORIES or known.startswith("numpy.random.")


def _is_made_here(recorder: EventRecorder, scope: CodeScope, node: ast.Call, name: str) -> bool:
    """Is a variable given a new tensor in the same step, and nothing done with it until then?"""
    given = [(value, its) for value, its in scope.bindings.get(name, ()) if value is not node]
    own = [pair for pair in given if not _is_of_itself(pair[0], name)]
    own = _take_off_replaced(own, scope, node)
    again = [value for value, _ in given if _is_of_itself(value, name)]
    if len(own) != 1 or len(again) > _MAX_CHANGES or name in scope.parameter_names:
        return False
    value, its = own[0]
    made, methods = _take_off_methods(value)
    if not _is_creation(recorder, scope, made, methods, in_callee=True):
        return False
    if value.lineno > node.lineno or not _stands_beside(its, scope, node):
        return False
    changing = {id(one) for value in again for one in find_nodes(value, (ast.Name,))}
    between = (
        one
        for one in find_nodes(scope.node, (ast.Name,))
        if one.id == name and (value.end_lineno or 0) < one.lineno < node.lineno
    )
    return not any(isinstance(x.ctx, ast.Load) and id(x) not in changing for x in between)


def _take_off_replaced(
    own: list[tuple[ast.expr, CodeStep]], scope: CodeScope, node: ast.Call
) -> list[tuple[ast.expr, CodeStep]]:
    """The last of several that a variable is given on the way to a copy, if none may be skipped."""
    before = [pair for pair in own if pair[0].lineno <= node.lineno]
    moved = next((step for step in scope.calls if step.node is node), None)
    if len(own) < 2 or not before or moved is None:  # noqa: PLR2004
        return own
    last = max(before, key=lambda pair: pair[0].lineno)
    around, its = last[1].context, moved.context
    surely = its.guards[: len(around.guards)] == around.guards and not around.tries
    return [last] if surely else own


def _is_of_itself(value: ast.expr, name: str) -> bool:
    """``z = z.cuda()``, ``z = z.expand(3, 3)``, ``z = z.cuda() if gpu else z``."""
    if isinstance(value, ast.IfExp):
        return all(_is_of_itself(one, name) for one in (value.body, value.orelse))
    inner = (
        value.func.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
        else value
    )
    made, _ = _take_off_methods(inner)
    return isinstance(made, ast.Name) and made.id == name


def _stands_beside(made: CodeStep, scope: CodeScope, node: ast.Call) -> bool:
    """In the same loops, and not where nothing is there yet."""
    moved = next((step for step in scope.calls if step.node is node), None)
    return moved is not None and moved.context.loops == made.context.loops
