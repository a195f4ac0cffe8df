"""What gives one Python object for each row of the data: lists, dictionaries, their elements."""

import ast
from collections.abc import Callable, Iterator
from itertools import islice

from pipedoctor.facts.code_events.item import Unpickling
from pipedoctor.source.detect.api_table import KIND_OF_CALL
from pipedoctor.source.detect.dataset.file_keys import gives_values, lists_keys
from pipedoctor.source.detect.dataset.list_fillings import (
    find_extensions,
    find_fillings,
    find_stored,
    is_empty,
)
from pipedoctor.source.detect.dataset.object_lists import (
    is_converted_to_array,
    is_written_out,
    varies_in_loop,
)
from pipedoctor.source.detect.dataset.row_elements import TEXT_SOURCES, ElementJudge, ElementSource
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope

MAX_DEPTH = 9
_MAX_CALLERS = 6
_TEXT_METHODS = {"readlines", "splitlines", "rglob", "glob", "iterdir", "iterrows", "itertuples"}
_TEXT_CHANGES = frozenset(("strip", "rstrip", "lstrip", "lower", "decode", "replace"))
_MEMBER_METHODS = {"namelist", "infolist", "getnames", "getmembers"}
_LIST_METHODS = {"tolist", "to_list", "to_dict"} | _TEXT_METHODS | _MEMBER_METHODS
"""Of files, archives, strings, arrays, tables, paths: an object for each line or row."""
_PARTS = {"keys", "values", "items", "copy", "get", "pop", "elements"}
"""Methods of dictionaries and lists that give their content."""
_WRAPPERS = {
    *("list", "sorted", "natsorted", "tuple", "filter", "map", "set", "dict", "reversed"),
    *("tqdm", "deepcopy", "copy", "from_iterable", "chain", "sample", "zip", "enumerate"),
}


