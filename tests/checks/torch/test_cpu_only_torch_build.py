"""PDR806 speaks of CPU builds where a GPU is, and nowhere else."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import (
    Accelerators,
    Device,
    Facts,
    Gpu,
    Interpreter,
    PciDevice,
    Site,
    TorchBuild,
)
from pipedoctor_checks.torch.cpu_only_torch_build import cpu_only_torch_build

TABLES = get_catalogue().tables
LINUX = Site(system="linux", machine="x86_64")
CPU = TorchBuild(version="2.13.0", local="cpu", origin="version.py")
A100 = Gpu(
    driver="535.104.05",
    devices=(Device(index=0, name="NVIDIA A100-SXM4-40GB", capability="8.0"),),
)
PYTHON = Interpreter(version="3.11.7", executable="/venv/bin/python")


def judged(*facts: Any) -> list[Finding]:
    return list(cpu_only_torch_build.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((CPU,), id="nothing known of GPUs"),
        pytest.param((CPU, Accelerators(pci=())), id="machine without a GPU"),
        pytest.param(
            (CPU, Accelerators(pci=(PciDevice(vendor="10de", device="2204"),))),
            id="a card that no driver serves",
        ),
        pytest.param((TorchBuild(version="2.13.0", cuda="13.0"), A100), id="CUDA"),
        pytest.param((TorchBuild(version="2.13.0", hip="7.2"), A100), id="ROCm"),
        pytest.param((TorchBuild(version="2.13.0", xpu="2025"), A100), id="XPU"),
        pytest.param((TorchBuild(version="2.13.0", known_backend=False), A100), id="not told"),
        pytest.param((CPU, A100, Accelerators(jetson=True)), id="Jetson"),
        pytest.param((CPU, Gpu(error="not loaded", error_code=9)), id="no driver"),
        pytest.param(
            (TorchBuild(version="2.2.2", origin="text"), Accelerators(pci=())),
            id="macOS",
        ),
        pytest.param(
            (
                TorchBuild(version="2.2.2", local="cpu", origin="text"),
                Accelerators(pci=()),
            ),
            id="a text that says that there is no CUDA",
        ),
    ],
)
def test_silent(facts: tuple[Any, ...]) -> None:
    assert judged(*facts, LINUX) == []


def test_cpu_build_beside_a_gpu_breaks() -> None:
    (finding,) = judged(CPU, A100, LINUX, PYTHON)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == (
        "torch 2.13.0+cpu is built without CUDA, but this machine has NVIDIA A100-SXM4-40GB"
    )
    assert finding.evidence["torch.version"] == "2.13.0"
    assert finding.remedies[0].shell == (
        "/venv/bin/python -m pip install torch==2.13.0+cu126 torchvision==0.28.0+cu126 "
        "--index-url https://download.pytorch.org/whl/cu126"
    )


def test_conda_forges_build_is_replaced_by_conda(snapshot: SnapshotAssertion) -> None:
    conda = TorchBuild(version="2.6.0", conda_build="cpu_mkl_py312_h446997d_101")
    place = Interpreter(version="3.12.1", prefix="/opt/conda", kind="conda")

    (finding,) = judged(conda, A100, LINUX, place)

    assert finding.summary == snapshot
    assert finding.remedies[0].shell == (
        "conda install --prefix /opt/conda --channel conda-forge 'pytorch=*=cuda*' cuda-version=12"
    )


def test_a_python_of_the_system_wants_a_virtual_environment(snapshot: SnapshotAssertion) -> None:
    system = Interpreter(version="3.11.2", executable="/usr/bin/python3", externally_managed=True)
    conda = TorchBuild(version="2.5.1", conda_build="py3.11_cpu_0")

    (finding,) = judged(CPU, A100, LINUX, system)
    (other,) = judged(conda, A100, LINUX, PYTHON)

    assert finding.remedies[0].title == snapshot
    assert finding.remedies[0].shell.startswith("python -m pip install torch==2.13.0")
    assert finding.remedies[0].verify[0] == "python"
    assert other.remedies[0].title == snapshot


def test_the_driver_alone_is_enough(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(CPU, Accelerators(nvidia_module="535.104.05"), LINUX)

    assert finding.summary == snapshot
    assert finding.evidence == {"torch.version": "2.13.0"}, "no GPU is made up"
    assert finding.confidence is Confidence.LIKELY
    assert judged(CPU, Gpu(driver="535.104.05"), LINUX)[0].summary == finding.summary
    assert judged(CPU, Gpu(devices=A100.devices), LINUX) != []


def test_a_text_that_implies_parts_of_cuda_is_enough(snapshot: SnapshotAssertion) -> None:
    text = TorchBuild(version="1.7.1", local="cpu", origin="text")

    (finding,) = judged(text, Accelerators(signs=("some part of CUDA",)))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.evidence["signs"] == ("some part of CUDA",)


@pytest.mark.parametrize(
    "build",
    [
        TorchBuild(version="1.4.0", conda_build="py3.7_cpu_0", origin="text"),
        TorchBuild(version="1.7.1", local="cpu", origin="text"),
    ],
)
def test_a_text_that_does_not_say_makes_it_a_note(build: TorchBuild) -> None:
    (finding,) = judged(build)
    assert judged(build, Accelerators(toolkit="13.0.88")) == [finding]

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.remedies == ()
    assert judged(TorchBuild(version="1.4.0", origin="text")) == []


def test_unknown_is_not_health() -> None:
    verdict = cpu_only_torch_build.run(Facts(*TABLES, A100, unknown={"torch": "none"}))

    assert verdict.skipped == "torch: none"
