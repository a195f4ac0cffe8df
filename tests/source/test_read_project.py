"""Which files of a project are read: those with torch, what they import, and what trains."""

import ast
import weakref

from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.discover.without_gc import pause_gc
from pipedoctor.source.related_files import select_related_files
from pipedoctor.source.syntax.parse import parse_file

FILES = {
    "data.py": b"from torch.utils.data import DataLoader\nfrom rows import Rows\n",
    "rows.py": b"class Rows:\n    pass\n",
    "train.py": b"from data import build\nfor x in build():\n    net(x).backward()\n",
    "run.py": b"from train import main\nmain(loader=None)\n",
    "epochs.py": b"import data\nfor epoch in range(9):\n    data.round(epoch)\n",
    "settings.py": b"import data as D\nRATE = 0.1\nbest, last = D.train_all(RATE)\n",
    "names.py": b"from data import NAMES\nprint(NAMES)\n",
    "other.py": b"import json\ntree.backward()\n",
}


def test_a_loop_in_a_file_without_torch_is_read() -> None:
    files = [SourceFile(path, text) for path, text in FILES.items()]

    found = {file.path for file in select_related_files(files)}

    assert found == {"data.py", "rows.py", "train.py", "run.py", "epochs.py", "settings.py"}


def test_what_was_read_is_gone_without_the_collector() -> None:
    lines = (
        b"from torch.utils.data import DataLoader",
        b"loaders = {'train': DataLoader(rows, 4)}",
        b"for x in loaders['train']:",
        b"    f(x)",
    )
    parsed = [parse_file(SourceFile("train.py", b"\n".join(lines)))]
    nodes = [weakref.ref(one) for one in ast.walk(parsed[0].tree) if isinstance(one, ast.Dict)]

    with pause_gc():
        facts = build_facts(parsed)
        parsed.clear()

        assert [one() for one in nodes] == [None]
    assert facts.loops


def test_a_loader_of_another_framework_is_left_alone() -> None:
    text = b"from paddle.io import DataLoader\nfor x in DataLoader(rows):\n    x.numpy()\n"

    assert not list(select_related_files([SourceFile("train.py", text)]))
    assert not list(select_related_files([SourceFile("train.py", text + b"# as in torch\n")]))
    assert list(select_related_files([SourceFile("train.py", text + b"import torch\n")]))
