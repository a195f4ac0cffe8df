"""What an expression may be does not depend on what was asked before it."""

import ast
import random
from collections.abc import Sequence

import pytest

from pipedoctor.source.assemble import index_file
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.parse import parse_file
from pipedoctor.source.syntax.scope import CodeScope, Module
from pipedoctor.source.values.lattice import BatchValue, LoaderValue, Values
from tests.source.test_flows import FLOWS, split_files

Asked = tuple[ast.expr, CodeScope]
Place = tuple[str, str, int, int, str]
LONGEST = 90
"""Functions that call one another: more than are followed at once."""
CHAIN = "".join(f"def pass{n}(x):\n    return pass{n + 1}(x)\n" for n in range(LONGEST))
CIRCLES = """
class Node:
    def __init__(self, rows):
        self.rows, self.next = rows, None
    def last(self):
        return self.next.last() if self.next else self.first()
    def first(self):
        return self.last() or self.rows
def link(rows):
    one, two = Node(rows), Node(rows)
    one.next, two.next = two, one
    return one
def both(x, n):
    return other(x, n - 1) if n else x
def other(x, n):
    y = both(x, n)
    return y if n else other(y, n)
"""
HEAD = "from torch.utils.data import DataLoader\n"
MADE = "DataLoader(data, num_workers=2)"
PROGRAMS = {
    "a long chain": f"{HEAD}{CHAIN}def pass{LONGEST}(x):\n    return x\n"
    f"def main(data):\n    for batch in pass0({MADE}):\n        batch.cuda()\n",
    "circles": f"{HEAD}{CIRCLES}\ndef main(data):\n"
    f"    for batch in other(link(both({MADE}, 2)).last(), 3):\n        batch.cuda()\n",
    "calls by the dozen": HEAD
    + "def wrap(x):\n    return [x]\ndef take(x):\n    return wrap(x)[0]\n"
    + "".join(
        f"def main{n}(data):\n    for batch in take({MADE}):\n        batch.cuda()\n"
        for n in range(LONGEST)
    ),
}
for _name, _path in FLOWS.items():
    PROGRAMS[_name] = "\n".join(split_files(_path.read_text()).values())
OWN = ["a long chain", "circles", "calls by the dozen"]


def index(text: str) -> Module:
    return index_file(parse_file(SourceFile("train.py", text.encode())))


def list_questions(module: Module) -> list[Asked]:
    """All expressions of a file that somebody may ask about."""
    return [
        (step.node, scope)
        for scope in module.scopes
        for step in scope.steps
        if isinstance(step.node, ast.expr)
    ]


def ask(text: str, seed: int | None) -> dict[Place, list[str]]:
    """What each expression may be, asked in the order of the text or in another."""
    module = index(text)
    recorder = EventRecorder(Project([module]))
    evaluator = recorder.loader_flow.evaluator
    asked = list_questions(module)
    if seed is not None:
        random.Random(seed).shuffle(asked)
    found: dict[Place, list[str]] = {}
    for node, scope in asked:
        values = evaluator.evaluate(node, evaluator.frame_of(scope))
        place = (scope.name, type(node).__name__, node.lineno, node.col_offset, ast.unparse(node))
        found[place] = describe(values)
    return found


def describe(values: Values) -> list[str]:
    """Kinds of values, and which loaders they are of."""
    return sorted(
        f"{type(one).__name__} {getattr(one, 'index', '')}{getattr(one, 'name', '')}"
        for one in values
    )


def find_fed(text: str) -> Sequence[bool]:
    """Of the loops over what is called ``batch`` whether they are known to be over a loader."""
    module = index(text)
    recorder = EventRecorder(Project([module]))
    evaluator = recorder.loader_flow.evaluator
    return [
        any(
            isinstance(one, (LoaderValue, BatchValue))
            for one in evaluator.evaluate(node.iter, evaluator.frame_of(scope))
        )
        for scope in module.scopes
        for step in scope.steps_by_type.get(ast.For, ())
        if isinstance(node := step.node, ast.For)
    ]


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_order(name: str, seed: int) -> None:
    assert ask(PROGRAMS[name], seed) == ask(PROGRAMS[name], None)


@pytest.mark.parametrize("name", OWN)
def test_each_loop_is_fed(name: str) -> None:
    fed = find_fed(PROGRAMS[name])
    assert fed
    assert all(fed)


@pytest.mark.extended
@pytest.mark.parametrize("name", FLOWS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_order_of_flows(name: str, seed: int) -> None:
    assert ask(PROGRAMS[name], seed) == ask(PROGRAMS[name], None)
