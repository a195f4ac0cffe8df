"""All ranks of a node in one view: the slow one is named, with what holds it up."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.cli.actions.watch_view import build_page
from pipedoctor.facts import LiveJob
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation.job_facts import collect_facts
from pipedoctor.watch.output.text_line import format_text_line
from tests.watch.process_family import FAMILY

LOOP = Path(__file__).parent / "loops" / "loop.py"
LAUNCHER = """
import os, subprocess, sys
loops = ["hidden-latency", "sleep-latency"]
ranks = [
    subprocess.Popen(
        [sys.executable, "-W", "ignore", sys.argv[1], name, "40"],
        env=os.environ | {"RANK": str(rank), "WORLD_SIZE": "2"},
        stdout=subprocess.PIPE,
    )
    for rank, name in enumerate(loops)
]
for process in ranks:
    process.stdout.readline()
print("warm", flush=True)
sys.stdin.read()
for process in ranks:
    process.kill()
"""


@pytest.mark.slow
def test_ranks_that_no_variable_numbers() -> None:
    """As `torch.multiprocessing.spawn` starts them: each has a place of its own."""
    code = "import subprocess, sys; a, b = (subprocess.Popen([sys.executable, '-c', sys.argv[1],"
    code += " '1']) for _ in range(2)); a.wait()"
    with subprocess.Popen([sys.executable, "-c", code, FAMILY], stdout=subprocess.PIPE) as launcher:
        assert launcher.stdout is not None
        for _ in range(2):
            launcher.stdout.readline()
        session = WatchSession(launcher.pid)
        seconds, both = 1.0, 2
        while seconds < 30 and sum(p.tally.samples > 0 for p in session.list_mains()) < both:
            session.run(seconds := seconds + 0.5)
        job = collect_facts(session).get(LiveJob)
        ranks = [process.member.pid for process in session.list_mains()]
        session.close()
        for pid in (*ranks, launcher.pid):
            os.kill(pid, signal.SIGKILL)

    assert job is not None
    assert set(job.waits) == {f"PID {pid}" for pid in ranks}
    assert len(ranks) == both


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_the_slow_rank_of_a_launcher(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(LOOP)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"LOOPS_FOLDER": str(tmp_path)},
    ) as launcher:
        assert launcher.stdout is not None
        assert launcher.stdout.readline() == b"warm\n"
        words = ["watch", str(launcher.pid), "--seconds", "8", "--format", "json"]
        done = subprocess.run(
            [sys.executable, "-m", "pipedoctor", *words], capture_output=True, check=True
        )
        launcher.communicate()
    *lines, report = map(json.loads, done.stdout.splitlines())

    finding = report["findings"][0]
    assert finding["name"] == "bottleneck-storage-latency"
    assert finding["evidence"]["rank"] == 1
    assert "(the other " in finding["summary"]
    waits = lines[-1]["ranks"]
    assert waits["1"] > 0.5
    assert waits["0"] < 0.2
    late = [line for line in lines if line["seconds"] >= 5]
    assert all(line["verdict"] and line["confidence"] and line["rank"] == 1 for line in late)


def test_ranks_in_the_view() -> None:
    row = {"pid": 7, "role": "main", "state": "R", "rank": 1, "cpu": 0.5}
    line = {
        "seconds": 6.0,
        "samples": 100,
        "rank": 1,
        "ranks": {"1": 0.7, "0": 0.04},
        "data_wait": {"share": 0.7},
        "processes": [row, {"pid": 8, "role": "worker", "state": "S"}],
    }

    assert "rank 1 wait  70%" in format_text_line(line)
    without = {key: value for key, value in line.items() if key != "rank"}
    assert "PID 9 wait  70%" in format_text_line(without | {"ranks": {"PID 9": 0.7, "PID 8": 0.1}})
    waits, table = build_page(line, 80).renderables[1:3]
    assert str(waits) == "ranks by their wait for data: 1: 70%, 0: 4%"
    assert [c.header for c in table.columns][:3] == ["PID", "rank", "role"]  # type: ignore[union-attr]
    assert list(table.columns[1].cells) == ["1", ""]  # type: ignore[union-attr]
