"""Causes that no line of a log says alone."""

from collections.abc import Callable

import pytest

from pipedoctor.check import Confidence
from pipedoctor.explanation.reasoning import Diagnosis

Diagnosed = Callable[[str], Diagnosis]
ROWS = "[40 90 37 39 71]\n"
GO = "gc 7 @1.0s 4%: 0.1+5+0.03 ms clock, 0.9+1.1/8.8/0.2 ms cpu, 4->5->2 MB, "
COLUMNS = "step  host_mem  loss\n0  9.8G  3.1\n500  14G  2.2\n900  21G  1.9\n"

CASES = [
    (
        "too_many_workers_for_cpus",
        "a node with 32 cores\n$ torchrun --nproc_per_node=8 t.py --num_workers 16\n",
        "a node with 96 cores\n$ torchrun --nproc_per_node=8 t.py --num_workers 16\n",
    ),
    (
        "too_many_workers_for_cpus",
        "num_workers=16, 2 cores, 41 min per epoch\n",
        "num_workers=16, only 1 core is busy, 41 min per epoch\n",
    ),
    (
        "too_many_workers_for_cpus",
        "$ nproc\n4\nconfig: num_workers: 24\nepoch 1: 31 min\n",
        "$ nproc\n24\nconfig: num_workers: 24\nepoch 1: 31 min\n",
    ),
    (
        "cgroup_cpu_quota_ignored",
        GO + "5 MB goal, 16 P\nresources.limits.cpu: 1500m\n",
        GO + "5 MB goal, 2 P\nresources.limits.cpu: 1500m\n",
    ),
    (
        "cgroup_cpu_quota_ignored",
        "$ docker run --cpus=2 trainer nproc\n48\n",
        "$ docker run --cpus=48 trainer nproc\n48\n",
    ),
    (
        "thread_oversubscription",
        "real 2m0.1s\nuser 0m50.2s\nsys 9m3.9s\n",
        "real 2m0.1s\nuser 9m50.2s\nsys 1m3.9s\n",
    ),
    (
        "thread_oversubscription",
        "50.20user 543.90system 2:00.10elapsed 495%CPU\n",
        "543.90user 50.20system 2:00.10elapsed 495%CPU\n",
    ),
    (
        "worker_memory_growth_cow",
        COLUMNS + "1300  40G  1.7\n",
        COLUMNS + "1300  9.9G  1.7\n",
    ),
    (
        "worker_memory_growth_cow",
        COLUMNS + "1300  40G  1.7\nslurmstepd: error: Detected 1 oom_kill event\n",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.\n",
    ),
    (
        "duplicate_worker_rng",
        "DataLoader(ds, batch_size=5, num_workers=4)\n" + ROWS * 4,
        "DataLoader(ds, batch_size=5, num_workers=4)\n" + ROWS + "[7 2 91 3 4]\n",
    ),
]


def causes(said: Diagnosis) -> list[str]:
    return [c.cause for c in said.causes if c.confidence > Confidence.POSSIBLE]


@pytest.mark.parametrize(("cause", "ill", "well"), CASES)
def test_together(cause: str, ill: str, well: str, diagnosed: Diagnosed) -> None:
    said = diagnosed(ill)

    assert causes(said)[:1] == [cause]
    assert {one.line for one in said.causes[0].lines}
    assert cause not in causes(diagnosed(well))


@pytest.mark.parametrize(("ill", "well"), [c[1:] for c in CASES if "oom" not in c[1]])
def test_beside_an_exception_it_is_no_cause(ill: str, well: str, diagnosed: Diagnosed) -> None:
    error = 'Traceback (most recent call last):\n  File "t.py", line 3\nKeyError: 1\n'

    assert causes(diagnosed(ill + error)) == []
    assert causes(diagnosed(error + well)) == []


def test_the_lines_that_say_it_are_quoted(diagnosed: Diagnosed) -> None:
    said = diagnosed("$ nproc\n4\nepoch 1\nconfig: num_workers: 24\n")

    assert [(one.line, one.text) for one in said.causes[0].lines] == [
        (2, "4"),
        (4, "config: num_workers: 24"),
    ]
