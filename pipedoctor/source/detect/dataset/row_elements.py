"""What a list is filled with for each row of the data: Python objects, or arrays."""

import ast
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from pipedoctor.source.detect.dataset.file_keys import gives_values, lists_keys
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope

TEXT_SOURCES: Mapping[str, str] = {
    "glob.glob": "https://docs.python.org/3/library/glob.html",
    "glob.iglob": "https://docs.python.org/3/library/glob.html",
    "os.listdir": "https://docs.python.org/3/library/os.html",
    "os.scandir": "https://docs.python.org/3/library/os.html",
    "os.walk": "https://docs.python.org/3/library/os.html",
    "ast.literal_eval": "https://docs.python.org/3/library/ast.html#ast.literal_eval",
    "csv.reader": "https://docs.python.org/3/library/csv.html",
    "csv.DictReader": "https://docs.python.org/3/library/csv.html",
    "json.load": "https://docs.python.org/3/library/json.html",
    "json.loads": "https://docs.python.org/3/library/json.html",
    "jsonlines.open": "https://jsonlines.readthedocs.io/",
    "natsort.natsorted": "https://natsort.readthedocs.io/",
    "msgpack.loads": "https://msgpack-python.readthedocs.io/",
    "msgpack.unpackb": "https://msgpack-python.readthedocs.io/",
    "orjson.loads": "https://github.com/ijl/orjson",
    "pyarrow.deserialize": "https://arrow.apache.org/docs/0.17.1/python/generated/pyarrow.deserialize.html",
    "ujson.load": "https://github.com/ultrajson/ultrajson",
    "ujson.loads": "https://github.com/ultrajson/ultrajson",
    "yaml.load": "https://pyyaml.org/wiki/PyYAMLDocumentation",
    "yaml.safe_load": "https://pyyaml.org/wiki/PyYAMLDocumentation",
}
"""Functions whose results hold nothing but strings, numbers and containers of these."""
_SPLITTERS = {"split", "rsplit", "splitext", "partition", "rpartition"}
_OBJECT_MAKERS = {
    *("join", "strip", "rstrip", "lstrip", "split", "format", "replace", "lower", "decode"),
    *("int", "float", "str", "tuple", "dict", "list", "basename", "splitext", "Path"),
}
"""What returns a string, a number or a small container, for an element of a list."""
_TEXT_MAKERS = frozenset(("re.sub", "unicodedata.normalize"))
_TOKENIZERS = frozenset(("tokenize", "word_tokenize", "convert_tokens_to_ids", "encode"))
"""What returns a list of strings or of numbers for a text: of tokenizers, and of NLTK."""
_NUMBER_MAKERS = {"len", "bool", "round", "dirname", "abspath", "upper", "title", "copy"}
_ACTIVE_METHODS = {"__getitem__", "__call__", "__iter__", "forward", "step"}
"""What has one of these is no record: a dataset, a transform, a model."""


class ElementSource(NamedTuple):
    """A loop, or a part of a comprehension: what it binds, and what it takes that from."""

    target: ast.expr
    iterated: ast.expr


class ContainerFinder(Protocol):
    """Who knows what containers hold."""

    recorder: EventRecorder

    def makes_objects(self, scope: CodeScope, value: ast.expr, depth: int, *, plain: bool) -> bool:
        """Does it give a container of Python objects whose length the data decide?"""
        ...


