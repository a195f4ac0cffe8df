"""PDR842 speaks of coupled libraries from two channels, not of mixing as such."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Conda, CondaPackage
from pipedoctor_checks.environment.conda_channels_mixed import conda_channels_mixed


def env(*rows: tuple[str, str], prefix: str = "/env") -> Conda:
    return Conda(
        prefix=prefix,
        packages=tuple(
            CondaPackage(name=name, version="2.5.1", channel=channel) for name, channel in rows
        ),
    )


@pytest.mark.parametrize(
    "conda",
    [
        pytest.param(env(), id="empty"),
        pytest.param(env(("numpy", "conda-forge"), ("mkl", "conda-forge")), id="forge"),
        pytest.param(env(("numpy", "pkgs/main"), ("mkl", "pkgs/main")), id="defaults"),
        pytest.param(env(("numpy", "conda-forge"), ("zlib", "pkgs/main")), id="one stands alone"),
        pytest.param(env(("numpy", "conda-forge"), ("mkl", "pypi")), id="pip"),
    ],
)
def test_silent(conda: Conda) -> None:
    assert conda_channels_mixed(conda) == []


@pytest.mark.parametrize("channel", ["pkgs/main", "defaults"])
def test_coupled_libraries_of_two_channels(channel: str) -> None:
    (finding,) = conda_channels_mixed(env(("mkl", channel), ("numpy", "conda-forge")))

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == "mkl from defaults, numpy from conda-forge"
    assert finding.remedies[0].shell == (
        "conda install --prefix /env --override-channels --channel conda-forge numpy mkl"
    )


def test_channel_that_ended(snapshot: SnapshotAssertion) -> None:
    (finding,) = conda_channels_mixed(env(("pytorch", "pytorch"), prefix=""))

    assert finding.severity is Severity.NOTE
    assert finding.summary == snapshot
    assert finding.remedies[0].shell == (
        "conda install --override-channels --channel conda-forge pytorch"
    )
