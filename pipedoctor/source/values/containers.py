"""What containers hold: where they are written, and where something is put into them."""

import ast
from collections.abc import Iterator

from pipedoctor.source.resolve.container_contents import (
    containers_added_to,
    namedtuple_field_value,
    values_put_into,
)
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    BatchValue,
    ContainerValue,
    Evaluating,
    Frame,
    IteratorValue,
    LoaderValue,
    StreamValue,
    TupleValue,
    Value,
    Values,
    join,
)
from pipedoctor.source.values.library import NAMESPACES

_SEQUENCES = (ast.Tuple, ast.List, ast.Set)
_MAX_ADDED = 2
"""Containers that are added to one another: ``steps += more``."""
_METHODS = frozenset(("values", "items", "get", "pop", "copy"))
"""Methods of dictionaries that give what is in them."""
_DICTIONARIES = frozenset(("dict", "OrderedDict", "defaultdict"))
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)


def item_of(model: Evaluating, value: Value, index: object) -> Values:
    """What stands at an index or key of a value; at any where `index` is None."""
    return _item_of(model, value, index, _MAX_ADDED)


def _item_of(model: Evaluating, value: Value, index: object, depth: int) -> Values:
    if isinstance(value, BatchValue):
        return frozenset((value,))
    if isinstance(value, TupleValue):
        if isinstance(index, int) and -len(value.parts) <= index < len(value.parts):
            return value.parts[index]
        return join(iter(value.parts)) if index is None else UNKNOWN
    if isinstance(value, ContainerValue):
        return _item_of_container(model, value, index, depth)
    return UNKNOWN


def _item_of_container(
    model: Evaluating, container: ContainerValue, index: object, depth: int
) -> Values:
    node, frame = container.node, container.frame
    found = [model.evaluate(one, frame) for one in written_items(node, frame.scope, index)]
    if isinstance(node, ast.Call) and node.args and depth and _is_namespace(model, node, frame):
        given = model.evaluate(node.args[0], frame)  # ``Munch({"x": x})``
        found += [_item_of(model, one, index, depth - 1) for one in given]
    named = _names_of(frame.scope, node)
    if named and isinstance(node, ast.Call) and _is_namespace(model, node, frame):
        found += [model.evaluate(*one) for one in _attributes_given(model, frame, named, index)]
    for key in named:
        found += [model.evaluate(one, frame) for one in values_put_into(frame.scope, key, index)]
        for added in containers_added_to(frame.scope, key) if depth else ():
            for one in model.evaluate(added, frame):
                if isinstance(one, ContainerValue):
                    place = index if isinstance(one.node, ast.Dict) else None
                    found.append(_item_of_container(model, one, place, depth - 1))
                elif isinstance(one, TupleValue):
                    found.append(join(iter(one.parts)))
    return join(iter(found))


def _attributes_given(
    model: Evaluating, frame: Frame, named: list[str], index: object
) -> Iterator[tuple[ast.expr, Frame]]:
    """``options.loader = loader``; of what ``self`` keeps also what other methods give it."""
    scopes = [frame.scope]
    owner = frame.owner.cls if frame.owner is not None else frame.scope.owner
    if owner is not None and any(key.startswith("self.") for key in named):
        bases = model.project.find_bases(owner)[0]
        scopes += (m for one in bases for m in one.methods.values() if m is not frame.scope)
    for scope in scopes:
        for key in named:
            for name, value in scope.attribute_stores.get(key, ()):
                if index is None or name == index:
                    mine = frame if scope is frame.scope else model.frame_of(scope, frame.owner)
                    yield value, mine


def written_items(node: ast.expr, scope: CodeScope, index: object) -> Iterator[ast.expr]:
    """The expressions in a container where it is written: at a key, or all of them."""
    if isinstance(node, _SEQUENCES):
        if isinstance(index, int) and -len(node.elts) <= index < len(node.elts):
            yield node.elts[index]
        elif index is None:
            yield from node.elts
    elif isinstance(node, _COMPREHENSIONS):
        yield node.elt
    elif isinstance(node, ast.DictComp):
        yield node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if index is None or (isinstance(key, ast.Constant) and key.value == index):
                yield value
    elif isinstance(node, ast.Call):
        for word in node.keywords:
            if word.arg is not None and (index is None or word.arg == index):
                yield word.value
        field = namedtuple_field_value(node, scope, index)
        if field is not None:
            yield field


def _names_of(scope: CodeScope, node: ast.expr) -> list[str]:
    """The variables that a container is bound to where it is written."""
    bound = scope.names_by_value.get(id(node), [])
    if bound or not isinstance(node, (ast.List, ast.Dict)):
        return bound
    return [key for key, one in scope.filled_names.items() if one is node]


def elements_of(model: Evaluating, value: Value) -> Values:
    """What iterating a container, a loader or a stream gives."""
    if isinstance(value, (LoaderValue, IteratorValue)):
        return frozenset((BatchValue(value.index),))
    if isinstance(value, BatchValue):
        return frozenset((value,))
    if isinstance(value, StreamValue):
        parts = tuple(join(model.iterate(one) for one in part) for part in value.parts)
        return frozenset((TupleValue(parts),))
    if isinstance(value, TupleValue):
        return join(iter(value.parts))
    if isinstance(value, ContainerValue) and not isinstance(value.node, (ast.Dict, ast.DictComp)):
        return item_of(model, value, None)
    return UNKNOWN


def is_dictionary_method(model: Evaluating, func: ast.expr, frame: Frame) -> bool:
    """``loaders.values``: of a dictionary, whose attributes are methods and no items."""
    if not isinstance(func, ast.Attribute) or func.attr not in _METHODS:
        return False
    return any(
        isinstance(one, ContainerValue) and _is_dictionary(model, one)
        for one in model.evaluate(func.value, frame)
    )


def _is_dictionary(model: Evaluating, value: ContainerValue) -> bool:
    node = value.node
    if isinstance(node, ast.Call):
        made = last_name(node.func) in _DICTIONARIES
        return made or _is_namespace(model, node, value.frame)
    return isinstance(node, (ast.Dict, ast.DictComp))


def _is_namespace(model: Evaluating, node: ast.Call, frame: Frame) -> bool:
    """``Munch(x=x)``, whose attributes are its items."""
    return model.project.full_name_of(node.func, frame.scope.module) in NAMESPACES


def call_container_method(model: Evaluating, container: Value, call: ast.Call) -> Values:
    """``loaders.values()``, ``loaders.items()``, ``loaders.get("train")``."""
    method = last_name(call.func)
    if method == "values":
        return frozenset((TupleValue((item_of(model, container, None),)),))
    if method == "items":
        pair = TupleValue((UNKNOWN, item_of(model, container, None)))
        return frozenset((TupleValue((frozenset((pair,)),)),))
    if method in {"get", "pop"} and call.args:
        first = call.args[0]
        return item_of(model, container, first.value if isinstance(first, ast.Constant) else None)
    return frozenset((container,)) if method == "copy" else UNKNOWN


def list_given(model: Evaluating, node: ast.Call, frame: Frame) -> Iterator[Values]:
    """What the positions of a call give; of ``*args`` the parts that are known."""
    for one in node.args:
        values = model.evaluate(one, frame)
        rest = [value for value in values if isinstance(value, TupleValue)]
        if isinstance(one, ast.Starred) and rest:
            yield from (part for value in rest for part in value.parts)
        else:
            yield values
