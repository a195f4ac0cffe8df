"""Files that mean harm: bounded, named with a reason, and the rest is still read."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.code.source import source
from pipedoctor.collect.encodable import to_encodable
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import Print
from pipedoctor.source.discover.files import MAX_FILE_BYTES

GOOD = """
import torch
from torch.utils.data import DataLoader, Dataset
loader = DataLoader(Dataset(), num_workers=7)
"""
ITEM = """
import torch
from torch.utils.data import DataLoader, Dataset
class Items(Dataset):
    def __getitem__(self, i):
        """
DEEP = {
    "sum": "return " + "+".join("a" * 20_000),
    "minus": "return " + "-" * 5000 + "1",
    "not": "return " + "not " * 20_000 + "1",
    "attributes": "x" + ".a" * 20_000,
    "calls": "f" + "()" * 9000,
    "lambdas": "x = " + "lambda: " * 3000 + "1",
    "choices": "x = " + "a if b else " * 3000 + "1",
    "parentheses": "x = " + "(" * 5000 + ")" * 5000,
    "branches": "if a: pass\n" + "".join(f"        elif a == {n}: pass\n" for n in range(3000)),
}
SHALLOW = {
    "calls": "print(f" + "()" * 900 + ")",
    "attributes": "print(x" + ".a" * 900 + ")",
    "subscripts": f"if k{'[0]' * 900} not in c: c[k{'[1]' * 900}] = 1",
    "an item of a cache": f"if k{'[0]' * 2700} not in c: c[k{'[1]' * 2700}] = 1",
    "a condition": f"d = dict(a=1) if x{'[0]' * 2700} else dict()\nDataLoader(1, **d)",
    "a branch": f"d = {{}}\nif x{'[0]' * 2700}: d['a'] = 1\nDataLoader(1, **d)".replace(
        "\n", "\n        "
    ),
    "a partial of itself": (
        "from functools import partial\n        self.f = partial(self.f, 3)\n"
        "        for one in self.f(i): self.f(one)\n        return self.f(i)"
    ),
    "brackets": "x = " + "[" * 190 + "]" * 190,
    "branches": "if a: pass\n" + "".join(f"        elif a == {n}: print(n)\n" for n in range(300)),
    "one line": ";".join(["print('é')"] * 3000),
    "half a character": "return open('\\ud800')",
}


def _facts(folder: Path) -> Source:
    facts = source(Machine(), [str(folder)], 1000.0, lambda _: None)
    to_encodable(facts)  # as it leaves its process
    return facts


def _reasons(facts: Source) -> dict[str, str]:
    return {Path(one.path).name: one.reason for one in facts.skipped}


@pytest.mark.parametrize("code", DEEP.values(), ids=DEEP)
def test_deep_nesting_is_named_and_the_rest_is_read(code: str, tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(ITEM + code)
    (tmp_path / "good.py").write_text(GOOD)
    facts = _facts(tmp_path)
    followed = facts.parsed == 2  # old parsers go deeper, and then so do we
    assert followed or _reasons(facts)["deep.py"].endswith(
        ("nested too deep", "too many nested parentheses")
    )
    assert [one.arguments["num_workers"].value for one in facts.loaders] == [7]


@pytest.mark.parametrize("code", SHALLOW.values(), ids=SHALLOW)
def test_what_python_can_just_parse_is_followed(code: str, tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(ITEM + code)
    assert (_facts(tmp_path).parsed, _facts(tmp_path).skipped) == (1, ())


def test_no_step_has_more_than_twenty_conditions(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(ITEM + SHALLOW["branches"])
    events = _facts(tmp_path).select_events(Print)
    assert [len(event.guards) for event in events[-2:]] == [20, 20]
    assert events[-1].guards[-1] == "a == 299"


def test_what_is_no_file_has_a_reason(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "device.py").symlink_to("/dev/zero")
    (tmp_path / "nowhere.py").symlink_to(tmp_path / "absent.py")
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "round").symlink_to(tmp_path)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.relpath(tmp_path / "socket.py"))
    facts = _facts(tmp_path)
    assert _reasons(facts) == {
        "circle.py": "Too many levels of symbolic links",
        "device.py": "not a regular file",
        "nowhere.py": "No such file or directory",
        "pipe.py": "not a regular file",
        "socket.py": "not a regular file",
    }
    assert (facts.parsed, len(facts.loaders)) == (1, 1)


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    with (tmp_path / "one_line.py").open("wb") as file:
        file.write(b"import torch; x = 1 #")
        file.truncate(50 << 20)
    with (tmp_path / "huge.ipynb").open("wb") as file:
        file.truncate(MAX_FILE_BYTES * 40)
    facts = _facts(tmp_path)
    assert _reasons(facts) == {
        "huge.ipynb": "larger than 32 MiB",
        "one_line.py": "larger than 1 MiB",
    }
    assert facts.parsed == 1


def test_pictures_in_a_notebook_do_not_count(tmp_path: Path) -> None:
    code = "import torch\\nfrom torch.utils.data import DataLoader\\nDataLoader([1])"
    cell = f'{{"cell_type": "code", "source": "{code}", "outputs": ["%s"]}}'
    text = '{"cells": [' + cell % ("A" * (2 << 20)) + "]}"
    (tmp_path / "seen.ipynb").write_text(text)
    (tmp_path / "broken.ipynb").write_text("[" + "torch" * (1 << 20))
    facts = _facts(tmp_path)
    assert [(one.at.cell, one.at.line) for one in facts.loaders] == [(1, 3)]
    assert "no notebook" in _reasons(facts)["broken.ipynb"]


def test_odd_bytes_in_names_and_in_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"odd\xff.py")
    (tmp_path / name).write_text(GOOD)
    (tmp_path / "nul.py").write_bytes(b"import torch\0")
    (tmp_path / "latin.py").write_bytes(b"import torch\nx = '\xe9'\n")
    (tmp_path / "coding.py").write_bytes(b"# coding: nonsense\nimport torch\n")
    facts = _facts(tmp_path)
    assert [Path(one.at.path).name for one in facts.loaders] == ["odd\\xff.py"]
    assert set(_reasons(facts)) == {"nul.py", "latin.py", "coding.py"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    (tmp_path / "good.py").write_text(GOOD)
    assert _reasons(_facts(tmp_path)) == {"closed": "Permission denied"}


def test_a_folder_that_vanishes_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    (tmp_path / "good.py").write_text(GOOD)
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("gone"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    facts = _facts(tmp_path)
    assert _reasons(facts) == {"gone": "No such file or directory"}
    assert facts.parsed == 1


def test_names_that_lead_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import torch\nfrom b import *\nfrom torch.utils.data import DataLoader\n"
        "class A(B): pass\nx = y\ny = x\nloader = loader\n"
        "for item in DataLoader(x, num_workers=y, **x): pass\n"
        "for item in loader: pass\n"
    )
    (tmp_path / "b.py").write_text("import torch\nfrom a import *\nclass B(A): pass\n")
    facts = _facts(tmp_path)
    assert [one.arguments["num_workers"].how for one in facts.loaders] == ["unknown"]


TRAPS = {
    "setup.py": "trap()",
    "conftest.py": "trap()",
    "sitecustomize.py": "trap()",
    "usercustomize.py": "trap()",
    "torch.py": "trap()",
    "pipedoctor.py": "trap()",
    "msgspec.py": "trap()",
    "trap.pth": "import os; open('sprung', 'w')",
    "pkg-1.dist-info/entry_points.txt": "[pipedoctor.checks]\ntrap = train\n",
    "pkg-1.dist-info/METADATA": "Name: pkg\nVersion: 1\n",
    "pyproject.toml": "[project]\nname = 'trap'\nversion = '1'\n"
    "[project.entry-points.'pipedoctor.checks']\ntrap = 'train'\n"
    "[build-system]\nrequires = []\nbuild-backend = 'train'\nbackend-path = ['.']\n",
    "train.py": GOOD + "trap()\n",
}


def test_nothing_of_a_project_is_imported_or_run(tmp_path: Path) -> None:
    """Not even from within it, where Python itself would look for modules."""
    spring = "import torch\nopen('sprung', 'w').close()\ntrap = lambda: 1\n"
    for name, text in TRAPS.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(spring + text if name.endswith(".py") else text)
    script = Path(sys.executable).with_name("pipedoctor")
    command = [script, "check", ".", "--quick", "--no-cache", "--format", "json"]
    done = subprocess.run(
        [str(one) for one in command], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode in {0, 1}, done.stderr.decode()
    assert b'"train.py"' in done.stdout
    assert not (tmp_path / "sprung").exists()
    assert not list(tmp_path.rglob("__pycache__"))
