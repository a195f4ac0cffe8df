"""PDR958, from a log: a download or checkpoint is incomplete."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.corrupt_download_or_checkpoint import corrupt_download_or_checkpoint
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/env/lib/python3.11/site-packages/torch/serialization.py", line 457, in '
    "__init__\n"
    "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding "
    "central directory"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "RuntimeError: Error(s) in loading state_dict for ResNet: size mismatch for "
                "fc.weight"
            ),
            id="a checkpoint of another model",
        ),
        pytest.param(
            (
                "RuntimeError: [enforce fail at inline_container.cc:337] . unexpected pos 64 vs "
                "0\n"
                "OSError: [Errno 28] No space left on device"
            ),
            id="a full disk",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert corrupt_download_or_checkpoint(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = corrupt_download_or_checkpoint(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "A cached download or a checkpoint is incomplete or damaged"
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        ("bare", ["", "df -h"]),
        ("docker", ["", "df -h"]),
        ("kubernetes", ["", ("if rank == 0:\n    download()\ndist.barrier()"), "df -h"]),
        ("slurm", ["", ("if rank == 0:\n    download()\ndist.barrier()"), "df -h"]),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    (finding,) = corrupt_download_or_checkpoint(LOG, PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = corrupt_download_or_checkpoint(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = corrupt_download_or_checkpoint.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
