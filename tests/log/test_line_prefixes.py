"""What collectors of logs put around a line."""

import json

import pytest

from pipedoctor.log.line_prefixes import strip_prefixes, unwrap_line

ERROR = "RuntimeError: received 0 items of ancdata"
FRAME = '  File "train.py", line 3, in f'
CODE = "    loss.backward()"


@pytest.mark.parametrize(
    ("prefix", "rank", "time"),
    [
        (
            "2024-05-01T12:00:00.123456789Z stderr F ",
            "",
            "2024-05-01 12:00:00.123456789",
        ),
        ("2024-05-01T12:00:00.123456Z 01E ", "", "2024-05-01 12:00:00.123456"),
        ("train\tRun torchrun\t2024-05-01T12:00:00.1Z ", "", "2024-05-01 12:00:00.1"),
        ("2024-05-01T12:00:00+0200 node7 python[42]: ", "", "2024-05-01 12:00:00"),
        ("Mar  4 12:00:01 node7 python[4242]: ", "", "Mar  4 12:00:01"),
        (
            "DEFAULT 2025-02-19T09:01:44.100Z [resource.labels.taskName: workerpool1-0] ",
            "workerpool1-0",
            "2025-02-19 09:01:44.100",
        ),
        ("[12:00:01.250] ", "", "12:00:01.250"),
        ("12:00:01 ", "", "12:00:01"),
        ("[pod/trainer-0/main] ", "", ""),
        ("trainer-1  | ", "", ""),
        ("MESSAGE=", "", ""),
        ("| 1584809756615 | ", "", ""),
        ('time="2024-02-21T09:30:56Z" level=error msg="', "", ""),
        ("##[error]", "", ""),
        ("[rank3]: ", "3", ""),
        ("3: ", "3", ""),
        ("  3: ", "3", ""),
        ("[1,3]<stderr>: ", "3", ""),
        ("[1,mpirank:3,algo-1]<stderr>: ", "3", ""),
        ("[3] ", "3", ""),
        ("(train_fn pid=311, ip=10.0.0.1) ", "pid=311", ""),
        ("worker-2: ", "worker-2", ""),
        ("10.0.0.7: [rank9]: ", "9", ""),
    ],
)
@pytest.mark.parametrize("text", [ERROR, FRAME, CODE])
def test_prefixes(prefix: str, rank: str, time: str, text: str) -> None:
    line = strip_prefixes(prefix + text)

    assert (line.text, line.rank, line.time) == (text, rank, time)


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: ValueError: not a node",
        "torch.cuda.OutOfMemoryError: Exception raised from malloc",
        "layer1: conv",
        "labels of batch[5]: bad",
        "  12:00:01 up 3 days, load average: 531.02",
    ],
)
def test_what_only_looks_like_a_prefix_stays(text: str) -> None:
    assert strip_prefixes(text).text == text


TRACE = f"Traceback (most recent call last):\n{FRAME}\n{CODE}\n{ERROR}"


@pytest.mark.parametrize(
    "record",
    [
        pytest.param({"log": TRACE + "\n", "stream": "stderr"}, id="docker"),
        pytest.param({"MESSAGE": [*TRACE.encode()], "_PID": "4"}, id="journald"),
        pytest.param({"jsonPayload": {"message": TRACE}, "severity": 5}, id="nested"),
        pytest.param({"log": {"level": "error"}, "message": TRACE}, id="elastic"),
        pytest.param(
            {"message": {"message": "x", "extraInfo": {"py_callstack": TRACE}}},
            id="torchelastic",
        ),
        pytest.param({"event": "died", "exception": TRACE}, id="structlog"),
        pytest.param(
            {"cells": [{"outputs": [{"traceback": TRACE.split("\n")}]}]},
            id="notebook on one line",
        ),
    ],
)
def test_records(record: object) -> None:
    lines = unwrap_line(json.dumps(record))

    assert lines[-4:] == TRACE.split("\n")


def test_the_time_of_a_record_is_that_of_its_lines() -> None:
    record = {"log": CODE, "time": "2024-05-01T12:00:00.1Z"}

    (one,) = unwrap_line(json.dumps(record))

    line = strip_prefixes(one)
    assert (line.text, line.time) == (CODE, "2024-05-01 12:00:00.1")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f'   "textPayload": {json.dumps(TRACE)},', id="a field of JSON"),
        pytest.param(f"error={TRACE!r}", id="repr"),
        pytest.param(
            '{"cells":[{"traceback":["\\u001b[0;31m---\\n'
            + json.dumps(TRACE)[1:-1].replace("Runtime", "\\u001b[0;31mRuntime"),
            id="a notebook that is cut",
        ),
    ],
)
def test_a_traceback_within_a_string(text: str) -> None:
    lines = [line.strip("'") for line in unwrap_line(text)]

    assert lines[-3:] == TRACE.split("\n")[-3:]


def test_a_traceback_whose_lines_were_joined() -> None:
    joined = " ".join(line.strip() for line in TRACE.split("\n"))

    assert unwrap_line(f"AlgorithmError: ExitCode 1 {joined}") == [
        "AlgorithmError: ExitCode 1 Traceback (most recent call last):",
        '  File "train.py", line 3, in f loss.backward()',
        ERROR,
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"OSError: C:\new\File not found",
        '"just": 4,',
        '{"loss": 0.3}',
        '{"loss": ',
    ],
)
def test_what_is_no_record_stays(text: str) -> None:
    assert unwrap_line(text) == [text]
