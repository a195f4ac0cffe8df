"""The doctor survives streams that nobody reads, that are full, or that are closed."""

from pathlib import Path

import pytest

from tests.robustness.program import doctor


def test_a_full_disk_for_a_report() -> None:
    with Path("/dev/full").open("wb") as full:
        done = doctor("--quick", stdout=full)

    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        "pipedoctor check: stdout: cannot be written: No space left on device"
    ]


@pytest.mark.parametrize(
    "closed",
    [
        ">&-",
        "<&- >&- 2>&-",
        *(pytest.param(one, marks=pytest.mark.extended) for one in ("<&-", "2>&-", ">&- 2>&-")),
    ],
)
def test_closed_streams(closed: str) -> None:
    script = f'exec "$@" {closed}'

    done = doctor("--quick", prefix=("sh", "-c", script, "sh"))

    assert done.returncode in {0, 1}


def test_a_reader_that_went_away() -> None:
    script = '{ "$@" --quick --format json; echo $? >&2; } | head -c 1 >/dev/null'

    done = doctor(prefix=("sh", "-c", script, "sh"))

    assert done.stderr.decode().strip() in {"0", "1"}
