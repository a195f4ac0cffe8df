"""What a call gives for the parameters of a function."""

import ast
from collections.abc import Iterator, Sequence

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.project import FactoryCall
from pipedoctor.source.syntax.call_arguments import find_call_argument, find_default
from pipedoctor.source.syntax.expressions import is_self_expression, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.inherited_calls import find_inherited_calls
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    ContainerValue,
    Evaluating,
    Frame,
    InstanceValue,
    TupleValue,
    Values,
    join,
)

_MAX_CALLERS = 12
_CALLED_BY_OBJECT = frozenset(("__call__", "forward"))


def evaluate_parameter(model: Evaluating, name: str, frame: Frame) -> Values:
    """What a parameter may be: in this call, or in all calls of the project."""
    if frame.call is not None and frame.caller is not None:
        return _evaluate_given(model, name, frame.scope, frame.call, frame.caller)
    scope = frame.scope
    sites = [*model.project.find_callers(scope), *_find_object_calls(model, scope)]
    sites += [*find_inherited_calls(model, scope), *model.project.find_partials(scope)]
    found = UNKNOWN
    for site in sites[:_MAX_CALLERS]:
        around = _frame_of_site(model, site, frame)
        found |= _evaluate_given(model, name, scope, site.node, around)
    made = model.project.factory_calls.get(scope)
    if made:
        found |= join(_evaluate_made_later(model, name, scope, made))
    found |= model.evaluate(find_default(scope.node, name), frame)
    return found or _evaluate_annotation(model, name, frame)


def _evaluate_made_later(
    model: Evaluating, name: str, scope: CodeScope, made: Sequence[FactoryCall]
) -> Iterator[Values]:
    """
    ``Later(Trainer, rows=8).make()``, which calls ``self.made(self)``: by that object, or function.

    A call that only may give it in ``**self.kept`` says nothing beside one that gives it.
    """
    place = scope.given_names.index(name) if name in scope.given_names else -1
    plain = [one for one in made if find_call_argument(one.call.node, name, place)]
    for one in (plain or made)[:_MAX_CALLERS]:
        maker = one.construction
        outer = model.frame_of(maker.scope)
        if one.factory is None:
            caller = model.frame_of(one.call.scope, None, maker.node, outer)
        else:
            factory = InstanceValue(one.factory, maker.node, outer)
            caller = model.frame_of(one.call.scope, factory)
        yield _evaluate_given(model, name, scope, one.call.node, caller)


def _frame_of_site(model: Evaluating, site: CallSite, frame: Frame) -> Frame:
    """Of ``self.load(x)`` the same object calls that is called; not of ``self.loader(x)``."""
    func = site.node.func
    method = frame.scope.name.rpartition(".")[2]
    if frame.owner is not None and site.scope.owner is not None:
        if isinstance(func, ast.Attribute) and func.attr == method:
            if is_self_expression(func.value):
                return model.frame_of(site.scope, frame.owner)
    return model.frame_of(site.scope)


def _evaluate_annotation(model: Evaluating, name: str, frame: Frame) -> Values:
    """``config: TrainConfig``: some object of that class, if it is one of the project."""
    scope = frame.scope
    if isinstance(scope.node, ast.Module):
        return UNKNOWN
    every = (*scope.parameters, *scope.node.args.kwonlyargs)
    said = next((one.annotation for one in every if one.arg == name), None)
    found = model.project.find_definition(_plain_annotation(said), scope.module) if said else None
    return frozenset((InstanceValue(found),)) if isinstance(found, ClassDefinition) else UNKNOWN


def _plain_annotation(node: ast.expr) -> ast.expr:
    """``X`` of ``X | None``, ``Optional[X]`` and ``"X"``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _plain_annotation(node.left)
    if isinstance(node, ast.Subscript) and last_name(node.value) == "Optional":
        return _plain_annotation(node.slice)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        return ast.copy_location(ast.Name(node.value, ast.Load()), node)
    return node


def _find_object_calls(model: Evaluating, scope: CodeScope) -> Iterator[CallSite]:
    """Calls of the objects of a class that can be called: ``self.make(index)``."""
    owner, last = scope.owner, scope.name.rpartition(".")[2]
    if owner is None or last not in _CALLED_BY_OBJECT:
        return
    known = model.object_calls.get(scope)
    if known is None:
        sites = _find_calls_by_variables(model, owner)
        known = [site for site in sites if _is_object_call(model, site, owner)]
        if all(model.is_settled(one.node.func, model.frame_of(one.scope)) for one in sites):
            model.object_calls[scope] = known
    yield from known


def _find_calls_by_variables(model: Evaluating, cls: ClassDefinition) -> Sequence[CallSite]:
    """Calls of what objects of a class are kept in; of lists, where no variable keeps one."""
    return model.project.find_variable_calls(cls.name) or model.find_object_calls()


def _is_object_call(model: Evaluating, site: CallSite, cls: ClassDefinition) -> bool:
    for one in model.evaluate(site.node.func, model.frame_of(site.scope)):
        if isinstance(one, InstanceValue) and one.cls is cls:
            return True
    return False


def _evaluate_given(
    model: Evaluating, name: str, scope: CodeScope, call: ast.Call, caller: Frame
) -> Values:
    if isinstance(scope.node, ast.Module):
        return UNKNOWN
    args = scope.node.args
    names = scope.given_names
    if args.vararg is not None and args.vararg.arg == name:
        rest = [one for one in call.args[len(names) :] if not isinstance(one, ast.Starred)]
        return frozenset((TupleValue(tuple(model.evaluate(one, caller) for one in rest)),))
    if args.kwarg is not None and args.kwarg.arg == name:
        return frozenset((ContainerValue(call, caller),))
    position = names.index(name) if name in names else -1
    given = find_call_argument(call, name, position)
    if given is not None:
        return model.evaluate(given, caller)
    starred = _find_in_starred(model, name, position, call, caller)
    if starred:
        return starred
    default = find_default(scope.node, name)
    return model.evaluate(default, model.frame_of(scope)) if default is not None else UNKNOWN


def _find_in_starred(
    model: Evaluating, name: str, position: int, call: ast.Call, caller: Frame
) -> Values:
    """What ``*args`` and ``**kwargs`` of a call hold for a parameter."""
    parts: list[Values] = []
    for word in call.keywords:
        if word.arg is None:
            parts += [model.item(one, name) for one in model.evaluate(word.value, caller)]
    for number, one in enumerate(call.args):
        if isinstance(one, ast.Starred) and position >= number:
            held = model.evaluate(one.value, caller)
            parts += [model.item(value, position - number) for value in held]
    return join(iter(parts))


def list_inner_arguments(scope: CodeScope, name: str) -> Iterator[ast.expr]:
    """What a function gives to a function within it for a parameter."""
    for local, node in scope.local_functions.items():
        names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        if name in names:
            for step in scope.calls:
                call = step.node
                if isinstance(call, ast.Call) and last_name(call.func) == local:
                    given = find_call_argument(call, name, names.index(name))
                    if given is not None:
                        yield given
