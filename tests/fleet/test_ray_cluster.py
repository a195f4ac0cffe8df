"""A real cluster of three raylets on this machine, made different by variables."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.fleet.ray_cluster import RayError, build_package_folder, examine_cluster

NAMES = ("ray-head", "ray-one", "ray-two")
START = """
import json, signal, sys
from ray.cluster_utils import Cluster

def node(name, **more):
    variables = {"NODE_NAME": name, **more}
    return {"num_cpus": 1, "object_store_memory": 80 << 20, "env_vars": variables}

first, *others = sys.argv[1:]
head = {**node(first), "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=head)
pids = {}
for name in others:
    added = cluster.add_node(**node(name, OMP_NUM_THREADS="3"))
    pids[name] = added.all_processes["raylet"][0].process.pid
print(json.dumps({"address": cluster.address, "pids": pids}), flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[dict[str, Any]]:
    """Its address, and the processes that stand for nodes."""
    pytest.importorskip("ray", reason="ray is not installed")
    process = subprocess.Popen(
        [sys.executable, "-c", START, *NAMES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": "/tmp"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines = iter(process.stdout.readline, b"")
    yield next(json.loads(line) for line in lines if line.startswith(b"{"))
    process.communicate(timeout=60)


@pytest.mark.cluster
def test_every_node_reports(cluster: dict[str, Any], tmp_path: Path) -> None:
    place = ("--ray", cluster["address"], "--fleet-dir", str(tmp_path))
    more = ("--quick", "--format", "json", "--deadline", "120")
    line = [sys.executable, "-m", "pipedoctor", "fleet", "run", *place, *more]

    result = subprocess.run(line, capture_output=True, check=False)

    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert sorted(one["node"] for one in found["nodes"]) == sorted(NAMES)
    assert found["missing"] == []
    facts = (json.loads(f.read_bytes())["facts"] for f in tmp_path.glob("*.json"))
    known = {one["known"]["node"]["name"]: one["known"] for one in facts}
    threads = {name: one["threads"]["asked"] for name, one in known.items()}
    assert threads["ray-one"] == {"OMP_NUM_THREADS": 3}
    assert threads["ray-head"] != {"OMP_NUM_THREADS": 3}


@pytest.mark.cluster
def test_ctrl_c_ends_with_what_is_known(cluster: dict[str, Any]) -> None:
    def interrupt(done: int, _all: int) -> None:
        if done:
            os.kill(os.getpid(), signal.SIGINT)

    outcome = examine_cluster(cluster["address"], ["--quick"], deadline=40, progress=interrupt)

    assert outcome.interrupted
    assert len(outcome.answers) == 3
    assert all(one.data or one.trouble == "interrupted" for one in outcome.answers)


@pytest.mark.cluster
def test_a_node_that_is_killed_is_lost_and_harms_no_other(
    cluster: dict[str, Any],
) -> None:
    began = time.monotonic()

    def kill(done: int, _all: int) -> None:
        if not done and cluster["pids"]:
            _, pid = cluster["pids"].popitem()
            os.kill(pid, signal.SIGKILL)
            cluster["pids"].clear()

    outcome = examine_cluster(cluster["address"], ["--quick"], deadline=40, progress=kill)

    assert len(outcome.answers) == 3
    assert len(outcome.nodes_without_report) == 1
    assert outcome.nodes_without_report[0].trouble
    assert time.monotonic() - began < 60


def test_a_head_that_is_not_there_is_said_at_once() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    with pytest.raises(RayError, match="Connection refused"):
        examine_cluster(f"127.0.0.1:{port}", [], deadline=5)


def test_what_is_shipped_is_a_whole_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    folder = Path(build_package_folder())

    said = subprocess.run(
        [sys.executable, "-m", "pipedoctor", "list"],
        cwd=folder,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        check=True,
    )

    assert b"node-category-outlier" in said.stdout
