"""PDR935, from a log: CUDA is used in a forked worker."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.cuda_in_forked_worker import cuda_in_forked_worker
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/me/data.py", line 18, in __getitem__\n'
    "    return self.features[index].cuda()\n"
    "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with "
    "multiprocessing, you must use the 'spawn' start method"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "RuntimeError: No CUDA GPUs are available",
            id="CUDA that cannot be initialized at all",
        ),
        pytest.param(
            "RuntimeError: CUDA error: device-side assert triggered",
            id="a kernel that failed",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert cuda_in_forked_worker(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = cuda_in_forked_worker(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "A forked worker uses CUDA, which cannot be used after a fork"
    assert finding.evidence["log.code"] == "return self.features[index].cuda()"


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str) -> None:
    (finding,) = cuda_in_forked_worker(LOG, PLACES[place])

    assert list_commands(finding) == [
        "- return self.features[index].cuda()\n+ return self.features[index]",
        "x = x.to(device, non_blocking=True)  # in the training loop, for each tensor of the batch",
        'DataLoader(..., multiprocessing_context="spawn")',
    ]


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ('x = torch.tensor(row).to("cuda:0")', "x = torch.tensor(row)"),
        ("img, y = img.to(self.device), y.cuda(0)", "img, y = img, y"),
    ],
)
def test_the_move_is_taken_out_of_the_line(line: str, without: str) -> None:
    text = f"    {line}\nRuntimeError: Cannot re-initialize CUDA in forked subprocess."
    (finding,) = cuda_in_forked_worker(diagnose_text(text), None)

    assert finding.remedies[0].snippet == f"- {line}\n+ {without}"


def test_no_line_is_known() -> None:
    text = "RuntimeError: Cannot re-initialize CUDA in forked subprocess."
    (finding,) = cuda_in_forked_worker(diagnose_text(text), None)

    assert finding.remedies[0].title.startswith("Keep samples on the CPU, and move them")


@pytest.mark.parametrize(
    "line",
    ["feats = self.encoder(img.to('cuda')).cpu()", "y = embed(x.cuda())"],
)
def test_a_worker_that_computes_on_the_gpu_is_spawned(line: str) -> None:
    text = f"    {line}\nRuntimeError: Cannot re-initialize CUDA in forked subprocess."
    (finding,) = cuda_in_forked_worker(diagnose_text(text), None)

    assert finding.remedies[0].snippet == 'DataLoader(..., multiprocessing_context="spawn")'


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = cuda_in_forked_worker(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = cuda_in_forked_worker.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
