"""Short ways through syntax trees and texts come past everything that long ones do."""

import ast
import re
import warnings
from pathlib import Path

import pytest

from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.discover.imported_names import find_imported_names
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.index import index_module
from pipedoctor.source.syntax.parse import parse_file
from pipedoctor.source.syntax.walk import LEAF_TYPES, child_nodes, find_nodes, walk_branches

OWN = sorted(Path(ast.__file__).parent.glob("[a-f]*.py"))[:25]
LINE = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b([^#\n]*)|import[ \t]+([^#\n]*))",
    re.MULTILINE,
)
CALLS = """
import torch.nn as nn
nn.Linear(nn.ReLU()(x), make().to(y), *[b"".join(z)])[0]()
def outer(a):
    def inner(b):
        return a.b.c(b), (lambda: a())()
    return inner(a.b.c(1))
class Kept:
    def method(self):
        self.run(self.other.run())
"""


def names(text: bytes) -> set[bytes]:
    parts = (part for found in LINE.finditer(text) for part in found.groups() if part)
    return {word for part in parts for word in re.findall(rb"[A-Za-z_]\w*", part)}


@pytest.mark.parametrize("path", OWN, ids=[path.name for path in OWN])
def test_all_of_a_file_is_seen(path: Path) -> None:
    text = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    assert walk_branches(tree) == [n for n in ast.walk(tree) if type(n) not in LEAF_TYPES]
    kinds = {ast.Name, ast.Constant, ast.alias}
    assert find_nodes(tree, kinds) == [n for n in ast.walk(tree) if type(n) in kinds]
    named = LEAF_TYPES - {ast.Name}
    for node in ast.walk(tree):
        parts = [one for one in ast.iter_child_nodes(node) if type(one) not in named]
        assert child_nodes(node) == parts
    assert {name.encode() for name in find_imported_names(text)} == names(text)
    module = index_module(parse_file(SourceFile("a.py", text)), "a", package=False)
    for scope in module.scopes:
        args = getattr(scope.node, "args", ast.parse("lambda: 0", mode="eval"))
        own = {one.arg for one in ast.iter_child_nodes(args) if isinstance(one, ast.arg)}
        assert scope.parameter_names == own
    calls = [step.node for scope in module.scopes for step in scope.calls]
    places = [place for of_name in module.calls_by_name.values() for place in of_name]
    assert [step.node for _, step in module.steps_at(places)] == calls


@pytest.mark.parametrize(
    "text",
    [
        b"x = 1  # import this\n",
        b'"""\nimport inside\n"""\nfrom a.b import c, d  # import e\n',
        b"if x:\n\timport a ; import b\n",
        b"from . import(c)\r\nimport  d\r\n",
        b"important = 1\nfrom important import x\nfrom import import import\n",
        b"import a",
    ],
)
def test_imports_are_lines_that_begin_as_such(text: bytes) -> None:
    assert {name.encode() for name in find_imported_names(text)} == names(text)


def test_calls_are_known_by_what_is_called() -> None:
    module = index_module(parse_file(SourceFile("a.py", CALLS.encode())), "a", package=False)
    seen = {name: len(places) for name, places in module.calls_by_name.items()}
    assert seen == {
        "": 3,
        "nn.Linear": 1,
        "nn.ReLU": 1,
        ".to": 1,
        "make": 1,
        ".join": 1,
        "a.b.c": 2,
        "a": 1,
        "inner": 1,
        "self.run": 1,
        "self.other.run": 1,
    }
    project = Project([module])
    for last in ("c", "run", "to", "nothing"):
        every = [s for scope in module.scopes for s in scope.calls]
        called = [s.node for s in every if last_name(getattr(s.node, "func")) == last]  # noqa: B009
        assert [site.node for site in project.find_call_sites(last)] == called
    assert project.resolve_name("nn.Linear", module) == "torch.nn.Linear"
