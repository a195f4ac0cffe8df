"""PDR856 is a note for torchvision 0.29 and newer."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Distribution, Facts, Interpreter, Packages
from pipedoctor_checks.torch.torchvision_io_deprecated import torchvision_io_deprecated


def packages(*, complete: bool = True, **versions: str) -> Packages:
    entries = tuple(Distribution(name=n, version=v) for n, v in versions.items())
    return Packages(entries=entries, complete=complete)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(packages(torchvision="0.28.0"), id="before"),
        pytest.param(packages(torchvision="0.29.2", torchcodec="0.16.0"), id="with TorchCodec"),
        pytest.param(packages(complete=False, torchvision="0.29.2"), id="in a text"),
    ],
)
def test_silent(found: Packages) -> None:
    assert torchvision_io_deprecated(found, None) == []


@pytest.mark.parametrize(
    "found",
    [
        packages(torchvision="0.29.0"),
        packages(torchvision="0.29.0", torchcodec="0.15.1"),
    ],
    ids=["no TorchCodec", "an old TorchCodec"],
)
def test_a_note(found: Packages) -> None:
    (finding,) = torchvision_io_deprecated(found, Interpreter(executable="/env/bin/python"))

    assert finding.severity is Severity.NOTE
    assert finding.summary == (
        "torchvision 0.29.0 deprecates decoding images with torchvision.io; TorchCodec replaces it"
    )
    assert finding.remedies[0].shell == ("/env/bin/python -m pip install 'torchcodec>=0.16'")


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    check = torchvision_io_deprecated

    assert check.run(Facts()).skipped == snapshot
    assert check.run(Facts(Packages())).skipped == snapshot
