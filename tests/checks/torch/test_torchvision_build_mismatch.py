"""PDR833 compares what torch and torchvision were built with."""

from typing import Any

import pytest

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import (
    Distribution,
    Facts,
    Interpreter,
    Packages,
    Site,
    TorchBuild,
)
from pipedoctor_checks.torch.torchvision_build_mismatch import (
    torchvision_build_mismatch,
)

TABLES = get_catalogue().tables
CU126 = TorchBuild(version="2.13.0", local="cu126", cuda="12.6")
DEFAULT = TorchBuild(version="2.13.0", cuda="13.0")
PYTHON = Interpreter(executable="/venv/bin/python")


def vision(version: str, torch: str = "", **more: Any) -> Packages:
    own = Distribution(name="torchvision", version=version, **more)
    other = Distribution(name="torch", version=torch)
    return Packages(entries=(own, other) if torch else (own,))


def judged(*facts: Any) -> list[Finding]:
    return list(torchvision_build_mismatch.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    ("torch", "packages"),
    [
        pytest.param(CU126, vision("0.28.0+cu126"), id="same tag"),
        pytest.param(DEFAULT, vision("0.28.0"), id="both default"),
        pytest.param(DEFAULT, vision("0.28.0+cu130"), id="default is cu130"),
        pytest.param(CU126, vision("0.28.0", "2.13.0"), id="only version.py has the tag"),
        pytest.param(CU126, vision("0.28.0"), id="nobody knows torch's index"),
        pytest.param(
            TorchBuild(version="1.9.0", local="cu102", cuda="10.2"),
            vision("0.9.1+cu101"),
            id="versions that do not pair",
        ),
        pytest.param(
            TorchBuild(version="2.10.0", local="cu126", cuda="12.6"),
            vision("0.25.0", "2.10.0+cu126"),
            id="default of the same CUDA major",
        ),
        pytest.param(
            TorchBuild(version="9.9.0", local="cu126", cuda="12.6"),
            vision("9.9.0", "9.9.0+cu126"),
            id="newer than the table",
        ),
        pytest.param(CU126, vision("0.28.0+cpu", build="cpu_py312"), id="conda's"),
        pytest.param(
            TorchBuild(version="2.5.1", cuda="12.4", conda_build="py3.11_cuda12.4"),
            vision("0.20.1+cpu"),
            id="conda's torch",
        ),
        pytest.param(CU126, vision("0.28.0+gitabc123"), id="source build"),
        pytest.param(TorchBuild(version="2.13.0", hip="7.2"), vision("0.28.0+cpu"), id="own ROCm"),
        pytest.param(
            TorchBuild(version="2.1.0a0", local="41361538.nv23.06", cuda="12.1"),
            vision("0.16.0+cpu"),
            id="vendor's torch",
        ),
        pytest.param(
            TorchBuild(version="2.4.0", known_backend=False),
            vision("0.19.0+cu121"),
            id="backend not told",
        ),
        pytest.param(
            TorchBuild(version="2.4.0", origin="text"),
            vision("0.19.0+cu121"),
            id="text of a machine without CUDA",
        ),
    ],
)
def test_silent(torch: TorchBuild, packages: Packages) -> None:
    assert judged(torch, packages) == []


@pytest.mark.parametrize(
    ("torch", "packages", "severity"),
    [
        pytest.param(CU126, vision("0.28.0+cu130"), Severity.BREAKS, id="other major"),
        pytest.param(CU126, vision("0.28.0+cu128"), Severity.RISKS, id="other minor"),
        pytest.param(CU126, vision("0.28.0+cpu"), Severity.BREAKS, id="CPU"),
        pytest.param(
            TorchBuild(version="2.13.0", local="rocm7.1", hip="7.1"),
            vision("0.28.0+rocm7.2"),
            Severity.BREAKS,
            id="another ROCm",
        ),
        pytest.param(
            TorchBuild(version="2.13.0", origin="version.py"),
            vision("0.28.0+cu130"),
            Severity.BREAKS,
            id="CPU torch",
        ),
        pytest.param(
            TorchBuild(version="1.2.0", cuda="10.0.130"),
            vision("0.4.0+cu92"),
            Severity.BREAKS,
            id="CUDA 9 beside 10",
        ),
    ],
)
def test_another_backend(torch: TorchBuild, packages: Packages, severity: Severity) -> None:
    (finding,) = judged(torch, packages)

    assert finding.severity is severity
    assert finding.confidence is Confidence.CERTAIN


def test_it_names_both_and_the_index_that_torch_came_from() -> None:
    (finding,) = judged(CU126, vision("0.28.0+cpu"), PYTHON)

    assert finding.summary == (
        "torchvision 0.28.0+cpu is built for cpu, but torch 2.13.0 for cu126"
    )
    assert finding.evidence == {"torch": "cu126", "torchvision": "cpu"}
    assert finding.remedies[0].shell == (
        "/venv/bin/python -m pip install torchvision==0.28.0+cu126 "
        "--index-url https://download.pytorch.org/whl/cu126"
    )


def test_the_default_torchvision_beside_a_torch_of_another_index() -> None:
    (finding,) = judged(CU126, vision("0.28.0", "2.13.0+cu126"), PYTHON)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.evidence == {"torch": "cu126", "torchvision": "cu130"}


def test_a_cpu_torch_has_its_own_index() -> None:
    cpu = TorchBuild(version="2.13.0", local="cpu")

    (finding,) = judged(cpu, vision("0.28.0+cu130"))

    assert "whl/cpu" in finding.remedies[0].shell


def test_no_index_is_named_that_nobody_recorded() -> None:
    (finding,) = judged(TorchBuild(version="1.2.0", cuda="10.0"), vision("0.4.0+cu92"))

    assert finding.remedies[0].argv == ()


@pytest.mark.parametrize(
    ("packages", "reason"),
    [
        (Packages(), "torchvision is not installed"),
        (Packages(complete=False), "torchvision is not in this text"),
    ],
)
def test_unknown_is_not_health(packages: Packages, reason: str) -> None:
    verdict = torchvision_build_mismatch.run(Facts(*TABLES, CU126, packages))

    assert verdict.skipped == reason


def test_without_a_tag_it_is_a_cpu_build_on_windows() -> None:
    packages = vision("0.28.0", "2.13.0+cu130")
    cu130 = TorchBuild(version="2.13.0", local="cu130", cuda="13.0")

    (finding,) = judged(packages, cu130, Site(system="windows"))

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.evidence == {"torch": "cu130", "torchvision": "cpu"}
    assert judged(packages, cu130, Site(system="linux")) == []
    assert judged(packages, cu130) == []


def test_a_line_of_conda_that_pip_repeats_is_left_to_conda() -> None:
    entries = (
        Distribution(name="torchvision", version="0.28.0", installer="pip"),
        Distribution(name="torchvision", version="0.28.0", build="cpu_py312"),
        Distribution(name="torch", version="2.13.0+cu130"),
    )
    cu130 = TorchBuild(version="2.13.0", local="cu130", cuda="13.0")

    packages = Packages(entries=entries, complete=False)

    assert judged(packages, cu130, Site(system="windows")) == []


def test_of_two_copies_without_a_place_one_that_fits_is_enough() -> None:
    copies = [Distribution(name="torchvision", version=f"0.28.0+{tag}") for tag in ("cpu", "cu126")]

    assert judged(CU126, Packages(entries=tuple(copies))) == []
    assert judged(CU126, Packages(entries=(copies[0],))) != []
