"""Which names nothing in the project gives a value, so that nothing is asked of them."""

import ast
import textwrap

import pytest

from pipedoctor.source.assemble import index_file
from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.parse import parse_file
from pipedoctor.source.syntax.reaching_definitions import DefinitionFinder
from pipedoctor.source.values.foreign_names import ForeignNames

FOREIGN = {
    "a builtin": "def use(x):\n    len(x)",
    "a library": "import numpy\ndef use(x):\n    numpy.array(x)",
    "a class of a library": "from torch import nn\ndef use(x):\n    nn.Linear(1, 2)",
}
OWN = {
    "a function": "def help(x):\n    pass\ndef use(x):\n    help(x)",
    "a variable of the file": "import numpy\nlen = numpy.size\ndef use(x):\n    len(x)",
    "a parameter": "import numpy\ndef use(numpy):\n    numpy.array(1)",
    "a variable": "def use(x):\n    open = x.open\n    open(1)",
    "a loop": "def use(x):\n    for map in x:\n        map(1)",
    "a comprehension": "def use(x):\n    return [map(1) for map in x]",
    "a function within": "def use(x):\n    def len(y):\n        pass\n    len(x)",
    "a parameter of a function within": "def use(x):\n    def inner(len):\n        len(x)",
    "self": "class A:\n    def use(self):\n        self.step(1)",
    "a file of the project": "import tools\ndef use(x):\n    tools.load(x)",
    "a variable of another file": "from tools import size\ndef use(x):\n    size(x)",
}


def asks(text: str) -> bool:
    """Is the first call in ``use`` of a foreign name?"""
    files = {"train.py": textwrap.dedent(text), "tools.py": "size = open\n"}
    modules = [
        index_file(parse_file(SourceFile(path, code.encode()))) for path, code in files.items()
    ]
    scope = next(one for one in modules[0].scopes if one.name.endswith("use"))
    call = next(one for one in ast.walk(scope.node) if isinstance(one, ast.Call))
    assert isinstance(call.func, (ast.Name, ast.Attribute))
    return ForeignNames(Project(modules), DefinitionFinder()).is_foreign(call.func, scope)


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_foreign(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_own(text: str) -> None:
    assert not asks(text)
