"""Lines that report a failure, and lines that only mention one."""

import pytest

from pipedoctor.log.mentions import hide_mentions, is_quotation

MENTIONS = [
    "e4f5a6b fix(loader): bus error in small containers",
    "feat(loader): survive CUDA out of memory",
    "- [x] find out why workers get killed",
    "  --on-oom {halve,die} what to do on CUDA out of memory",
    "       EMFILE Too many open files",
    "src/a.py:91:80: E501 Line too long  # CUDA out of memory",
    'src/a.py:9: error: Name "BusError" is not defined  [name-defined]',
    "# HELP oom_kills_total Workers killed by the OOM killer.",
    "TASK [kill stuck workers] ********",
    "ERROR:disk:No space left on device (simulated)",
    "make: [Makefile:12: clean] Error 1 (ignored)",
    "tests/a.py::test_no_deadlock PASSED    [ 16%]",
    "--- PASS: TestWorkerKilled (0.31s)",
    "gn1 systemd[1]: Finished clean-shm.service - Remove leaked shared memory.",
    "loader/oom_killer.py       81      2    98%",
    "  - CUDA out of memory: errors/oom.md",
    '811,closed,"Bus error"',
    "  CUDA out of memory            38 %",
    "# good: [77aa66b] fix hang in shutdown",
    "[ ] /dev/shm is at least 8 GB (else: Bus error)",
    "[gpu ] SKIP: no kernel image is available for execution on the device",
    "[OK]   no Xid in dmesg",
    "DataLoader worker Bus error  |   12 | 2024-02-11 | resolved",
    '  match: "Out of memory: Killed process"',
    '    raise RuntimeError("CUDA out of memory")',
]
REPORTS = [
    "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error.",
    "3f2a1b9c7d1e   pytorch/pytorch   Exited (137) 2 minutes ago",
    "tests/a.py::test_no_deadlock FAILED    [ 16%]",
    "src/a.py:9: OSError: [Errno 28] No space left on device",
    "training does not run as expected: CUDA out of memory",
    "- [ ] workers get killed",
]


@pytest.mark.parametrize("line", MENTIONS)
def test_a_line_that_only_mentions_a_failure(line: str) -> None:
    assert is_quotation(line)


@pytest.mark.parametrize("line", REPORTS)
def test_a_line_that_reports_a_failure(line: str) -> None:
    assert not is_quotation(line)
    assert hide_mentions(line, comments=True) == line or "test_no_deadlock" in line


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("no stuck workers, 0 killed", "workers"),
        ("stuck=0 killed=0 oom_events=0", ""),
        ("oom_kills_total 0", ""),
        ("rank 0 died, exit code 137", "rank 0 died, exit code 137"),
        ("GPU 0 out of memory", "GPU 0 out of memory"),
        ("RuntimeError: no kernel image", "RuntimeError: no kernel image"),
        ("nothing was killed", ""),
        ("10:00 no stuck workers, 0 killed", "10:00"),
        ("no error from rank 3", "from rank 3"),
        ("exit 0, oom kills 0, time 3", "exit 0, , time 3"),
        ("the leak of 1.9 is closed", ""),
        ("the error is fixed by a new driver", "the error is fixed by a new driver"),
        ("workers no longer hang at the lock", "workers"),
        ("the training no longer works: Bus error", "the training no longer works: Bus error"),
        ("background workers are no longer alive", "background workers are no longer alive"),
        ("they do not deadlock any more", ""),
        ("the bus error is gone; now: Killed", "; now: Killed"),
    ],
)
def test_what_did_not_happen_is_hidden(line: str, rest: str) -> None:
    hidden = hide_mentions(line, comments=False)

    assert len(hidden) == len(line)
    assert hidden.split() == rest.split()


@pytest.mark.parametrize("comments", [True, False])
def test_comments_count_where_somebody_describes_what_he_sees(*, comments: bool) -> None:
    line = "for batch in loader:  # it hangs here"

    assert ("hangs" in hide_mentions(line, comments=comments)) is not comments
    assert hide_mentions("Killed # 9", comments=comments) == "Killed # 9"