class ElementJudge:
    """Judges what is put into a list, within the loops around it."""

    def __init__(
        self,
        containers: ContainerFinder,
        scope: CodeScope,
        sources: list[ElementSource],
        *,
        plain: bool,
    ) -> None:
        self.containers = containers
        self.scope = scope
        self.sources = sources
        self.plain = plain

    def is_object(self, node: ast.expr, depth: int) -> bool:
        """Is it a string, a number, a record or a small container, and no array?"""
        if depth <= 0:
            return False
        if isinstance(node, ast.Name):
            return self._is_named_object(node.id, depth)
        if isinstance(node, (ast.Tuple, ast.List)):
            return self._is_container(node.elts, depth)
        if isinstance(node, ast.Dict):
            return self._is_container(node.values, depth)
        if isinstance(node, ast.DictComp):
            return self._is_container([node.value], depth)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            written = any(isinstance(one, (ast.Constant, ast.JoinedStr)) for one in sides)
            calls = (one for one in sides if isinstance(one, ast.Call))
            made = any(last_name(one.func) in _OBJECT_MAKERS for one in calls)
            joined = (one for one in sides if _may_be_joined(one))
            return written or made or any(self.is_object(one, depth - 1) for one in joined)
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            return self._is_part(node, depth)
        if isinstance(node, ast.Call):
            return self._is_made(node, depth)
        if isinstance(node, ast.ListComp):
            inner = [ElementSource(one.target, one.iter) for one in node.generators]
            sources = [*self.sources, *inner]
            judge = ElementJudge(self.containers, self.scope, sources, plain=self.plain)
            return judge.is_object(node.elt, depth - 1)
        if isinstance(node, ast.IfExp):
            return self.is_object(node.body, depth) or self.is_object(node.orelse, depth)
        return isinstance(node, ast.JoinedStr)

    def _is_container(self, parts: list[ast.expr], depth: int) -> bool:
        """A tuple or dictionary: small, unless something was read into it."""
        if self.plain:
            return all(
                isinstance(one, ast.Constant) or self.is_object(one, depth - 1) for one in parts
            )
        return not any(self._may_be_large(one, depth - 1) for one in parts)

    def _may_be_large(self, node: ast.expr, depth: int) -> bool:
        """Does a call make it of which nothing is known: an image, an array?"""
        if isinstance(node, ast.Name):
            given = [one for one, _ in self.scope.bindings.get(node.id, ())]
            return depth > 0 and any(self._may_be_large(one, depth - 1) for one in given)
        if isinstance(node, ast.Call):
            known = last_name(node.func) in _NUMBER_MAKERS
            return not known and not self.is_object(node, depth)
        return False

    def _is_named_object(self, name: str, depth: int) -> bool:
        for source in reversed(self.sources):
            if name in expression_names(source.target):
                return self._is_loop_variable(source, name, depth)
        given = [
            one
            for one, _ in self.scope.bindings.get(name, ())
            if not (isinstance(one, ast.Name) and one.id == name)
        ]
        return bool(given) and self.is_object(given[-1], depth - 1)

    def _is_loop_variable(self, source: ElementSource, name: str, depth: int) -> bool:
        """``for name in names``, ``for i, (name, label) in enumerate(zip(names, labels))``."""
        found = _narrow(source.target, source.iterated, name)
        if found is None:
            return False
        inner, iterated = found
        whole = isinstance(inner, ast.Name)
        recorder = self.containers.recorder
        if lists_keys(recorder, self.scope, iterated) or gives_values(
            recorder, self.scope, iterated
        ):
            return True
        return self.containers.makes_objects(
            self.scope, iterated, depth - 1, plain=self.plain or not whole
        )

    def _is_part(self, node: ast.Subscript | ast.Attribute, depth: int) -> bool:
        """``name.split(".")[0]``, ``row["file"]``, ``row.file``: a part of a plain object."""
        whole = node.value
        if isinstance(node, ast.Attribute) and isinstance(whole, ast.Call):
            return node.attr == "text" and last_name(whole.func) == "find"  # of XML
        if isinstance(node, ast.Subscript) and isinstance(whole, ast.Call):
            makers = _OBJECT_MAKERS if isinstance(node.slice, ast.Slice) else _SPLITTERS
            if last_name(whole.func) in makers:
                return True
        if isinstance(whole, ast.Attribute) and binding_key(whole):
            return isinstance(node, ast.Subscript) and self.containers.makes_objects(
                self.scope, whole, depth - 1, plain=self.plain
            )
        if isinstance(node, ast.Subscript) and isinstance(whole, ast.Name):
            picked = not isinstance(node.slice, (ast.Constant, ast.Slice))
            if picked and self.containers.makes_objects(self.scope, whole, depth - 1, plain=True):
                return True
        judge = ElementJudge(self.containers, self.scope, self.sources, plain=True)
        return isinstance(whole, (ast.Name, ast.Subscript)) and judge.is_object(whole, depth - 1)

    def _is_made(self, node: ast.Call, depth: int) -> bool:
        """By a function that gives a string, by a class of records, by a function of its own."""
        if last_name(node.func) in _OBJECT_MAKERS or _tokenizes(node):
            return True
        recorder = self.containers.recorder
        full = recorder.full_name_of(node.func, self.scope)
        if full in TEXT_SOURCES or full in _TEXT_MAKERS:
            return True
        made = recorder.project.find_definition(node.func, self.scope.module)
        if isinstance(made, ClassDefinition):
            return not self.plain and self._is_record_class(made)
        if isinstance(node.func, ast.Name) and self._is_named_tuple(node.func.id):
            return not self.plain
        graph = recorder.call_graph
        return any(
            ElementJudge(self.containers, target, [], plain=self.plain).is_object(one, depth - 1)
            for target, _ in graph.resolve_call(node.func, self.scope, self.scope.owner)
            for one in returned_values(target)
        )

    def _is_record_class(self, cls: ClassDefinition) -> bool:
        recorder = self.containers.recorder
        active = (recorder.project.find_method(cls, name) for name in sorted(_ACTIVE_METHODS))
        known = recorder.project.find_bases(cls)[1]
        library = any("." in one and not one.startswith(("typing.", "abc.")) for one in known)
        return not library and not any(active)

    def _is_named_tuple(self, name: str) -> bool:
        """``Row = namedtuple("Row", "path label")``."""
        given = self.scope.module.body.bindings.get(name, ())
        return any(
            isinstance(value, ast.Call) and last_name(value.func) in {"namedtuple", "NamedTuple"}
            for value, _ in given
        )


def _may_be_joined(node: ast.expr) -> bool:
    """A side of ``folder / name``, ``start + text + end``, ``rows + [row]``: of no arithmetic."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.Add, ast.Div))
    return isinstance(node, (ast.Name, ast.Call, ast.List))


def _tokenizes(node: ast.Call) -> bool:
    """``tokenizer.encode(text)``, unless it is asked for a tensor."""
    name = last_name(node.func)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    known = name in _TOKENIZERS and (name != "encode" or "tok" in unparse_short(owner).lower())
    return known and not any(word.arg == "return_tensors" for word in node.keywords)


def _narrow(target: ast.expr, iterated: ast.expr, name: str) -> tuple[ast.expr, ast.expr] | None:
    """Which part of ``enumerate(zip(a, b))`` a variable of a loop is taken from."""
    if isinstance(iterated, ast.Call) and last_name(iterated.func) in {"tqdm", "list", "sorted"}:
        if iterated.args:
            return _narrow(target, iterated.args[0], name)
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(iterated, ast.Call):
        parts = _list_parts(iterated)
        for one, part in zip(target.elts, parts, strict=False):
            if name in expression_names(one):
                return _narrow(one, part, name) if part is not None else None
    return target, iterated


def _list_parts(iterated: ast.Call) -> list[ast.expr | None]:
    """What each of the variables is taken from; None: a number."""
    kind = last_name(iterated.func)
    if kind == "enumerate":
        return [None, *iterated.args[:1]]
    if kind == "items" and isinstance(iterated.func, ast.Attribute):
        return [iterated.func.value, iterated.func.value]
    return [*iterated.args] if kind == "zip" else []
