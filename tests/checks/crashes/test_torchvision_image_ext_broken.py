"""PDR952, from a log: torchvision's image extension cannot be loaded."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.torchvision_image_ext_broken import torchvision_image_ext_broken
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "/env/lib/python3.10/site-packages/torchvision/io/image.py:13: UserWarning: "
    "Failed to load image Python extension: "
    "'/env/lib/python3.10/site-packages/torchvision/image.so: undefined symbol: "
    "_ZN3c1017RegisterOperators'"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "RuntimeError: operator torchvision::nms does not exist",
            id="a torchvision that does not fit",
        ),
        pytest.param(
            "ImportError: /me/ops.so: undefined symbol: _ZN3c1017RegisterOperators",
            id="another extension",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert torchvision_image_ext_broken(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = torchvision_image_ext_broken(LOG, None)

    assert finding.severity is Severity.RISKS
    assert (
        finding.summary
        == "Torchvision's image extension does not fit torch, or lacks libjpeg or libpng"
    )
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        (
            "bare",
            [
                "python -m pip install --upgrade torch torchvision",
                "conda install -c conda-forge libjpeg-turbo libpng",
            ],
        ),
        ("docker", ["python -m pip install --upgrade torch torchvision"]),
        ("kubernetes", ["python -m pip install --upgrade torch torchvision"]),
        (
            "slurm",
            [
                "python -m pip install --upgrade torch torchvision",
                "conda install -c conda-forge libjpeg-turbo libpng",
            ],
        ),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    (finding,) = torchvision_image_ext_broken(LOG, PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = torchvision_image_ext_broken(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = torchvision_image_ext_broken.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
