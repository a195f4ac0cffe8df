"""Another platform, and a job that lives elsewhere than the shell."""

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
    import sys
    from functools import partial
    from pipedoctor.cli import main
    from pipedoctor.cli.request import check_request
    from pipedoctor.runtime import lanes

    check_request.Machine = partial(check_request.Machine, system=sys.argv[1])
    lanes.CAN_FORK = sys.argv[2] == "forks"
    main(["check", "--no-config", "--quick", *sys.argv[3:]])
"""


def on(system: str, forks: str, *options: str) -> subprocess.CompletedProcess[str]:
    """`check` as if it ran on another platform."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), system, forks, *options],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return done


systems = pytest.mark.parametrize("system", ["darwin", "win32"])
systems_and_forks = pytest.mark.parametrize(
    ("system", "forks"),
    [
        ("darwin", "forks"),
        ("win32", "no fork"),
        pytest.param("darwin", "no fork", marks=pytest.mark.extended),
        pytest.param("win32", "forks", marks=pytest.mark.extended),
    ],
)


@pytest.mark.slow
@systems_and_forks
def test_what_only_linux_has_is_skipped_with_that_reason(system: str, forks: str) -> None:
    done = on(system, forks, "--select", "PDR701,PDR702,PDR706", "--format", "json")

    assert done.returncode == 3  # nothing could be judged
    read = json.loads(done.stdout)
    assert read["findings"] == read["healthy"] == []
    reasons = {s["reason"] for s in read["skipped"] if s["code"] in {"PDR701", "PDR702"}}
    assert reasons == {f"shm: only available on Linux, not on {system}"}


@pytest.mark.slow
@systems_and_forks
def test_whatever_can_be_known_is_judged_and_nothing_crashes(system: str, forks: str) -> None:
    done = on(system, forks, "--format", "json", "--fail-on", "never")

    read = json.loads(done.stdout)
    assert done.returncode == 0
    assert not [s for s in read["skipped"] if s["reason"].startswith("crashed")]
    assert not [why for why in read["facts"]["unknown"].values() if "crashed" in why]


@pytest.mark.extended
@pytest.mark.slow
@systems
def test_a_person_reads_it_too(system: str) -> None:
    assert on(system, "no fork").returncode in {0, 1, 3}


@pytest.fixture
def job(half_a_cpu: Path) -> Generator[subprocess.Popen[bytes], None, None]:
    """A running process with a small /dev/shm, 777 descriptors and half a CPU."""
    script = (
        "mount -t tmpfs -o size=64m tmpfs /dev/shm;"
        f" echo $$ > {half_a_cpu}/cgroup.procs; exec prlimit --nofile=777 sleep 600"
    )
    command = ["unshare", "-m", "sh", "-c", script]
    environ = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "13"}
    with subprocess.Popen(command, env=environ) as process:
        while Path(f"/proc/{process.pid}/comm").read_text().strip() != "sleep":
            time.sleep(0.02)
        yield process
        process.kill()


def facts(*options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "pipedoctor", "check", "--quick", "--no-config"]
    done = subprocess.run(
        [*command, "--format", "json", "--fail-on", "never", *options],
        capture_output=True,
        check=True,
        timeout=60,
        cwd="/",
    )
    known: dict[str, Any] = json.loads(done.stdout)["facts"]["known"]
    return known


@pytest.mark.root
def test_a_running_job_is_judged_and_not_the_shell(
    job: subprocess.Popen[bytes],
) -> None:
    theirs, ours = facts("--pid", str(job.pid)), facts()

    assert theirs["shm"]["size"] == 64 << 20 != ours["shm"]["size"]
    assert theirs["limits"]["nofile"]["soft"] == 777 != ours["limits"]["nofile"]["soft"]
    assert theirs["cpu"]["quota"]["cpus"] == 0.5
    assert ours["cpu"].get("quota") is None or ours["cpu"]["quota"]["cpus"] != 0.5
    assert "13" in json.dumps(theirs["threads"])
    assert "13" not in json.dumps(ours["threads"])
