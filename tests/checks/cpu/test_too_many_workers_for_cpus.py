"""PDR722 speaks when far more workers are asked for than there are CPUs."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cpu import cpu
from pipedoctor.facts import Cpu, Facts, Loader, Quota, Site, Slurm
from pipedoctor_checks.cpu.too_many_workers_for_cpus import too_many_workers_for_cpus

FOUR = Cpu(logical=4, affinity=4)


def node(tasks: int | None) -> Site:
    return Site(system="linux", slurm=Slurm(job_id="7", tasks_per_node=tasks))


@pytest.mark.parametrize(
    ("machine", "loader", "site"),
    [
        pytest.param(FOUR, Loader(num_workers=0), None, id="no workers"),
        pytest.param(FOUR, Loader(num_workers=6), None, id="exactly the ratio"),
        pytest.param(FOUR, Loader(num_workers=3, ranks=2), None, id="over two ranks"),
        pytest.param(FOUR, Loader(num_workers=3, loaders=2), None, id="two loaders"),
        pytest.param(FOUR, Loader(num_workers=6, ranks=4), node(4), id="each task has its own"),
    ],
)
def test_silent(machine: Cpu, loader: Loader, site: Site | None) -> None:
    assert too_many_workers_for_cpus(machine, loader, site) == []


def test_too_many(snapshot: SnapshotAssertion) -> None:
    (finding,) = too_many_workers_for_cpus(FOUR, Loader(num_workers=7), None)

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == "7 workers share 4 CPUs, all CPUs of the machine"
    assert finding.evidence == {
        "loader.num_workers": 7,
        "loader.ranks": 1,
        "loader.loaders": 1,
        "cpu.effective": 4,
        "cpu.binding": "machine",
    }
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert remedy.snippet == "DataLoader(..., num_workers=4)"
    assert not remedy.automatic


def test_more_ranks_than_cpus_need_more_cpus() -> None:
    job = Loader(num_workers=4, ranks=8)

    (finding,) = too_many_workers_for_cpus(FOUR, job, node(None))

    assert [remedy.snippet for remedy in finding.remedies] == [
        "DataLoader(..., num_workers=1)",
        "#SBATCH --cpus-per-task=8",
    ]


def test_a_machine_without_a_cpu_for_each_rank_says_how_many_fit() -> None:
    two = Cpu(logical=2, affinity=2)

    (finding,) = too_many_workers_for_cpus(two, Loader(num_workers=8, ranks=4), None)

    assert finding.remedies[-1].title == (
        "Set num_workers to 1 and use a machine with at least 4 CPUs,"
        " or run at most 3 ranks on this one"
    )


def test_one_worker_for_one_cpu(snapshot: SnapshotAssertion) -> None:
    (finding,) = too_many_workers_for_cpus(Cpu(logical=1, affinity=1), Loader(num_workers=2), None)

    assert finding.remedies[0].title == snapshot


@pytest.mark.parametrize(
    ("machine", "ending"),
    [
        pytest.param(
            Cpu(logical=64, affinity=64, quota=Quota(cpus=0.5, source="cpu.max")),
            "share 1 CPU, limited by cgroup quota",
            id="quota",
        ),
        pytest.param(
            Cpu(logical=64, affinity=2, cpuset=8),
            "share 2 CPUs, limited by affinity",
            id="affinity",
        ),
        pytest.param(
            Cpu(logical=64, affinity=64, slurm_cpus=6),
            "share 6 CPUs, limited by Slurm",
            id="Slurm",
        ),
        pytest.param(
            Cpu(logical=64, affinity=8, cpuset=8),
            "share 8 CPUs, limited by cpuset",
            id="cpuset before the affinity that follows from it",
        ),
    ],
)
def test_the_bound_is_named(machine: Cpu, ending: str) -> None:
    (finding,) = too_many_workers_for_cpus(machine, Loader(num_workers=32), None)

    assert finding.summary == f"32 workers {ending}"


@pytest.mark.parametrize(
    ("loader", "each"),
    [
        pytest.param(Loader(num_workers=4, ranks=2), 2, id="shared by ranks"),
        pytest.param(Loader(num_workers=4, loaders=2), 2, id="shared by loaders"),
        pytest.param(Loader(num_workers=2, ranks=8), 1, id="at least one"),
    ],
)
def test_recommendation(loader: Loader, each: int) -> None:
    (finding,) = too_many_workers_for_cpus(FOUR, loader, None)

    assert finding.remedies[0].snippet == f"DataLoader(..., num_workers={each})"


def test_a_slurm_task_is_judged_by_its_own_cpus(snapshot: SnapshotAssertion) -> None:
    loader = Loader(num_workers=7, ranks=4)

    (finding,) = too_many_workers_for_cpus(FOUR, loader, node(4))

    assert finding.summary == snapshot
    assert finding.remedies[0].snippet == "DataLoader(..., num_workers=4)"


@pytest.mark.parametrize(
    "site",
    [pytest.param(node(1), id="one task"), pytest.param(node(None), id="not known")],
)
def test_slurm_with_one_task(site: Site) -> None:
    loader = Loader(num_workers=7, ranks=2)

    (finding,) = too_many_workers_for_cpus(FOUR, loader, site)

    assert finding.summary.startswith("14 workers share")


def test_the_ratio_is_a_setting() -> None:
    loader = Loader(num_workers=6)

    assert too_many_workers_for_cpus(FOUR, loader, None, ratio=1.0)
    assert too_many_workers_for_cpus(FOUR, Loader(num_workers=9), None, ratio=3) == []


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param(
            Facts(FOUR, unknown={"loader": "no --workers given"}),
            "loader: no --workers given",
            id="no job",
        ),
        pytest.param(
            Facts(FOUR, Loader(ranks=2)),
            "loader: num_workers is not known",
            id="half a job",
        ),
    ],
)
def test_unknown_is_not_health(facts: Facts, reason: str) -> None:
    assert too_many_workers_for_cpus.run(facts).skipped == reason


def test_judges_another_machine_from_its_record() -> None:
    loader = Loader(num_workers=32)
    record: dict[str, Any] = json.loads(json.dumps(Facts(FOUR, loader).to_record()))

    verdict = too_many_workers_for_cpus.run(Facts.from_record(record))

    assert verdict.findings == tuple(too_many_workers_for_cpus(FOUR, loader, None))


@pytest.mark.extended
@pytest.mark.skipif(sys.platform != "linux", reason="counts by affinity")
def test_torch_warns_of_the_illness_and_not_after_the_remedy() -> None:
    pytest.importorskip("torch")
    here = cpu(Machine(environ={}), lambda _: None)
    asked = Loader(num_workers=3 * len(os.sched_getaffinity(0)))
    (finding,) = too_many_workers_for_cpus(here, asked, None)
    (remedy,) = finding.remedies

    assert "suggested max number of worker" in warned(
        f"DataLoader(..., num_workers={asked.num_workers})"
    )
    assert "suggested max number of worker" not in warned(remedy.snippet)


def warned(call: str) -> str:
    """What torch says to this call, with a dataset in the place of the dots."""
    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "from torch.utils.data import DataLoader\n" + call.replace("...", "[1]")
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stderr
