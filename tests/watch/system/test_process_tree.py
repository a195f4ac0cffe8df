"""Which processes lead a job, on a /proc of files."""

import os
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.watch.attach.permission_notes import PermissionNotes, describe_obstacle
from pipedoctor.watch.output.text_line import format_text_line
from pipedoctor.watch.process.unread_stacks import PTRACE_DENIED
from pipedoctor.watch.system.job_limits import JobLimits
from pipedoctor.watch.system.process_resources import ProcessResources
from pipedoctor.watch.system.process_tree import find_torch_jobs, list_job_processes


def add_process(proc: Path, pid: int, parent: int, name: str = "python3") -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    fields = ["S", str(parent), *(["0"] * 17), "100", "0", "0"]
    (folder / "stat").write_text(f"{pid} ({name}) {' '.join(fields)}\n")
    (folder / "maps").write_text("7f00-7f01 r-xp 0 0 1 /lib/libtorch_cpu.so\n")
    (folder / "cmdline").write_bytes(b"python3\0train.py\0")


def test_workers_whose_main_process_has_died_lead_nothing(tmp_path: Path) -> None:
    add_process(tmp_path, 500, 1)
    add_process(tmp_path, 501, 500, "pt_data_worker")
    add_process(tmp_path, 600, 1, "pt_data_worker")

    assert find_torch_jobs(tmp_path) == [500]


def test_a_worker_belongs_to_the_process_that_started_it(tmp_path: Path) -> None:
    add_process(tmp_path, 500, 1)
    for pid in (501, 502):
        add_process(tmp_path, pid, 500, "pt_data_worker")
    roles = {member.pid: (member.role, member.main) for member in list_job_processes(502, tmp_path)}

    assert roles == {500: ("main", 500), 501: ("worker", 500), 502: ("worker", 500)}


def test_the_number_of_a_thread_stands_for_its_process(tmp_path: Path) -> None:
    """Tables of processes show threads, too."""
    add_process(tmp_path, 500, 1)
    add_process(tmp_path, 501, 500, "pt_data_worker")
    add_process(tmp_path, 777, 1)  # as a thread of 500 shows itself
    (tmp_path / "777" / "status").write_text("Name:\tpython3\nTgid:\t500\nPid:\t777\n")

    assert [member.pid for member in list_job_processes(777, tmp_path)] == [500, 501]


def test_a_user_of_many_groups(tmp_path: Path) -> None:
    """They are listed before memory and threads."""
    add_process(tmp_path, 500, 1)
    groups = " ".join(map(str, range(100_000, 103_000)))
    text = f"Name:\tpython3\nGroups:\t{groups}\nRssAnon:\t8 kB\nThreads:\t7\n"
    (tmp_path / "500" / "status").write_text(text)
    held = ProcessResources(500, tmp_path)
    held.read(1.0)

    assert (held.threads.last, held.anonymous.last) == (7, 8192)
    assert held.unknown["io"].startswith("it belongs to another user, or this kernel")


