"""`pipedoctor watch` and the verdict of `run`, on real jobs and on broken ones."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pipedoctor.facts import LiveJob
from pipedoctor.report.model import Report
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation import job_facts
from pipedoctor.watch.observation.job_facts import collect_facts
from pipedoctor.watch.output.prometheus import METRICS
from tests.watch.conftest import pipedoctor

LOOP = Path(__file__).parent / "loops" / "loop.py"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Linux only"),
]


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A job that waits for its data, for as long as the tests of this module take."""
    pytest.importorskip("torch")
    folder = str(tmp_path_factory.mktemp("loops"))
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", LOOP, "sleep-latency", "600"],
        stdout=subprocess.PIPE,
        env=os.environ | {"LOOPS_FOLDER": folder},
        text=True,
    ) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.kill()


def test_lines_then_a_report(job: int) -> None:
    done = pipedoctor("watch", str(job), "--seconds", "6", "--interval", "2")

    assert (done.returncode, done.stderr) == (0, "")
    first, _, third, verdict, *page = done.stdout.splitlines()
    assert first.startswith("    2 s  wait ")
    assert "storage-latency" not in first
    assert "storage-latency" in third
    assert len(third) <= 80
    assert verdict.startswith("bottleneck-storage-latency at ")
    assert "loop_items.py:" in verdict
    assert any("PDR901 bottleneck-storage-latency" in line for line in page)
    assert any("num_workers=" in line for line in page)
    assert any(line.strip().startswith("$ pipedoctor tune ") for line in page)


def test_json_ends_in_a_report_that_can_be_judged_again(job: int, tmp_path: Path) -> None:
    done = pipedoctor("watch", str(job), "--seconds", "5.2", "--format", "json")
    *lines, last = done.stdout.splitlines()

    report = msgspec.json.decode(last, type=Report)
    finding = report.findings[0]
    assert finding.name == "bottleneck-storage-latency"
    assert 0.5 < finding.evidence["data_wait.share"] <= 1
    assert finding.evidence["hot.share"] > 0.9
    assert finding.gain is not None
    assert finding.gain.basis == "modelled"
    samples = [json.loads(line) for line in lines]
    assert all(line["schema"] == "pipedoctor.sample/1" for line in samples)
    assert {line["verdict"] for line in samples if line["seconds"] >= 5} == {finding.name}
    file = tmp_path / "report.json"
    file.write_text(last)
    again = pipedoctor("check", "--from", str(file), "--format", "json")
    first = json.loads(again.stdout)["findings"][0]
    assert first["summary"] == finding.summary
    assert first["location"]["line"] == finding.location.line  # type: ignore[union-attr]


def test_a_recording_gives_the_same_verdict(job: int, tmp_path: Path) -> None:
    file = str(tmp_path / "recording")
    once = pipedoctor("watch", str(job), "--seconds", "5.2", "-q", "--record", file)
    again = pipedoctor("watch", "--replay", file, "-q")

    assert (once.returncode, again.returncode) == (0, 0)
    assert once.stdout == again.stdout
    assert str(Path.home()) + "/" not in Path(file).read_text()


def test_ctrl_c_gives_the_report(job: int) -> None:
    command = [sys.executable, "-m", "pipedoctor", "watch", str(job)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        watch.stdout.readline()
        watch.send_signal(signal.SIGINT)
        rest = watch.stdout.read()

    assert watch.returncode == 0
    assert "bottleneck-" in rest


def test_every_job_of_the_user_has_a_line(job: int) -> None:
    done = pipedoctor("watch", "--all", "--seconds", "3", "--interval", "1")

    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()].count(str(job)) == 1


