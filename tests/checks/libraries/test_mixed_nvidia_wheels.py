"""PDR816 speaks of two CUDA generations, loudly only where they share a folder."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Distribution, Interpreter, Packages, Requirements, TorchBuild
from pipedoctor.facts.requirements import Bound
from pipedoctor_checks.libraries.mixed_nvidia_wheels import mixed_nvidia_wheels

TORCH = TorchBuild(version="2.13.0", cuda="13.0")
CPU = TorchBuild(version="2.13.0", local="cpu")
VENV = Interpreter(executable="/venv/bin/python", manager="pip")


def wheels(*names: str) -> Packages:
    return Packages(entries=tuple(Distribution(name=n, version="1") for n in names))


@pytest.mark.parametrize(
    "packages",
    [
        pytest.param(wheels(), id="none"),
        pytest.param(wheels("nvidia-cudnn-cu13", "nvidia-nccl-cu13"), id="one"),
        pytest.param(
            wheels("nvidia-cudnn-cu13", "nvidia-dali-cuda120", "nvidia-ml-py"),
            id="others that only sound alike",
        ),
    ],
)
def test_silent(packages: Packages) -> None:
    assert mixed_nvidia_wheels(packages, TORCH, VENV) == []


def test_shared_folder_is_a_risk() -> None:
    packages = wheels("nvidia-cudnn-cu12", "nvidia-cudnn-cu13", "nvidia-cublas-cu12")

    (finding,) = mixed_nvidia_wheels(packages, TORCH, VENV)

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        "NVIDIA wheels of CUDA 12 and CUDA 13 are installed: cudnn overwrote each other"
    )
    assert finding.evidence == {
        "generations": ["12", "13"],
        "doubled": ["cudnn"],
        "torch.cuda": "13",
    }
    assert [remedy.shell for remedy in finding.remedies] == [
        "/venv/bin/python -m pip uninstall -y nvidia-cublas-cu12 nvidia-cudnn-cu12",
        "/venv/bin/python -m pip install --force-reinstall --no-deps nvidia-cudnn-cu13==1",
    ]


def test_folders_of_their_own_are_a_note(snapshot: SnapshotAssertion) -> None:
    packages = wheels("nvidia-cublas-cu12", "nvidia-cufft-cu13")

    (finding,) = mixed_nvidia_wheels(packages, TORCH, VENV)

    assert finding.severity is Severity.NOTE
    assert finding.summary == snapshot
    assert [remedy.shell for remedy in finding.remedies] == [
        "/venv/bin/python -m pip uninstall -y nvidia-cublas-cu12"
    ]


def test_without_a_known_torch_nothing_is_removed() -> None:
    (finding,) = mixed_nvidia_wheels(wheels("nvidia-nccl-cu12", "nvidia-nccl-cu13"), None, VENV)

    assert finding.remedies == ()


def require(owner: str, name: str) -> Requirements:
    return Requirements(bounds=(Bound(owner=owner, name=name, specifier=">=0"),))


@pytest.mark.parametrize(
    ("torch", "known", "removed"),
    [
        (TORCH, None, "nvidia-cublas-cu12 nvidia-cufft-cu12"),
        (TORCH, require("torch", "nvidia-cufft-cu12"), "nvidia-cublas-cu12 nvidia-cufft-cu12"),
        (TORCH, require("jax-cuda12-plugin", "nvidia-cufft-cu12"), "nvidia-cublas-cu12"),
        (CPU, Requirements(), "nvidia-cublas-cu12 nvidia-cublas-cu13 nvidia-cufft-cu12"),
        (CPU, require("cupy", "nvidia-cublas-cu13"), "nvidia-cublas-cu12 nvidia-cufft-cu12"),
        (CPU, None, ""),
        (None, Requirements(), ""),
    ],
)
def test_what_others_require_stays(
    torch: TorchBuild | None, known: Requirements | None, removed: str
) -> None:
    packages = wheels("nvidia-cublas-cu12", "nvidia-cublas-cu13", "nvidia-cufft-cu12")

    (finding,) = mixed_nvidia_wheels(packages, torch, VENV, known)

    lines = [f"/venv/bin/python -m pip uninstall -y {removed}"] * bool(removed)
    assert [remedy.shell for remedy in finding.remedies] == lines