def test_pages_of_files_are_memory_that_is_left(tmp_path: Path) -> None:
    """A job that reads much fills its control group with them."""
    group = tmp_path / "sys/fs/cgroup/job"
    group.mkdir(parents=True)
    for name, text in (
        ("max", "1000000\n"),
        ("current", "900000\n"),
        ("stat", "anon 300000\ninactive_file 500000\nactive_file 100000\n"),
    ):
        (group / f"memory.{name}").write_text(text)
    own = tmp_path / "proc/self"
    own.mkdir(parents=True)
    (own / "cgroup").write_text("0::/job\n")
    (own / "mountinfo").write_text("31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
    limits = JobLimits(Machine(root=tmp_path))
    limits.read(1.0)

    assert limits.memory_left == 700_000


@pytest.mark.parametrize(("rank", "expected"), [("3", 3), ("9" * 5000, None), ("\u00b2", None)])
def test_ranks_are_what_the_job_was_started_with(
    tmp_path: Path, rank: str, expected: int | None
) -> None:
    add_process(tmp_path, 500, 1)
    (tmp_path / "500" / "environ").write_bytes(f"A=1\0RANK={rank}\0WORLD_SIZE=8".encode())

    (leader,) = list_job_processes(500, tmp_path)

    assert (leader.rank, leader.world) == (expected, 8)


@pytest.mark.parametrize(
    ("parent", "command", "starts"),
    [
        (501, b"python3\0-c\0from multiprocessing.forkserver import main\0", True),
        (500, b"python3\0-c\0from multiprocessing.spawn import spawn_main\0", True),
        (500, b"python3\0-c\0from multiprocessing.resource_tracker import main\0", False),
        (500, b"python3\0train.py\0", False),
    ],
)
def test_a_process_that_may_become_a_worker(
    tmp_path: Path, parent: int, command: bytes, starts: bool
) -> None:
    for pid, above in ((500, 1), (501, 500), (502, parent), (503, 500)):
        add_process(tmp_path, pid, above)
    server = b"python3\0-c\0from multiprocessing.forkserver import main\0"
    (tmp_path / "501" / "cmdline").write_bytes(server)
    (tmp_path / "502" / "cmdline").write_bytes(command)
    (tmp_path / "502" / "maps").write_text("")  # it has not come to torch yet
    (tmp_path / "uptime").write_text("5.0 9.0\n")
    members = {m.pid: m for m in list_job_processes(500, tmp_path)}
    assert members[502].is_starting is starts
    assert not members[501].is_starting
    (tmp_path / "uptime").write_text("500.0 9.0\n")
    members = {m.pid: m for m in list_job_processes(500, tmp_path)}

    assert not members[502].is_starting


def test_a_line_without_samples_has_what_is_known() -> None:
    unknown = {"gpu": "no NVIDIA driver on this machine"}
    line: dict[str, Any] = {"seconds": 2.0, "pid": 7, "unknown": unknown}

    assert format_text_line(line).endswith("nothing seen yet")
    line["processes"] = [
        {"pid": 7, "role": "main", "state": "R", "cpu": 0.98, "run_queue": 0.02},
        {"pid": 8, "role": "worker", "state": "S", "cpu": 0.5},
        {"pid": 9, "role": "worker", "state": "S"},
    ]
    line["unknown"] = {"stacks": PTRACE_DENIED}
    line["pressure"] = {"io": 0.13}
    assert format_text_line(line) == (
        "    2 s  no stacks  CPU 98%  2 workers 50%  run queue 2%  I/O pressure 13%"
    )


def test_the_reason_for_no_stacks_is_said_once_with_the_permissions(tmp_path: Path) -> None:
    (tmp_path / "sys/kernel/yama").mkdir(parents=True)
    (tmp_path / "sys/kernel/yama/ptrace_scope").write_text("1\n")
    (tmp_path / "7").mkdir()
    (tmp_path / "7/status").write_text(f"Name:\tx\nUid:\t{os.geteuid()}\t0\n")
    notes, line = PermissionNotes(tmp_path), {"pid": 7, "unknown": {"stacks": PTRACE_DENIED}}

    rows = notes.list_new(line, 80, recorded=False)
    assert max(map(len, rows)) <= 80
    text = " ".join(row.strip() for row in rows)
    assert text.startswith(f"no stacks: {PTRACE_DENIED} here: kernel.yama.ptrace_scope is 1 ")
    assert "the same user may read: I/O" in text
    assert notes.list_new(line, 80, recorded=False) == []
    other = {"pid": 7, "unknown": {"stacks": "no CPython among its mappings"}}
    assert notes.list_new(other, 80, recorded=True) == ["no stacks: no CPython among its mappings"]
    assert PermissionNotes(tmp_path).list_new(other | {"samples": 4}, 80, recorded=True) == []


def test_who_may_trace_is_told_nothing_of_yama(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7/status").write_text(f"Name:\tx\nUid:\t{os.geteuid()}\t0\n")
    (tmp_path / "self").mkdir()
    (tmp_path / "self/status").write_text("Name:\tx\nCapEff:\t0000000000080000\n")

    assert describe_obstacle(7, tmp_path) == ""
    assert describe_obstacle(8, tmp_path) == ""
