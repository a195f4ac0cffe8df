"""PDR966, from a log: WSL's libcuda is not found."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.wsl_libcuda_not_found import wsl_libcuda_not_found
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "me@LAPTOP-0AB1C2D:/mnt/c/Users/me$ python train.py\n"
    "OSError: libcuda.so: cannot open shared object file: No such file or directory"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "RuntimeError: Found no NVIDIA driver on your system. Please check that you have "
                "an NVIDIA GPU and installed a driver"
            ),
            id="a Linux without a driver",
        ),
        pytest.param(
            (
                "me@LAPTOP-0AB1C2D:/mnt/c/Users/me$ python train.py\n"
                "ImportError: libGL.so.1: cannot open shared object file: No such file or "
                "directory"
            ),
            id="another library",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert wsl_libcuda_not_found(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = wsl_libcuda_not_found(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "Under WSL the loader does not find the libcuda of the Windows driver, or finds "
        "another one first"
    )
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        ("bare", ["export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH"]),
        ("docker", ["docker run --gpus=all"]),
        ("kubernetes", []),
        ("slurm", []),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    (finding,) = wsl_libcuda_not_found(LOG, PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = wsl_libcuda_not_found(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = wsl_libcuda_not_found.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
