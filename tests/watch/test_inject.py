"""`watch --inject`: a fixed script of ours in a job of CPython 3.14, and nowhere else."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.watch.conftest import pipedoctor

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
LOADERS = """
class _BaseDataLoaderIter:
    def __init__(self, items):
        self._dataset, self._items = items, iter(items)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._items)
"""
JOB = """
import sys, time
from torch.utils.data import dataloader

kind = dataloader._BaseDataLoaderIter
plain, modules = kind.__next__, set(sys.modules)
print("ready", flush=True)
end = time.monotonic() + 60
seen = False
while time.monotonic() < end and not (seen and kind.__next__ is plain):
    for _ in kind(range(20)):
        time.sleep(0.005)
    seen = seen or kind.__next__ is not plain
print(seen, [name for name in set(sys.modules) - modules if "pipedoctor" in name])
"""


def find_python() -> str | None:
    """CPython 3.14: that of pyenv, or on PATH."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = sorted(root.glob("3.14*/bin/python3.14"))
    return str(found[-1]) if found else shutil.which("python3.14")


@pytest.fixture
def job(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A loop of a module that stands where the loaders of torch stand."""
    python = find_python()
    if python is None:
        pytest.skip("CPython 3.14 is needed")
    package = tmp_path / "torch" / "utils" / "data"
    package.mkdir(parents=True)
    for folder in (package, *list(package.parents)[:2]):
        (folder / "__init__.py").touch()
    (package / "dataloader.py").write_text(LOADERS)
    (tmp_path / "train.py").write_text(JOB)
    with subprocess.Popen([python, tmp_path / "train.py"], stdout=subprocess.PIPE, text=True) as it:
        assert it.stdout is not None
        assert it.stdout.readline() == "ready\n"
        yield it
        it.kill()


def test_a_job_is_timed_and_left_as_it_was(job: "subprocess.Popen[str]", tmp_path: Path) -> None:
    done = pipedoctor(
        *("watch", str(job.pid), "--seconds", "2", "-q", "--inject"),
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )

    assert "inside: process" in done.stderr, done.stderr
    assert job.stdout is not None
    assert job.stdout.read() == "True []\n"
    assert not list(tmp_path.glob("pipedoctor-inject-*"))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="it would be allowed")
def test_an_older_python_is_refused() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as it:
        time.sleep(0.2)
        done = pipedoctor("watch", str(it.pid), "--seconds", "1", "--inject")
        it.kill()

    assert done.returncode == 2
    assert "3.14 or newer is needed" in done.stderr
    assert done.stdout == ""


def test_it_needs_stacks() -> None:
    done = pipedoctor("watch", "1", "--no-stacks", "--inject")
    assert done.returncode == 2
    assert "--inject needs a PID, and its stacks" in done.stderr
