"""What is imported is code of others: it may print for ever, and leave daemons behind."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.environment.torch_import import torch_import
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import TorchImport, UnreadableError
from tests.hostile.conftest import STRANGER_ID, as_root

SPAM = "import os\nfor _ in range(800): os.write({0}, b'x' * (1 << 18))\n"
DAEMON = """
import os, time
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    open({0!r}, "w").write(str(os.getpid()))
    while True:
        os.write(1, b"y" * 4096)
while not os.path.exists({0!r}):
    time.sleep(0.01)
"""
HEALTHY = """
__version__, __file__, get_num_threads = "9.9", "x", int
class cuda:
    is_available = staticmethod(lambda: False)
    get_arch_list = staticmethod(list)
class backends:
    mps = None
"""


def import_torch(folder: Path, text: str, *, patience: float = 20.0) -> TorchImport:
    (folder / "torch.py").write_text(text)
    machine = Machine(environ={"PYTHONPATH": str(folder)})
    chosen = EnvironmentChoice(python=sys.executable)
    return torch_import(machine, chosen, patience, lambda _: None)


def is_subreaper() -> bool:
    """Are orphans of this process's own children still adopted?"""
    found = ctypes.c_int()
    ctypes.CDLL(None).prctl(37, ctypes.byref(found), 0, 0, 0)
    return bool(found.value)


@pytest.mark.parametrize("stream", [1, 2])
def test_output_without_end_fills_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: int
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    before = psutil.Process().memory_info().rss

    seen = import_torch(tmp_path, SPAM.format(stream) + HEALTHY)

    assert seen.version == "9.9"
    assert psutil.Process().memory_info().rss - before < 64 << 20


def test_what_an_import_leaves_behind_is_ended(tmp_path: Path) -> None:
    noted = tmp_path / "daemon"

    seen = import_torch(tmp_path, DAEMON.format(str(noted)) + HEALTHY)

    assert seen.version == "9.9"
    assert not psutil.pid_exists(int(noted.read_text()))
    assert not is_subreaper()


def test_so_it_is_where_the_import_hangs(tmp_path: Path) -> None:
    noted = tmp_path / "daemon"
    began = time.monotonic()

    seen = import_torch(
        tmp_path, DAEMON.format(str(noted)) + "while True: time.sleep(1)\n", patience=3.0
    )

    assert seen.hang
    assert time.monotonic() - began < 6
    assert not psutil.pid_exists(int(noted.read_text()))


def test_of_a_message_without_end_the_beginning_is_kept(tmp_path: Path) -> None:
    seen = import_torch(tmp_path, "raise ImportError('no CUDA ' + 'y' * (1 << 20))\n")

    assert seen.error.startswith("ImportError: no CUDA yyy")
    assert len(seen.error) <= 2000


@as_root
def test_the_program_of_another_users_process_is_not_started() -> None:
    """Its command line and its variables are that user's choice."""
    with subprocess.Popen(["sleep", "60"], user=STRANGER_ID) as process:
        machine = Machine(pid=process.pid, environ={})
        chosen = EnvironmentChoice(python=sys.executable)
        try:
            with pytest.raises(UnreadableError, match=f"belongs to user id {STRANGER_ID}"):
                torch_import(machine, chosen, 5.0, lambda _: None)
        finally:
            process.kill()


def test_the_program_of_an_own_process_is(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(HEALTHY)
    machine = Machine(pid=os.getpid(), environ={"PYTHONPATH": str(tmp_path)})
    chosen = EnvironmentChoice(python=sys.executable)

    assert torch_import(machine, chosen, 20.0, lambda _: None).version == "9.9"
