"""PDR605: Variable is left over from torch 0.3."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.fix.code.script import edit_content
from pipedoctor_checks.compat.variable import variable
from tests.checks.code_samples import Code, find, make_tests

FREEZE = "from torch.autograd import Variable\nx = Variable(x, volatile={})\n"
SILENT: dict[str, Code] = {
    "another's": "from mine import Variable\nVariable(1)\n",
    "a network that tries itself out": {
        "nets/net.py": "from torch.autograd import Variable\nif __name__ == '__main__':\n"
        "    x = Variable(x)\n",
        "train.py": "from nets.net import Net\n",
    },
    "a test that nobody calls": "from torch.autograd import Variable\ndef test():\n"
    "    return Net()(Variable(x))\n",
    "of a test": {"tests/test_net.py": "from torch.autograd import Variable\nVariable(1)\n"},
}
SPEAKS: dict[str, Code] = {
    "called": "from torch.autograd import Variable\nx = Variable(x)\n",
    "a script under its main guard": {
        "main.py": "from torch.autograd import Variable\nif __name__ == '__main__':\n"
        "    x = Variable(x)\n",
        "train.py": "from nets.net import Net\n",
    },
    "a test that is called": "from torch.autograd import Variable\ndef test():\n"
    "    return Net()(Variable(x))\ntest()\n",
    "all of a file": "from torch.autograd import Variable\nx = Variable(x)\n\n"
    "def f(y):\n    return Variable(y)\n",
}
test_silent, test_speaks = make_tests(variable, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("value", "severity"), [("True", Severity.RISKS), ("False", Severity.NOTE)]
)
def test_volatile_kept_no_graph_once(value: str, severity: Severity) -> None:
    (finding,) = find(variable, FREEZE.format(value))

    assert finding.severity is severity
    assert (finding.remedies[0].snippet == "with torch.no_grad():") == (value == "True")


def test_a_constant_that_is_volatile_is_a_note() -> None:
    code = "from torch.autograd import Variable\nclass Net:\n    def __init__(self):\n"
    code += "        self.priors = Variable(boxes, volatile=True)\n"

    (finding,) = find(variable, code)

    assert finding.severity is Severity.NOTE


@pytest.mark.parametrize(
    ("given", "leaf"),
    [
        ("torch.from_numpy(x).float()", True),
        ("x.data", True),
        ("x.detach().cuda()", True),
        ("x.new(3).zero_()", True),
        ("torch.zeros_like(x)", True),
        ("torch.as_tensor(x)", False),
        ("torch.stack(rows)", False),
        ("net(x)", False),
        ("x", False),
    ],
)
def test_what_variable_took_off_its_graph(given: str, leaf: bool) -> None:
    code = f"from torch.autograd import Variable\nx = Variable({given})\n"

    (finding,) = find(variable, code)

    assert finding.remedies[0].unsafe == ""
    written = [edit.replacement for edit in finding.remedies[0].edits]
    assert written == ["", "" if leaf else ".detach()"]


def test_one_finding_whether_or_not_a_gradient_is_wanted() -> None:
    code = "from torch.autograd import Variable\nx = Variable(x)\n"
    code += "y = Variable(y, requires_grad=True)\n"

    (finding,) = find(variable, code)

    assert [place.line for place in (finding.location, *finding.also_at) if place] == [16, 17]
    written = "".join(edit.replacement for edit in finding.remedies[0].edits)
    assert written.endswith(".requires_grad_()")


def test_variable_stops_gradients() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.ones(2, requires_grad=True)

    assert not torch.autograd.Variable(2 * weight).requires_grad


def test_a_variable_that_wants_a_gradient_asks_for_it() -> None:
    code = "from torch.autograd import Variable\nx = Variable(x, requires_grad=True)\n"

    (finding,) = find(variable, code)

    written = [edit.replacement for edit in finding.remedies[0].edits]
    assert written == ["", ".detach().requires_grad_()"]


LOOP = """
import torch
from torch.autograd import Variable
from torch.utils.data import DataLoader

def train(net, data):
    for x, y in DataLoader(data, 4, num_workers=2):
        {}
        net(x).backward()
"""


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("x, y = Variable(x), Variable(net(y))", "x, y = x, net(y).detach()"),
        ("x, y = Variable(x), Variable(y)", ""),
        ("x = Variable(x)", ""),
        ("x = Variable(x)  # once needed", "x = x  # once needed"),
        ("x = net(x); x = Variable(x)", "x = net(x); x = x.detach()"),
        ("x = Variable(x, requires_grad=True)", "x = x.detach().requires_grad_()"),
        ("z = Variable(torch.zeros(1), requires_grad=True)", "z = torch.zeros(1).requires_grad_()"),
        ("net(Variable(x.cuda()))", "net(x.cuda())"),
        ("net(Variable(x['image']))", "net(x['image'])"),
        ("net(Variable(\n            x,\n            requires_grad=False,\n        ))", "net(x)"),
        ("z = Variable(\n            net(x)\n        )", "z = net(x).detach()"),
        ("x['a'] = net(y); Variable(x['a'])", "x['a'] = net(y); x['a'].detach()"),
    ],
)
def test_a_batch_has_no_graph(line: str, kept: str) -> None:
    code = LOOP.format(line)

    (finding,) = find(variable, {"train.py": code})

    wanted = LOOP.format(kept) if kept else LOOP.replace("        {}\n", "")
    edited = edit_content(code.encode(), "train.py", finding.remedies[0].edits)
    assert edited.decode() == wanted


def test_files_that_can_be_edited_are_one_finding() -> None:
    head = "from torch.autograd import Variable\n"
    code = {
        "a.py": f"{head}def first(x):\n    x = Variable(x)\n    return x\n",
        "b.py": f"{head}def second(x):\n    y = Variable(x)\n    return y\n",
        "c.py": f"{head}def third(*x):\n    return Variable(*x)\n",
    }

    both, other = find(variable, code)

    assert both.summary.startswith("first and 1 more wrap tensors in Variable")
    assert [place.path for place in both.also_at] == ["b.py"]
    assert {edit.path for edit in both.remedies[0].edits} == {"a.py", "b.py"}
    assert other.summary.startswith("third wraps tensors in Variable")
    assert not other.remedies[0].edits
