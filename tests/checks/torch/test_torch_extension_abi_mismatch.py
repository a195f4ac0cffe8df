"""PDR834 compares what extensions say of themselves with torch."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Distribution, Facts, Packages, TorchBuild
from pipedoctor_checks.torch.torch_extension_abi_mismatch import (
    torch_extension_abi_mismatch,
)

CU121 = TorchBuild(version="2.1.2", local="cu121", cuda="12.1")
JETSON = TorchBuild(version="2.1.0a0", local="41361538.nv23.06", cuda="11.4")


def with_(name: str, version: str) -> Packages:
    return Packages(entries=(Distribution(name=name, version=version),))


@pytest.mark.parametrize(
    ("packages", "torch"),
    [
        pytest.param(with_("torch-scatter", "2.1.2+pt21cu121"), CU121, id="fits"),
        pytest.param(with_("torch-scatter", "2.1.2"), CU121, id="says nothing"),
        pytest.param(with_("torchvision", "0.16.2+cu121"), CU121, id="torchvision"),
        pytest.param(
            with_("torch-scatter", "2.1.2+pt210cpu"),
            TorchBuild(version="2.10.0", local="cpu"),
            id="2.10 for the CPU",
        ),
        pytest.param(
            with_("torch-scatter", "2.1.0+pt113cu117"),
            TorchBuild(version="1.13.1", cuda="11.7"),
            id="1.13",
        ),
        pytest.param(
            with_("torch-scatter", "2.1.2+pt21cu121"),
            TorchBuild(version="2.1.0", known_backend=False),
            id="backend not told",
        ),
        pytest.param(
            with_("torch-scatter", "2.1.2+pt21cpu"),
            TorchBuild(version="2.1.0", hip="5.6"),
            id="ROCm",
        ),
        pytest.param(
            with_("torch-scatter", "2.1.2+pt21cu118"),
            TorchBuild(version="2.1.0", hip="5.6"),
            id="ROCm, whose extensions call themselves CUDA",
        ),
        pytest.param(with_("torchvision", "0.16.0a0"), JETSON, id="built here"),
        pytest.param(with_("torchvision", "0.16.0+fbb4cc5"), JETSON, id="from source"),
        pytest.param(with_("torchvision", "0.16.0+nv23.06"), JETSON, id="NVIDIA's too"),
    ],
)
def test_silent(packages: Packages, torch: TorchBuild) -> None:
    assert torch_extension_abi_mismatch(packages, torch) == []


@pytest.mark.parametrize(
    ("version", "severity"),
    [
        ("2.1.1+pt20cu117", Severity.BREAKS),
        ("2.1.1+pt20cu121", Severity.BREAKS),
        ("2.1.2+pt21cu118", Severity.BREAKS),
        ("2.1.2+pt21cpu", Severity.BREAKS),
        ("2.1.2+pt21cu124", Severity.RISKS),
        ("2.1.2+pt2.0cu121", Severity.BREAKS),
    ],
)
def test_built_for_another_torch(version: str, severity: Severity) -> None:
    (finding,) = torch_extension_abi_mismatch(with_("torch-sparse", version), CU121)

    assert finding.severity is severity
    assert finding.confidence is Confidence.LIKELY


def test_it_names_both(snapshot: SnapshotAssertion) -> None:
    (finding,) = torch_extension_abi_mismatch(with_("torch-scatter", "2.1.1+pt20cu117"), CU121)

    assert finding.summary == (
        "torch-scatter 2.1.1+pt20cu117 was built for torch 2.0 and cu117, but "
        "this is torch 2.1.2 and cu121"
    )
    assert finding.remedies[0].advice
    assert finding.remedies[0].title == snapshot


@pytest.mark.parametrize("name", ["torchvision", "torchaudio"])
def test_public_build_beside_nvidias_torch(name: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = torch_extension_abi_mismatch(with_(name, "0.16.0"), JETSON)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.remedies[0].title == snapshot


def test_only_the_imported_copy_counts() -> None:
    both = Packages(
        entries=(
            Distribution(name="torch-scatter", version="2.1.2+pt21cu121", location="/a"),
            Distribution(name="torch-scatter", version="2.1.1+pt20cu117", location="/b"),
        )
    )

    assert torch_extension_abi_mismatch(both, CU121) == []


def test_unknown_is_not_health() -> None:
    verdict = torch_extension_abi_mismatch.run(Facts(CU121, unknown={"packages": "-"}))

    assert verdict.skipped == "packages: -"


@pytest.mark.parametrize(
    ("name", "torch", "line"),
    [
        (
            "torch-scatter",
            CU121,
            (
                "python -m pip install --force-reinstall --no-deps torch-scatter --find-links"
                " https://data.pyg.org/whl/torch-2.1.0+cu121.html"
            ),
        ),
        ("other-ops", CU121, ""),
        ("torch-scatter", TorchBuild(version="2.3.0.dev20240301", cuda="12.1"), ""),
    ],
    ids=["of PyG", "of someone else", "a nightly"],
)
def test_the_page_of_the_wheels_is_named(name: str, torch: TorchBuild, line: str) -> None:
    (finding,) = torch_extension_abi_mismatch(with_(name, "2.1.1+pt20cu117"), torch)

    assert [remedy.shell for remedy in finding.remedies] == [line]
