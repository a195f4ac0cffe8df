"""PDR721 speaks where a process is bound to fewer CPUs than it was given."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Place, Severity
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cpu import cpu
from pipedoctor.facts import Cpu, Facts, Loader, Site
from pipedoctor_checks.cpu.cpu_affinity_restricted import cpu_affinity_restricted

BARE = Site(system="linux")
DOCKER = Site(system="linux", container="docker")


def bound(affinity: int, **more: Any) -> Cpu:
    return Cpu(
        logical=8,
        affinity=affinity,
        online_list="0-7",
        affinity_list=f"0-{affinity - 1}",
        **more,
    )


@pytest.mark.parametrize(
    ("machine", "site"),
    [
        pytest.param(bound(8), BARE, id="all of the machine"),
        pytest.param(bound(2, cpuset=2), DOCKER, id="all of a cpuset"),
        pytest.param(bound(6, isolated=2), BARE, id="the rest is isolated"),
        pytest.param(bound(4, slurm_cpus=4, slurm_per_task=True), BARE, id="what Slurm granted"),
        pytest.param(bound(6, slurm_cpus=4, slurm_per_task=True), BARE, id="more than granted"),
        pytest.param(bound(1, slurm_cpus=8), BARE, id="Slurm's default of one CPU per task"),
        pytest.param(bound(1, cpuset=1), BARE, id="a cpuset of one"),
    ],
)
def test_silent(machine: Cpu, site: Site) -> None:
    assert cpu_affinity_restricted(machine, Loader(num_workers=9), site) == []


def test_a_chosen_mask_is_a_note() -> None:
    (finding,) = cpu_affinity_restricted(bound(4), Loader(num_workers=4), BARE)

    assert finding.severity is Severity.NOTE
    assert finding.summary == "the process may use 4 CPUs, but the machine has 8"
    assert finding.evidence == {
        "cpu.affinity": 4,
        "cpu.affinity_list": "0-3",
        "given": 8,
        "loader.workers_on_node": 4,
    }
    shell, remedy = finding.remedies
    assert shell.snippet == "taskset -pc 0-7 $$"
    assert remedy.shell == "taskset -c 0-7 python train.py"
    assert remedy.place is Place.LAUNCHER
    assert remedy.advice


@pytest.mark.parametrize(
    ("affinity", "loader", "severity"),
    [
        pytest.param(2, None, Severity.NOTE, id="two CPUs and no job known"),
        pytest.param(1, None, Severity.SLOWS, id="a single CPU"),
        pytest.param(4, Loader(num_workers=5), Severity.SLOWS, id="more workers"),
        pytest.param(4, Loader(ranks=9), Severity.NOTE, id="workers not known"),
    ],
)
def test_severity(affinity: int, loader: Loader | None, severity: Severity) -> None:
    (finding,) = cpu_affinity_restricted(bound(affinity), loader, BARE)

    assert finding.severity is severity


def test_mask_within_a_cpuset(snapshot: SnapshotAssertion) -> None:
    machine = bound(1, cpuset=4, cpuset_list="2-5")

    (finding,) = cpu_affinity_restricted(machine, None, DOCKER)

    assert finding.summary == snapshot
    assert finding.remedies[1].shell == "taskset -c 2-5 python train.py"


def test_srun_that_did_not_pass_on_the_grant(snapshot: SnapshotAssertion) -> None:
    machine = bound(1, slurm_cpus=6, slurm_per_task=True)

    (finding,) = cpu_affinity_restricted(machine, None, BARE)

    assert finding.severity is Severity.SLOWS
    assert finding.summary == snapshot
    (remedy,) = finding.remedies
    assert remedy.shell == "srun --cpus-per-task=6 python train.py"
    assert remedy.snippet == 'export SRUN_CPUS_PER_TASK="$SLURM_CPUS_PER_TASK"'


def test_srun_that_passed_on_a_part_slows_too() -> None:
    machine = bound(3, slurm_cpus=6, slurm_per_task=True)

    (finding,) = cpu_affinity_restricted(machine, None, BARE)

    assert finding.severity is Severity.SLOWS


def test_a_running_process_is_cured_in_place() -> None:
    (finding,) = cpu_affinity_restricted(bound(2, pid=42), None, BARE)

    (remedy,) = finding.remedies
    assert remedy.shell == "taskset -apc 0-7 42"
    assert remedy.undo == ("taskset", "-apc", "0-1", "42")
    assert remedy.automatic


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(Cpu(logical=8, affinity=2), id="lists not known"),
        pytest.param(Cpu(logical=8, affinity=2, pid=42, affinity_list="0-1"), id="running"),
    ],
)
def test_no_remedy_without_a_list_of_cpus(machine: Cpu) -> None:
    assert cpu_affinity_restricted(machine, None, BARE)[0].remedies == ()


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param(Facts(Cpu(logical=8)), "cpu: the affinity mask is not known", id="no mask"),
        pytest.param(
            Facts(bound(2), DOCKER),
            "cpu: the cpuset of this container is not known",
            id="a container that hides its cpuset",
        ),
    ],
)
def test_unknown_is_not_health(facts: Facts, reason: str) -> None:
    assert cpu_affinity_restricted.run(facts).skipped == reason


def test_judges_another_machine_from_its_record() -> None:
    record: dict[str, Any] = json.loads(json.dumps(Facts(bound(2)).to_record()))

    verdict = cpu_affinity_restricted.run(Facts.from_record(record))

    assert verdict.findings == tuple(cpu_affinity_restricted(bound(2), None, None))


def two_cpus() -> bool:
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


@pytest.mark.skipif(not two_cpus(), reason="needs two CPUs that we may use")
def test_the_illness_is_real_and_the_remedy_cures_it() -> None:
    sleep = [sys.executable, "-c", "print(flush=True); input()"]
    pipe = subprocess.PIPE
    job = subprocess.Popen(["taskset", "-c", "0", *sleep], stdin=pipe, stdout=pipe)
    try:
        assert job.stdout is not None
        job.stdout.readline()
        (finding,) = examine(job.pid)
        (remedy,) = finding.remedies

        subprocess.run(remedy.argv, check=True, capture_output=True)
        assert examine(job.pid) == []
        subprocess.run(remedy.verify, check=True, capture_output=True)
        subprocess.run(remedy.undo, check=True, capture_output=True)
        assert examine(job.pid) == [finding]
    finally:
        job.communicate(b"\n")


def examine(pid: int) -> list[Any]:
    seen = cpu(Machine(pid=pid, environ={}), lambda _: None)
    return cpu_affinity_restricted(seen, None, None)


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.skipif(not two_cpus(), reason="needs two CPUs that we may use")
def test_torch_suggests_as_many_workers_as_the_mask_has_cpus() -> None:
    pytest.importorskip("torch")
    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "from torch.utils.data import DataLoader\n"
        "DataLoader([1], num_workers=2)"
    )
    python = [sys.executable, "-c", code]

    ill = subprocess.run(
        ["taskset", "-c", "0", *python], check=True, capture_output=True, text=True
    )
    well = subprocess.run(python, check=True, capture_output=True, text=True)

    assert "suggested max number of worker in current system is 1" in ill.stderr
    assert "suggested max number of worker" not in well.stderr
