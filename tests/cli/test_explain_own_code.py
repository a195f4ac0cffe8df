"""`pipedoctor explain` where one's own code is to blame, or is where to look."""

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Run

OWN = 'Traceback (most recent call last):\n  File "tr.py", line 3, in f\nKeyError: 1\n'


def test_code_is_to_blame(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("explain", "-", stdin=OWN.encode())

    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == snapshot


def test_somebody_pressed_ctrl_c(run: Run, snapshot: SnapshotAssertion) -> None:
    text = OWN.replace("KeyError: 1", "KeyboardInterrupt")

    said = run("explain", "-", stdin=text.encode()).stdout.splitlines()[0]

    assert said == snapshot


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            OWN,
            "  Line 3 of the log. The last line of your own code is line 3 of tr.py, in f.",
        ),
        (
            "KeyError: 1",
            "  Line 1 of the log. The log contains no line of your own code.",
        ),
        (
            "[rank2]: RuntimeError: CUDA error: x",
            (
                "  Line 1 (rank 2) of the log. CUDA_LAUNCH_BLOCKING=1 reports"
                " kernel errors at the line that launches"
            ),
        ),
    ],
)
def test_where_to_look_in_ones_own_code(run: Run, text: str, said: str) -> None:
    assert run("explain", "-", stdin=text.encode()).stdout.splitlines()[1] == said


def test_of_a_long_line_the_part_is_quoted_that_counts(run: Run) -> None:
    said = run("explain", "-", stdin=b"xx " * 1000 + b"AF_UNIX path too long").stdout

    (row,) = (line for line in said.splitlines() if line.startswith("   line 1: "))
    assert row.startswith("   line 1: ...xx xx")
    assert row.endswith("xx AF_UNIX path too long")


def test_hints_for_ones_own_code(run: Run, snapshot: SnapshotAssertion) -> None:
    text = b"RuntimeError: CUDA error: device-side assert triggered\n"

    said = run("explain", "-", stdin=text).stdout.splitlines()[1]

    assert said == snapshot


def test_json_of_code_to_blame(run: Run) -> None:
    result = run("explain", "-", "--format", "json", stdin=OWN.encode())

    said = json.loads(result.stdout)
    assert said["not_environment"] is True
    assert said["causes"] == []
    assert (said["fault"]["path"], said["fault"]["line"]) == ("tr.py", 3)
