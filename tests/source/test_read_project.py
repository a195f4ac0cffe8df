"""Which files of a project are read: those with torch, what they import, and what trains."""

from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.read_project import select_related_files

FILES = {
    "data.py": b"from torch.utils.data import DataLoader\nfrom rows import Rows\n",
    "rows.py": b"class Rows:\n    pass\n",
    "train.py": b"from data import build\nfor x in build():\n    net(x).backward()\n",
    "run.py": b"from train import main\nmain(loader=None)\n",
    "names.py": b"from data import NAMES\nprint(NAMES)\n",
    "other.py": b"import json\ntree.backward()\n",
}


def test_a_loop_in_a_file_without_torch_is_read() -> None:
    files = [SourceFile(path, text) for path, text in FILES.items()]

    found = {file.path for file in select_related_files(files)}

    assert found == {"data.py", "rows.py", "train.py", "run.py"}