def test_metrics_are_served(job: int) -> None:
    pytest.importorskip("prometheus_client")
    words = ["watch", str(job), "--prometheus", "0", "--seconds", "20", "-q"]
    command = [sys.executable, "-m", "pipedoctor", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as watch:
        assert watch.stderr is not None
        address = watch.stderr.readline().split()[-1]
        assert address.startswith("http://127.0.0.1:")
        text = ""
        for _ in range(50):
            time.sleep(0.2)
            with urllib.request.urlopen(address) as answer:
                text = answer.read().decode()
            if "pipedoctor_bottleneck{" in text:
                break
        watch.terminate()
    for name, help_text, _ in METRICS:
        assert f"# HELP pipedoctor_{name} {help_text}" in text
    assert 'pipedoctor_bottleneck{name="storage-latency"' in text


def test_without_the_extra_it_says_how(job: int, tmp_path: Path) -> None:
    (tmp_path / "prometheus_client.py").write_text("raise ImportError('no')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = pipedoctor(
        *("watch", str(job), "--prometheus", "0"), env=os.environ | {"PYTHONPATH": path}
    )

    assert done.returncode == 2
    assert "pip install 'pipedoctor[prometheus]'" in done.stderr


# --- run


@pytest.mark.torch
def test_run_ends_with_the_verdict() -> None:
    command = [sys.executable, "-W", "ignore", str(LOOP), "sleep-latency", "9"]
    done = pipedoctor("run", "--", *command)

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2
    assert "bottleneck-storage-latency at " in done.stderr
    assert "PDR901 bottleneck-storage-latency" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.extended
@pytest.mark.torch
def test_run_is_quiet_when_told() -> None:
    code = "import torch; print('done')"
    done = pipedoctor("run", "-q", "--", sys.executable, "-c", code)

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


TWO_WORKERS = """
import os, signal, sys, time
def work():
    open("/proc/self/comm", "w").write("pt_data_worker")
    time.sleep(30)
first, second = (os.fork() or work() for _ in range(2))
print(first, second, flush=True)
for line in sys.stdin:
    for pid in (first, second):
        if line.strip() in ("all", str(pid)):
            os.kill(pid, signal.SIGTERM)
    print("done", flush=True)
    if line.strip() == "all":
        time.sleep(1.0)
        os.wait(), os.wait()
"""


@pytest.mark.parametrize("ends", ["all", "one"])
def test_a_zombie_is_a_dead_worker_but_not_at_the_end_of_an_epoch(
    ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_facts, "_SHUTDOWN_SECONDS", 0.3)
    command = [sys.executable, "-c", TWO_WORKERS]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        first, _ = map(int, process.stdout.readline().split())
        time.sleep(0.1)
        session = WatchSession(process.pid)
        session.run(0.3)
        process.stdin.write(f"{ends if ends == 'all' else first}\n")
        process.stdin.flush()
        process.stdout.readline()
        session.run(2.2)
        job = collect_facts(session).get(LiveJob)
        session.close()
        process.kill()

    assert job is not None
    ended = [(p.pid, p.state) for p in job.workers if p.ended]
    assert ended == ([(first, "Z")] if ends == "one" else [])


@pytest.mark.root
@pytest.mark.torch
def test_another_users_job_is_unknown_with_its_reason(job: int) -> None:
    if shutil.which("setpriv") is None or os.getuid() != 0:
        pytest.skip("needs root and setpriv")
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    reachable = subprocess.run(
        [*nobody, sys.executable, "-c", "import click"],
        check=False,
        capture_output=True,
    )
    if reachable.returncode:
        pytest.skip("this environment is not open to others")
    words = ["watch", str(job), "--seconds", "2", "--format", "json"]
    command = [*nobody, sys.executable, "-m", "pipedoctor", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)

    assert done.returncode == 3
    line = json.loads(done.stdout.splitlines()[0])
    assert "kernel.yama.ptrace_scope=0" in line["unknown"]["stacks"]
    assert "SYS_PTRACE" in line["unknown"]["stacks"]


@pytest.mark.extended
@pytest.mark.torch
def test_the_job_never_notices_a_killed_watch(job: int) -> None:
    command = [sys.executable, "-m", "pipedoctor", "watch", str(job), "-q"]
    for _ in range(3):
        with subprocess.Popen(command) as watch:
            time.sleep(0.7)
            watch.kill()
    state = Path(f"/proc/{job}/stat").read_text().rpartition(")")[2].split()[0]

    assert state in "RSD"
    tracer = Path(f"/proc/{job}/status").read_text().partition("TracerPid:\t")[2]
    assert tracer.startswith("0\n")
