"""
PDR726 speaks of ranks that float over several memory nodes.

The illness is not provoked: that takes a machine with two of them.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from pipedoctor.check import Confidence, Place, Severity
from pipedoctor.facts import Cpu, Facts, Loader, NumaNode
from pipedoctor_checks.cpu.numa_nodes_unbound import numa_nodes_unbound


def sockets(*cpus: int, allowed: int | None = 2) -> Cpu:
    nodes = tuple(NumaNode(node=n, cpus=c) for n, c in enumerate(cpus))
    return Cpu(logical=sum(cpus), numa=nodes, nodes_allowed=allowed)


EIGHT = Loader(ranks=8)


@pytest.mark.parametrize(
    ("machine", "loader"),
    [
        pytest.param(sockets(64), EIGHT, id="one node"),
        pytest.param(sockets(), EIGHT, id="no node known"),
        pytest.param(sockets(64, 0), EIGHT, id="the second has memory alone"),
        pytest.param(sockets(32, 32, allowed=1), EIGHT, id="bound to a node"),
        pytest.param(sockets(32, 32), Loader(ranks=1), id="one rank"),
        pytest.param(sockets(32, 32, allowed=1), None, id="bound, no job known"),
    ],
)
def test_silent(machine: Cpu, loader: Loader | None) -> None:
    assert numa_nodes_unbound(machine, loader) == []


def test_floating_ranks_are_a_note() -> None:
    (finding,) = numa_nodes_unbound(sockets(32, 16), Loader(ranks=2))

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == "2 ranks may run on any of 2 NUMA nodes"
    assert finding.evidence == {
        "cpu.numa": {"0": 32, "1": 16},
        "cpu.nodes_allowed": 2,
        "loader.ranks": 2,
    }
    (remedy,) = finding.remedies
    assert remedy.shell == "torchrun --numa-binding=node --nproc_per_node=2 train.py"
    assert remedy.place is Place.LAUNCHER
    assert remedy.advice


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param(Facts(sockets(32, 32)), "the number of ranks is not known", id="no job"),
        pytest.param(
            Facts(sockets(32, 32), Loader(num_workers=2)),
            "the number of ranks is not known",
            id="half a job",
        ),
        pytest.param(
            Facts(sockets(32, 32, allowed=None), EIGHT),
            "the affinity mask is not known",
            id="no mask",
        ),
    ],
)
def test_unknown_is_not_health(facts: Facts, reason: str) -> None:
    assert numa_nodes_unbound.run(facts).skipped == reason


def test_judges_another_machine_from_its_record() -> None:
    box = sockets(32, 32)
    record: dict[str, Any] = json.loads(json.dumps(Facts(box, EIGHT).to_record()))

    verdict = numa_nodes_unbound.run(Facts.from_record(record))

    assert verdict.findings == tuple(numa_nodes_unbound(box, EIGHT))


@pytest.mark.extended
@pytest.mark.slow
def test_torchrun_knows_the_option() -> None:
    pytest.importorskip("torch", minversion="2.13")
    (finding,) = numa_nodes_unbound(sockets(32, 32), EIGHT)
    _, option, *_ = finding.remedies[0].argv
    name, _, value = option.partition("=")

    asked = [sys.executable, "-m", "torch.distributed.run", "--help"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout

    line = next(line for line in told.splitlines() if name in line)
    assert value in line