class RowObjectFinder:
    """Follows lists to what they were filled with, through functions and objects."""

    def __init__(self, recorder: EventRecorder) -> None:
        self.recorder = recorder
        self._asked: set[tuple[int, bool]] = set()
        """What is being asked for now: it may be defined by itself."""
        self.is_used: Callable[[], bool] = lambda: False
        """Is what somebody pickled used as a container of objects? Nothing else can tell."""

    def makes_objects(
        self, scope: CodeScope, value: ast.expr, depth: int = MAX_DEPTH, *, plain: bool = False
    ) -> bool:
        """
        Does it give a container of Python objects whose length the data decide?

        `plain`: and are all parts of these strings, numbers and containers of them?
        """
        key = (id(value), plain)
        if depth <= 0 or key in self._asked:
            return False
        self._asked.add(key)
        try:
            return self._makes_objects(scope, value, depth, plain=plain)
        finally:
            self._asked.discard(key)

    def _makes_objects(self, scope: CodeScope, value: ast.expr, depth: int, *, plain: bool) -> bool:
        if isinstance(value, ast.Name):
            return self._is_name_of_objects(scope, value.id, depth, plain=plain)
        if isinstance(value, ast.Attribute):
            return self._is_attribute_of_objects(scope, value, depth, plain=plain)
        if isinstance(value, ast.Starred):
            return self._makes_objects(scope, value.value, depth, plain=plain)
        if isinstance(value, ast.Subscript):
            return self._is_part_of_objects(scope, value, depth, plain=plain)
        if isinstance(value, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            return self._is_comprehension(scope, value, depth, plain=plain)
        if isinstance(value, ast.Call):
            return self._is_call_for_objects(scope, value, depth, plain=plain)
        either: list[ast.expr] = []
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Mult)):
            either = [value.left, value.right]
        elif isinstance(value, ast.IfExp):
            either = [value.body, value.orelse]
        elif isinstance(value, ast.BoolOp):
            either = value.values
        return any(self.makes_objects(scope, one, depth - 1, plain=plain) for one in either)

    def _is_name_of_objects(self, scope: CodeScope, name: str, depth: int, *, plain: bool) -> bool:
        if is_converted_to_array(scope, name):
            return False
        given = [value for value, _ in scope.bindings.get(name, ())]
        if any(map(is_empty, given)) and any(self.find_filled(scope, name, depth, plain=plain)):
            return True
        if any(self.makes_objects(scope, one, depth - 1, plain=plain) for one in given):
            return True
        if given or name not in scope.parameter_names:
            return False
        return any(
            self.makes_objects(given_in, argument, depth - 1, plain=plain)
            for given_in, call in islice(self._find_calls(scope), _MAX_CALLERS)
            if given_in is not scope
            for parameter, argument in match_arguments(scope, call)
            if parameter == name
        )

    def _find_calls(self, scope: CodeScope) -> Iterator[tuple[CodeScope, ast.Call]]:
        """Calls of a function; of a constructor also those by a variable: ``kind(rows)``."""
        for site in self.recorder.project.find_callers(scope):
            yield site.scope, site.node
        project = self.recorder.project
        if scope.owner is None or not scope.name.endswith(".__init__"):
            return
        for instances in self.recorder.call_graph.unnamed_instances.values():
            for one in instances:
                init = project.find_method(one.cls, "__init__")
                handed_on = init is not None and not init.parameters[1:]
                if scope.owner in project.find_bases(one.cls)[0] and (init is scope or handed_on):
                    if one.call is not None and one.frame is not None:
                        yield one.frame.scope, one.call

    def _is_attribute_of_objects(
        self, scope: CodeScope, value: ast.Attribute, depth: int, *, plain: bool
    ) -> bool:
        """``self.rows``, or ``database.rows`` of an object of the project."""
        if isinstance(value.value, ast.Name) and value.value.id == "self":
            classes = [scope.owner] if scope.owner is not None else []
        else:
            graph = self.recorder.call_graph
            classes = graph.infer_classes(value.value, scope, scope.owner)[:2]
        key = f"self.{value.attr}"
        for cls in classes:
            for method in self.recorder.project.all_methods(cls):
                if is_converted_to_array(method, key):
                    return False
                given = (one for one, _ in method.bindings.get(key, ()))
                if any(self.makes_objects(method, one, depth - 1, plain=plain) for one in given):
                    return True
                if any(self.find_filled(method, key, depth - 1, plain=plain)):
                    return True
        return False

    def _is_part_of_objects(
        self, scope: CodeScope, value: ast.Subscript, depth: int, *, plain: bool
    ) -> bool:
        """``rows[:9]``, ``content["rows"]``, one of the lists that a function returns."""
        whole, index = value.value, value.slice
        if isinstance(index, ast.Slice):
            return self.makes_objects(scope, whole, depth, plain=plain)
        if isinstance(index, ast.Constant) and isinstance(index.value, int):
            if isinstance(whole, ast.Call) and last_name(whole.func) == "zip":
                spread = [one.value for one in whole.args if isinstance(one, ast.Starred)]
                return any(self.makes_objects(scope, one, depth - 1, plain=True) for one in spread)
            return isinstance(whole, ast.Call) and any(
                index.value < len(pair.elts)
                and self.makes_objects(target, pair.elts[index.value], depth - 1, plain=plain)
                for target, pair in self._find_returned(scope, whole)
                if isinstance(pair, ast.Tuple)
            )
        return self.makes_objects(scope, whole, depth - 1, plain=True)

    def _is_comprehension(
        self,
        scope: CodeScope,
        value: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        depth: int,
        *,
        plain: bool,
    ) -> bool:
        element = value.value if isinstance(value, ast.DictComp) else value.elt
        if all(_has_fixed_length(one.iter) for one in value.generators):
            return self.makes_objects(scope, element, depth - 1, plain=plain)
        sources = [ElementSource(one.target, one.iter) for one in value.generators]
        return self.is_object(scope, element, sources, depth - 1, plain=plain)

    def _is_call_for_objects(
        self, scope: CodeScope, value: ast.Call, depth: int, *, plain: bool
    ) -> bool:
        name = last_name(value.func)
        full = self.recorder.full_name_of(value.func, scope)
        if full in TEXT_SOURCES or (KIND_OF_CALL.get(full) is Unpickling and self.is_used()):
            return True
        if isinstance(value.func, ast.Attribute):
            if lists_keys(self.recorder, scope, value):
                return True
            if name in (_TEXT_METHODS if plain else _LIST_METHODS):
                return True
            read = value.func.value
            if name == "split" and _is_read_text(read):
                return True
            if name in _PARTS and self.makes_objects(scope, read, depth - 1, plain=plain):
                return True
        if name in _WRAPPERS and value.args:
            return self._is_wrapped(scope, value, name, depth, plain=plain)
        return any(
            self.makes_objects(target, returned, depth - 1, plain=plain)
            for target, returned in self._find_returned(scope, value)
        )

    def _is_wrapped(
        self, scope: CodeScope, value: ast.Call, name: str, depth: int, *, plain: bool
    ) -> bool:
        """``sorted(rows)``, ``list(zip(names, labels))``, ``list(map(str, rows))``."""
        if name == "map" and isinstance(value.args[0], ast.Lambda) and value.args[1:]:
            made = value.args[0]
            bound = (ast.Name(one.arg, ast.Store()) for one in made.args.args)
            pairs = zip(bound, value.args[1:], strict=False)
            sources = [ElementSource(*pair) for pair in pairs]
            return self.is_object(scope, made.body, sources, depth - 1, plain=plain)
        parts = value.args if name in {"zip", "chain"} else value.args[:1]
        if name in {"filter", "map"}:
            parts = value.args[-1:]
        return any(
            _picks_column(one)
            or gives_values(self.recorder, scope, one)
            or lists_keys(self.recorder, scope, one)
            or self.makes_objects(scope, one, depth - 1, plain=plain)
            for one in parts
        )

    def _find_returned(
        self, scope: CodeScope, call: ast.Call
    ) -> Iterator[tuple[CodeScope, ast.expr]]:
        """What the functions of the project return that a call may enter."""
        for target, _ in self.recorder.call_graph.resolve_call(call.func, scope, scope.owner):
            for returned in returned_values(target):
                yield target, returned

    def find_filled(
        self, scope: CodeScope, key: str, depth: int = MAX_DEPTH, *, plain: bool = False
    ) -> Iterator[CodeStep]:
        """Where a list or a dictionary gets an object for each row."""
        for filling in find_fillings(scope, key):
            step, item = filling.step, filling.value
            sources = [
                ElementSource(one.target, one.iter)
                for one in step.context.loops
                if isinstance(one, (ast.For, ast.AsyncFor))
            ]
            if all(_has_fixed_length(one.iterated) for one in sources):
                if sources or not step.context.loops:
                    continue
            varies = varies_in_loop(step, item) or (filling.keyed and bool(sources))
            if varies and self.is_object(scope, item, sources, depth - 1, plain=plain):
                yield step
        for step, added in (*find_extensions(scope, key), *find_stored(scope, key)):
            if self.makes_objects(scope, added, depth - 1, plain=plain):
                yield step

    def is_object(
        self,
        scope: CodeScope,
        node: ast.expr,
        sources: list[ElementSource],
        depth: int = MAX_DEPTH,
        *,
        plain: bool = False,
    ) -> bool:
        """Is it a string, a number, a record or a small container, and no array?"""
        return ElementJudge(self, scope, sources, plain=plain).is_object(node, depth)


def _is_read_text(node: ast.expr) -> bool:
    """``file.read()``, ``file.read().strip()``: the whole text of a file."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in {"read", "read_text"}:
            return True
        if node.func.attr not in _TEXT_CHANGES:
            return False
        node = node.func.value
    return False


def _has_fixed_length(node: ast.expr) -> bool:
    """``range(9)``, or what is written out."""
    if isinstance(node, ast.Call) and last_name(node.func) == "range":
        return all(isinstance(one, ast.Constant) for one in node.args)
    return is_written_out(node)


def _picks_column(node: ast.expr) -> bool:
    """``table.values[:, 0]``, ``table["name"].values``: a column, which becomes a list."""
    part = node.value if isinstance(node, (ast.Subscript, ast.Attribute)) else None
    if isinstance(node, ast.Attribute):
        named = isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant)
        return node.attr == "values" and named
    return isinstance(part, ast.Attribute) and part.attr == "values"
