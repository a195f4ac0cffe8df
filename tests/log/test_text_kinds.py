"""Kinds of text: which of their lines tell of no failure of their own."""

import sys
import time

import pytest

from pipedoctor.log.text_kinds import MAX_TEXT_BYTES, find_mentioned_lines

NONE: set[int] = set()
COMMIT = f"commit {'a1' * 20}\nAuthor: A <a@b.example>\n\n    Avoid a bus error\n\nBus error\n"
NOTEBOOK = '{"cells": [\n"cell_type": "code",\n"source": [\n"Bus error"\n],\n"text": "x"\n'
SUBJECTS = "Fix the bus error\nDo not hang\nRetry the mount\nloader: catch a full disk\n"
NOTES = "## 2.0.1\n* bus error in containers\n* full disks\n* hangs\n"
SOLVED = "mia: Bus error with 8 workers\njon: use --ipc=host\nmia: that was it, thanks\n"
TESTS = "worker killed by signal 9\n=== 3 passed, 1 skipped in 2.11s ===\nepoch 1\n"
REPL = (
    ">>> x = fill()  # should fail\nCUDA out of memory\n>>> 1 + 1\n2\n>>> 2\n2\n>>> import torch\n"
)
STRINGS = 'MESSAGES = {\n    "shm": "Bus error",\n}\nBus error\n'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (COMMIT, {4}),
        (NOTEBOOK, {3, 4, 5}),
        (SUBJECTS, {1, 2, 3, 4}),
        (NOTES, {1, 2, 3, 4}),
        (f"{NOTES}free(): invalid pointer\n", NONE),
        ("## 2.0.1\n* bus error\n", NONE),
        (SOLVED, {1, 2, 3}),
        (TESTS, {1, 2}),
        (REPL, {1, 2, 3, 4}),
        (STRINGS, {1, 2}),
        ("Ran 3 tests in 0.5s\n\nOK\n", {1, 2, 3}),
        ("Bus error\nOK\n", NONE),
        (TESTS.replace("1 skipped", "1 failed"), NONE),
        (f"{TESTS}=== 1 failed, 2 passed in 1s ===\n", NONE),
        (f"{NOTES}I get the same error\n", NONE),
        (f'{NOTES}Traceback (most recent call last):\n  File "a.py", line 3\n', NONE),
        (SOLVED.replace("thanks", "but only for an hour"), NONE),
        (
            SOLVED.replace("mia: that", "INFO: that").replace("jon: ", "").replace("mia", "x"),
            NONE,
        ),
        ("RuntimeError: Bus error\nINFO: step 3\nINFO: works again\n", NONE),
        (REPL.replace("should fail", "the model"), NONE),
        (SUBJECTS + "Bus error\nKilled\n", NONE),
    ],
)
def test_lines_that_only_speak_of_failures(text: str, lines: set[int]) -> None:
    assert find_mentioned_lines(text.encode()) == lines


def test_nobody_pastes_more_than_that() -> None:
    assert find_mentioned_lines(NOTES.encode() + b"\n" * MAX_TEXT_BYTES) == frozenset()


DIFF = "diff --git a/x.py b/x.py\n@@ -1,2 +1,2 @@\n-a\n+b  # Bus error\nBus error\n"
SCRIPT = "#!/bin/bash\n# hangs\ngrep -q 'Bus error' log\nBus error\n"
DOCKERFILE = "FROM x\n# no libGL.so.1\nRUN a\nCMD b\nBus error\n"
ARTICLE = (
    "In this post we look at the OOM killer.\nIt prints 'Killed process'.\n"
    "That is all.\nIn part two we look at swap.\n"
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (DIFF, {2, 3, 4}),
        (SCRIPT, {1, 2, 3}),
        (DOCKERFILE, {2}),
        (ARTICLE, {1, 2, 3, 4}),
        (f"{ARTICLE}Killed\n", NONE),
        ("2.5.1\ntraining\n", NONE),
        ("2.5.1\n* bus errors\n* hangs\n* leaks\n", {1, 2, 3, 4}),
        ("Q: my job dies\n", NONE),
        ("Q: why does it die?\nA: it is full\nQ: who is it?\nA: me\n", {1, 2, 3, 4}),
        ("Read 2 files\nCache them\nOpen a file\nSet the rest\nBus error (7)\n", {1, 2, 3, 4}),
        ("#91 Use spawn\n#90 Bump x\n#89 Bus error\n#88 Docs\n", {1, 2, 3, 4}),
        ("ann: killed\nbob: raise it\nann: works now, but the big one is OOMKilled\n", NONE),
    ],
)
def test_kinds_beside_real_reports(text: str, lines: set[int]) -> None:
    assert find_mentioned_lines(text.encode()) == lines


def test_lines_of_a_training_log_cost_few_calls_each() -> None:
    lines = 5000
    data = "".join(f"step {step} loss {step % 7}.5\n" for step in range(lines)).encode()
    calls = 0
    find_mentioned_lines(data)  # compiles the patterns

    def count(_frame: object, event: str, _function: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        found = find_mentioned_lines(data)
    finally:
        sys.setprofile(None)

    assert not found
    assert calls < 5 * lines


FAILED = "(base) me@box:~$ python t.py\nBus error\n(base) me@box:~$ mount -o remount /dev/shm\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{FAILED}me@box:~$ python  t.py\nstep 1 loss 2.1\n", {1, 2, 3}),
        (f"{FAILED}me@box:~$ python t.py\nstep 1 loss 2.1\nme@box:~$ df\nfailed\n", {1, 2, 3}),
        (f"{FAILED}me@box:~$ python t.py --workers 0\nstep 1 loss 2.1\n", NONE),
        (f"{FAILED}me@box:~$ python t.py\nstep 1 loss 2.1\nBus error, failed\n", NONE),
        (f"{FAILED}me@box:~$ python t.py\n", NONE),
        ("C:\\w> python t.py\nhangs\nC:\\w> python t.py\nEpoch 1: 100%|##|\n", {1, 2}),
    ],
)
def test_a_command_that_works_when_it_is_typed_again(text: str, lines: set[int]) -> None:
    assert find_mentioned_lines(text.encode()) == lines


FOUND = "src/a.py:12:OOM = 1\ndocs/a.md:8: killed\n"
EVENTS = (
    "14m  Warning  FailedScheduling  pod/a  0/7 nodes are available\n"
    "12m  Warning  FailedScheduling  pod/b  0/7 nodes are available\n"
    "6m1s  Normal  Started  pod/a  Started container\n"
    "5m48s  Warning  Unhealthy  pod/a  Readiness probe failed\n"
)
HELP = (
    "killed\nusage: watch [-h] PID\n\noptions:\n  --on-oom\n"
    "         when a worker is killed\nkilled\n"
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [(EVENTS, {1}), (EVENTS.replace("Started", "Pulled"), NONE), (HELP, {2, 3, 4, 5, 6})],
)
def test_events_and_options(text: str, lines: set[int]) -> None:
    assert find_mentioned_lines(text.encode()) == lines


@pytest.mark.parametrize("sign", ["[", "»", "«", "[]("])
def test_a_line_of_brackets_takes_no_time(sign: str) -> None:
    data = f"the error is {sign * 60_000}\n".encode()[: MAX_TEXT_BYTES - 1]
    began = time.process_time()

    find_mentioned_lines(data)

    assert time.process_time() - began < 1.5
