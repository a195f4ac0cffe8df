"""PDR932, from a log: workers copy the dataset's Python objects page by page."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.worker_memory_growth_cow import worker_memory_growth_cow
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "the dataset holds a list of 12 million paths\n"
    "host memory climbs to 180 GB in two epochs, with num_workers=0 it stays at 9 GB"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.",
            id="memory of the GPU",
        ),
        pytest.param(
            "RSS 4.1 GB after epoch 1, 4.1 GB after epoch 9",
            id="memory that stays",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert worker_memory_growth_cow(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = worker_memory_growth_cow(LOG, None)

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        "Every worker copies the dataset's Python objects page by page, because "
        "reference counts are written"
    )
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str) -> None:
    (finding,) = worker_memory_growth_cow(LOG, PLACES[place])

    assert list_commands(finding) == [
        "self.paths = np.array(paths, dtype=np.bytes_)  # not a list of str",
        "",
    ]


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = worker_memory_growth_cow(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = worker_memory_growth_cow.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
