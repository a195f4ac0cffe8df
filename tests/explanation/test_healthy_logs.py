"""Logs of jobs that go well, whatever they warn of: no cause is named, and none is guessed."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.explanation.reasoning import Diagnosis
from pipedoctor.log.progress import find_last_progress, is_minor

PARTS = re.split(
    r"^=== ", Path(__file__).with_name("healthy.txt").read_text("utf-8"), flags=re.MULTILINE
)
LOGS = dict(part.split("\n", 1) for part in PARTS[1:])
RETRY = "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError'\n"
BARRIER = (
    "[rank0]:[W1003 10:00:01 ProcessGroupNCCL.cpp:4115]  using GPU 0 to perform barrier as"
    " devices used by this process are currently unknown. This can potentially cause a hang.\n"
)


def test_no_cause_is_named(diagnosed: Callable[[str], Diagnosis]) -> None:
    named = {name: diagnosed(text).causes for name, text in LOGS.items()}

    assert len(named) >= 78
    assert {name: causes[0].cause for name, causes in named.items() if causes} == {}


@pytest.mark.parametrize("rest", ["", "ERROR: no matching distribution\n", "step 4: stuck\n"])
def test_a_warning_counts_where_the_job_does_not_go_on(
    rest: str, diagnosed: Callable[[str], Diagnosis]
) -> None:
    assert diagnosed(f"{RETRY}{rest}").causes
    assert not diagnosed(f"{RETRY}step 3 loss 0.4\n").causes


STARTED = "9s   Normal    Started            pod/b-0   Started container main"
SHORT = "13m  Warning   FailedScheduling   pod/b-0   0/6 nodes: 6 Insufficient nvidia.com/gpu."
HANDLED = {
    "smaller batches": ("[probe] batch 512: CUDA out of memory, halving", "epoch 1 loss 3.3"),
    "left out": (
        "skipping corrupt image /d/7.jpg (cannot identify image file)",
        "2 shards written",
    ),
    "tried again": ("attempt 1 of s3://b/7.tar failed (503 Slow Down)", "epoch 0 done, 0 failed"),
    "expected": ("test_7 (expected: [Errno 24] Too many open files) ... ok", "4 tests passed"),
    "started later": (f"{STARTED}\n{SHORT}", ""),
}


@pytest.mark.parametrize(("line", "rest"), HANDLED.values(), ids=HANDLED)
def test_what_is_handled_counts_where_the_job_does_not_go_on(
    line: str, rest: str, diagnosed: Callable[[str], Diagnosis]
) -> None:
    waits = line.replace("9s   Normal", "15m  Normal")

    assert not diagnosed(f"{line}\n{rest}\n").causes
    assert diagnosed(f"{waits}\n").causes
    assert diagnosed(f"{waits}\n{rest}\nKilled\n").causes


@pytest.mark.parametrize(
    "line",
    [
        "9e8d7c6 Retry when a worker is killed by signal: Killed",
        "* 77aa01b (HEAD -> main) Fix CUDA error: out of memory",
        "- Fixed: OSError: [Errno 28] No space left on device",
        '  --shm-size SIZE  too little gives "Bus error (core dumped)"',
        "src/train.py:89:            if 'CUDA out of memory' in str(e):",
    ],
)
def test_who_speaks_of_a_failure_has_none(line: str, diagnosed: Callable[[str], Diagnosis]) -> None:
    assert not diagnosed(f"{line}\n").causes
    assert diagnosed(f"{line}\nOSError: [Errno 28] No space left on device\n").causes


def test_what_failed_outright_counts_whatever_others_print(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    killed = "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error.\n"

    assert diagnosed(f"{BARRIER}{killed}[rank1]: step 9 loss 0.4\n").causes
    assert not diagnosed(f"{BARRIER}[rank1]: step 9 loss 0.4\n").causes


@pytest.mark.parametrize(
    ("tail", "line"),
    [
        ("step 3 loss 0.4\n", 9),
        ("step 3 loss 0.4\nKilled\n", 0),
        ("step 3 loss 0.4\nWARNING: cache is cold, killed one reader\n", 8),
        ("Epoch 0:   0%|          | 0/220 [00:00<?, ?it/s]\n", 0),
        ("epoch 3\nstep 12: waiting for the first batch\n", 0),
        ("Successfully installed torch-2.5.1\n", 9),
        ("step 8 loss nan\n", 0),
        ("done: 12 shards, 2 retried, 0 failed, errors: 0\n", 9),
        ("done: 12 shards, 2 failed\n", 0),
        ("", 0),
    ],
)
def test_the_last_progress(tail: str, line: int) -> None:
    assert find_last_progress(tail.encode(), 9) == line


@pytest.mark.parametrize(
    ("line", "minor"),
    [
        (BARRIER, True),
        (RETRY, True),
        ("10/01 09:00:22 - mmengine - WARNING - no checkpoint", True),
        ("gn1:4:4 [0] NCCL INFO NET/IB : No device found.", True),
        ("gn1:4:4 [0] NCCL WARN Error: failed to extend /dev/shm/nccl-x", False),
        ("bash: fork: retry: Resource temporarily unavailable", False),
        ("UserWarning: CUDA initialization: the driver is too old", False),
        ("Warning  Evicted  5s  kubelet  The node was low on resource: memory", False),
    ],
)
def test_lines_that_call_themselves_minor(line: str, minor: bool) -> None:
    assert is_minor(line) is minor


LOST = "2025-06-01 10:00:21,771 ERROR loader: worker 3 (pid 811) exited with code -9\n"
THROUGH = "2025-06-01 10:20:41,100 INFO train: finished\n"
COPY = "ERROR : a.tar: 503 Slow Down\n{}Transferred: 2 / {}\nElapsed: 2s\n"
FRAME = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nKeyError: 3\n'


def test_what_a_job_survived_is_no_cause(diagnosed: Callable[[str], Diagnosis]) -> None:
    assert not diagnosed(f"{LOST}{THROUGH}").causes
    assert diagnosed(f"{LOST}{THROUGH.replace('finished', 'failed')}").causes
    assert diagnosed(f"{LOST}finished\n").causes
    assert diagnosed(f"{LOST}{THROUGH}Killed\n").causes
    assert diagnosed(f"811 Killed python a.py\n{THROUGH}").causes
    assert diagnosed(f"{FRAME}{LOST}{THROUGH}").causes


def test_a_transfer_whose_every_part_arrived_has_no_cause(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    assert not diagnosed(COPY.format("", "2, 100%")).causes
    assert diagnosed(COPY.format("", "3, 66%")).causes
    assert diagnosed(f"{COPY.format('', '2, 100%')}ERROR : b.tar: 503 Slow Down\n").causes


WARNED = "/p/x.py:3: UserWarning: Failed to load image Python extension: libjpeg.so.9\nstep 9\n"


def test_a_warning_of_a_job_that_is_done_is_no_cause(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    assert diagnosed(WARNED).causes
    assert not diagnosed(f"{WARNED}Done in 3h 12m\n").causes
    assert not diagnosed(f"{WARNED}Best accuracy 66.0, model saved\nbye\n").causes
    assert diagnosed(f"{WARNED}Done in 3h 12m\nKilled\n").causes
    assert diagnosed(f"Done in 3h 12m\n{WARNED}").causes
    assert diagnosed(f"811 Killed python a.py\n{WARNED}Done in 3h 12m\n").causes


def test_samples_that_were_skipped_do_not_end_a_job(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    skipped = "skipping corrupt image /d/1.jpg: image file is truncated (3 bytes not processed)\n"
    ended = "OSError: [Errno 24] Too many open files: '/d/2.jpg'\n"

    assert diagnosed(f"{skipped}{ended}").causes[0].cause == "fd_limit_exhausted"
