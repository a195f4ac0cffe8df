"""PDR704 speaks when the workers and their threads find no room, and only then."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, Limits, Loader, Rlimit, Threads
from pipedoctor_checks.limits.process_limit_reached import process_limit_reached
from tests.checks.limits.process_limits import BARE, FILES, GROUP, group, only, system, user

EIGHT = Loader(num_workers=8)  # 33 threads


@pytest.mark.parametrize(
    ("limits", "loader", "threads"),
    [
        pytest.param(user(89, 100), None, None, id="some room, no job"),
        pytest.param(user(7, 12), None, None, id="no job, room for one worker"),
        pytest.param(user(7, 12), Loader(ranks=8), None, id="its workers not known"),
        pytest.param(user(67, 100), EIGHT, None, id="exactly enough for a job"),
        pytest.param(user(89, 100), Loader(num_workers=0), None, id="a job without workers"),
        pytest.param(user(89, 100), Loader(ranks=8), None, id="workers not known"),
        pytest.param(
            user(89, 100),
            Loader(num_workers=8, origin={"num_workers": "pid 9"}),
            None,
            id="workers that run are counted already",
        ),
        pytest.param(
            user(43, 100),
            EIGHT,
            Threads(asked={"OMP_NUM_THREADS": 4}),
            id="exactly enough with pools",
        ),
        pytest.param(group(89, 100), None, None, id="group with room"),
        pytest.param(system(89, 100), None, None, id="system with room"),
    ],
)
def test_silent(limits: Limits, loader: Loader | None, threads: Threads | None) -> None:
    assert process_limit_reached(limits, loader, threads, BARE) == []


@pytest.mark.parametrize(
    ("limits", "loader", "threads", "severity", "summary"),
    [
        pytest.param(
            user(68, 100),
            EIGHT,
            None,
            Severity.BREAKS,
            "68 of 100 threads of this user (RLIMIT_NPROC), but 8 workers need 33 more",
            id="one too few",
        ),
        pytest.param(
            user(96, 100),
            Loader(num_workers=1),
            None,
            Severity.BREAKS,
            "96 of 100 threads of this user (RLIMIT_NPROC), but 1 worker needs 5 more",
            id="not even one worker",
        ),
        pytest.param(
            user(35, 100),
            Loader(num_workers=8, ranks=2),
            None,
            Severity.BREAKS,
            "35 of 100 threads of this user (RLIMIT_NPROC), but 16 workers need 66 more",
            id="ranks add up",
        ),
        pytest.param(
            user(44, 100),
            EIGHT,
            Threads(asked={"OMP_NUM_THREADS": 4, "MKL_NUM_THREADS": 1}),
            Severity.RISKS,
            ("44 of 100 threads of this user (RLIMIT_NPROC), but 8 workers need up to 57 more"),
            id="no room for the pools",
        ),
        pytest.param(
            user(90, 100),
            None,
            None,
            Severity.RISKS,
            "90 of 100 threads of this user (RLIMIT_NPROC)",
            id="nearly used up",
        ),
        pytest.param(
            user(8, 12),
            None,
            None,
            Severity.RISKS,
            ("8 of 12 threads of this user (RLIMIT_NPROC), but 1 worker needs up to 5 more"),
            id="no job, no room for one worker",
        ),
        pytest.param(
            user(100, 100),
            None,
            None,
            Severity.BREAKS,
            "100 of 100 threads of this user (RLIMIT_NPROC)",
            id="used up",
        ),
        pytest.param(
            group(90, 100),
            EIGHT,
            None,
            Severity.BREAKS,
            ("90 of 100 threads of the control group (pids.max), but 8 workers need 33 more"),
            id="group",
        ),
        pytest.param(
            system(90, 100),
            None,
            None,
            Severity.RISKS,
            "90 of 100 threads of the system (kernel.threads-max)",
            id="system",
        ),
        pytest.param(
            system(90, 1000, 100),
            None,
            None,
            Severity.RISKS,
            "90 of 100 threads of the system (kernel.pid_max)",
            id="numbers of processes",
        ),
    ],
)
def test_speaks(
    limits: Limits,
    loader: Loader | None,
    threads: Threads | None,
    severity: Severity,
    summary: str,
) -> None:
    finding = only(limits, loader, threads)

    assert (finding.severity, finding.summary) == (severity, summary)


def test_evidence() -> None:
    threads = Threads(asked={"OMP_NUM_THREADS": 4})

    assert only(group(90, 100), EIGHT, threads).evidence == {
        "limits.pids_max": 100,
        "in_use": 90,
        "needed": 33,
        "needed.with_pools": 57,
        "limits.pids_source": GROUP,
    }


def test_the_part_that_is_full_is_a_setting() -> None:
    assert process_limit_reached(user(90, 100), None, None, BARE, full=0.91) == []


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(Limits(nofile=FILES), id="nothing"),
        pytest.param(user(None, 100), id="use of the user"),
        pytest.param(user(100, None), id="no limit of the user"),
        pytest.param(group(None, 100), id="use of the group"),
        pytest.param(system(None, 100), id="use of the system"),
    ],
)
def test_unknown_is_not_health(limits: Limits, snapshot: SnapshotAssertion) -> None:
    verdict = process_limit_reached.run(Facts(limits))

    assert verdict.skipped == snapshot


def test_root_passes_the_limit_of_users() -> None:
    nproc = Rlimit(soft=100, hard=100)
    root = Limits(nofile=FILES, nproc=nproc, user_threads=100, exempt_from_nproc=True)

    assert process_limit_reached.run(Facts(root)).skipped


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(group(90, 100), EIGHT, BARE)
    record: dict[str, Any] = json.loads(json.dumps(facts.to_record()))

    verdict = process_limit_reached.run(Facts.from_record(record))

    assert list(verdict.findings) == [only(group(90, 100), EIGHT)]
