"""Stacks of real processes, of every Python that is here; py-spy is the oracle."""

import collections
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipedoctor.watch.stacks.frame_layout import UnknownLayoutError
from pipedoctor.watch.stacks.interpreter_search import find_interpreter
from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError
from pipedoctor.watch.stacks.stack_reader import StackReader

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
PROGRAM = """
import threading, time

class Données:
    def inner(self, idx, seed=2**62 + 5):
        total = 0
        for k in range(20000):
            total += k * k  # hot
        return total

def outer():
    number = 1000
    while True:
        Données().inner(number)
        number += 1

threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
print("ready", flush=True)
outer()
"""
HOT = PROGRAM.splitlines().index("            total += k * k  # hot") + 1


def pythons() -> Iterator[str]:
    """The Python that runs the tests, the system's, and the others that pyenv has."""
    yield sys.executable
    if Path("/usr/bin/python3").exists():
        yield "/usr/bin/python3"
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(10, 15):
        for path in sorted(root.glob(f"3.{minor}.*/bin/python"))[:1]:
            yield str(path)


@pytest.fixture(params=list(pythons()), ids=lambda p: Path(p).parent.parent.name)
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    file = tmp_path / "hot.py"
    file.write_text(PROGRAM)
    with subprocess.Popen([request.param, file], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


def stacks(pid: int, count: int) -> list[list[tuple[str, str, int]]]:
    reader = StackReader(pid, Path(f"/proc/{pid}"))
    found: list[list[tuple[str, str, int]]] = []
    for _ in range(count):
        time.sleep(0.004)
        try:
            frames = reader.read_frames()
        except TornReadError:
            continue
        found.append([(f.code.path, f.code.name, reader.find_line(f)) for f in frames])
    return found


@pytest.mark.slow
def test_reads_functions_and_lines(running: "subprocess.Popen[bytes]") -> None:
    found = stacks(running.pid, 100)

    assert len(found) > 90
    hot = [s for s in found if s and s[0][1].endswith("inner")]
    assert len(hot) > 0.8 * len(found)
    assert {s[-1][1] for s in hot} == {"<module>"}
    assert {s[1][1] for s in hot} == {"outer"}
    lines = collections.Counter(s[0][2] for s in hot)
    assert set(lines) <= {HOT - 2, HOT - 1, HOT, HOT + 1}
    assert lines[HOT] + lines[HOT - 1] > 0.9 * len(hot)
    assert {Path(s[0][0]).name for s in hot} == {"hot.py"}


@pytest.mark.slow
def test_reads_local_numbers(running: "subprocess.Popen[bytes]") -> None:
    reader = StackReader(running.pid, Path(f"/proc/{running.pid}"))
    seen: list[int] = []
    seeds: set[int | None] = set()
    deadline = time.monotonic() + 20
    while len(seen) < 60 and time.monotonic() < deadline:
        time.sleep(0.002)
        try:
            frames = reader.read_frames()
            inner = next((f for f in frames if f.code.name.endswith("inner")), None)
            number = reader.read_integer(inner, "idx") if inner else None
            seeds.add(reader.read_integer(inner, "seed") if inner else None)
        except TornReadError:
            continue
        if number is not None and 1000 <= number < 10**6:
            seen.append(number)

    assert len(seen) == 60
    grows = [one <= other for one, other in itertools.pairwise(seen)]
    assert grows.count(True) > 0.85 * len(grows)  # now and then one is gone already
    assert statistics.median(seen[-20:]) > statistics.median(seen[:20])
    assert 2**62 + 5 in seeds


@pytest.mark.slow
def test_the_same_hot_line_as_py_spy(running: "subprocess.Popen[bytes]") -> None:
    if shutil.which("py-spy") is None:
        pytest.skip("py-spy is not installed")
    command = ["py-spy", "dump", "--json", "--nonblocking", "--pid", str(running.pid)]
    theirs: collections.Counter[str] = collections.Counter()
    for _ in range(5):
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            continue
        for thread in json.loads(done.stdout):
            names = [frame["name"] for frame in thread["frames"]]
            if "outer" in names:
                theirs[names[0].rpartition(".")[2]] += 1
    ours = collections.Counter(s[0][1].rpartition(".")[2] for s in stacks(running.pid, 50))

    assert theirs, "py-spy knows no stack of it"
    assert ours.most_common(1)[0][0] == theirs.most_common(1)[0][0]


def test_a_program_that_is_no_python() -> None:
    with subprocess.Popen(["sleep", "9"]) as process:
        time.sleep(0.1)
        with pytest.raises(UnknownLayoutError, match="no CPython"):
            find_interpreter(RemoteMemory(process.pid), Path(f"/proc/{process.pid}"))
        process.kill()


def test_a_process_that_is_gone() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()

    with pytest.raises(OSError, match="No such process"):
        RemoteMemory(process.pid).read(4096, 8)


def test_an_address_that_is_not_mapped() -> None:
    with pytest.raises(TornReadError):
        RemoteMemory(os.getpid()).read(8, 8)
    assert RemoteMemory(os.getpid()).read_joined([(8, 8), (16, 8)]) is None


def test_an_interpreter_is_found_before_its_many_modules_are_looked_at() -> None:
    class Counted(RemoteMemory):
        reads = 0

        def read(self, address: int, size: int) -> bytes:
            self.reads += 1
            return super().read(address, size)

    memory = Counted(os.getpid())
    found = find_interpreter(memory, Path("/proc/self"))

    assert found.version == sys.version_info[:2]
    assert memory.reads < 60
