"""PDR947, from a log: the image's compatibility libraries do not fit the GPU or driver."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.cuda_forward_compat_unsupported import (
    cuda_forward_compat_unsupported,
)
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

IMAGE = "pytorch/pytorch:2.3.1-cuda11.8-cudnn8-runtime"
LOG = diagnose_text(
    '  File "/env/lib/python3.11/site-packages/torch/cuda/__init__.py", line 314, in '
    "_lazy_init\n"
    "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward "
    "compatibility was attempted on non supported HW"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            ("RuntimeError: The NVIDIA driver on your system is too old (found version 11040)."),
            id="a driver that is too old",
        ),
        pytest.param(
            "RuntimeError: No CUDA GPUs are available",
            id="no GPU at all",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert cuda_forward_compat_unsupported(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = cuda_forward_compat_unsupported(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "The image's own libcuda does not support this GPU or this driver"
    assert finding.evidence == {"log.line": 2}


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        ("bare", ["unset LD_LIBRARY_PATH"]),
        (
            "docker",
            [f'docker run --rm --gpus all -v "$PWD":/work -w /work {IMAGE} python train.py'],
        ),
        ("kubernetes", [f"FROM {IMAGE}"]),
        (
            "slurm",
            [f"apptainer exec --nv docker://{IMAGE} python train.py"],
        ),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    (finding,) = cuda_forward_compat_unsupported(LOG, PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = cuda_forward_compat_unsupported(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = cuda_forward_compat_unsupported.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
