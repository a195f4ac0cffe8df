"""PDR805 knows what runs on what: same major version, higher minor, or PTX."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import (
    Device,
    Facts,
    Gpu,
    Interpreter,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.gpu.gpu_arch_not_in_build import gpu_arch_not_in_build

TABLES = get_catalogue().tables
LINUX = Site(system="linux", machine="x86_64")
WINDOWS = Site(system="windows", machine="AMD64")
PYTHON = Interpreter(version="3.11.7", executable="/venv/bin/python")
WARNED = (
    "NVIDIA GeForce RTX 5070 Laptop GPU with CUDA capability sm_120 is not compatible "
    "with the current PyTorch installation.\n"
    "The current PyTorch install supports CUDA capabilities sm_50 sm_90 compute_50.\n"
)


def torch(version: str, cuda: str, **more: Any) -> TorchBuild:
    return TorchBuild(version=version, cuda=cuda, **more)


def named(*names: str, driver: str = "580.95.05") -> Gpu:
    devices = tuple(Device(index=i, name=name) for i, name in enumerate(names))
    return Gpu(driver=driver, devices=devices)


def capable(capability: str, driver: str = "580.95.05") -> Gpu:
    device = Device(index=0, name="Card of Tomorrow", capability=capability)
    return Gpu(driver=driver, devices=(device,))


def judged(*facts: Any) -> list[Finding]:
    return list(gpu_arch_not_in_build.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    ("build", "gpu"),
    [
        pytest.param(torch("2.13.0", "13.0"), capable("9.0"), id="H100 on CUDA 13"),
        pytest.param(torch("2.13.0", "13.0"), capable("7.5"), id="Turing on CUDA 13"),
        pytest.param(torch("2.13.0", "13.0"), capable("13.0"), id="PTX serves newer"),
        pytest.param(torch("2.8.0", "12.8"), capable("12.1"), id="12.0 serves 12.1"),
        pytest.param(torch("2.8.0", "12.8"), capable("7.0"), id="Volta until 2.10"),
        pytest.param(torch("2.0.1", "11.7"), capable("8.9"), id="8.6 serves 8.9"),
        pytest.param(torch("2.11.0", "12.6"), capable("6.1"), id="6.0 serves 6.1"),
        pytest.param(torch("1.10.1", "11.3"), named("GRID A800D-40C"), id="vGPU"),
        pytest.param(torch("1.5.1", "10.2"), named("GeForce GTX 1060 3GB"), id="Pascal"),
        pytest.param(torch("1.3.1", "10.1"), named("Tesla K80"), id="K80 on 1.3"),
        pytest.param(torch("2.1.0a0", "12.1"), capable("12.0"), id="own build"),
        pytest.param(torch("2.1.0", "12.1", local="nv23.06"), capable("12.0"), id="vendor's tag"),
        pytest.param(torch("2.0.1", "11.7", arch_list=("sm_90",)), capable("9.0"), id="own list"),
        pytest.param(torch("2.13.0", ""), capable("3.5"), id="CPU build"),
        pytest.param(torch("2.13.0", "", hip="7.2"), capable("3.5"), id="ROCm build"),
        pytest.param(torch("2.15.0", "13.2"), capable("8.0"), id="list not confirmed"),
        pytest.param(torch("9.9.0", "13.0"), capable("9.0"), id="newer than the table"),
        pytest.param(
            torch("2.9.0.dev20250901", "13.0", local="cu130"),
            capable("12.0"),
            id="nightly",
        ),
        pytest.param(
            torch("2.6.0", "12.6", conda_build="cuda126_py312_mkl_300"),
            capable("12.0"),
            id="conda-forge may hold PTX",
        ),
        pytest.param(
            torch("2.1.0a0", "12.1", local="41361538.nv23.06"),
            capable("12.0"),
            id="vendor's build",
        ),
        pytest.param(
            torch("1.7.1", "10.2", conda_build="py3.8_cuda10.2.89_cudnn7.6.5_0"),
            named("Tesla K40c"),
            id="the conda channel had 3.5",
        ),
        pytest.param(
            torch("1.8.1", "10.2", origin="text"),
            named("Tesla K40m"),
            id="a text does not say who published it",
        ),
    ],
)
def test_silent(build: TorchBuild, gpu: Gpu) -> None:
    assert judged(build, gpu, LINUX) == []


@pytest.mark.parametrize(
    ("build", "gpu", "missing"),
    [
        pytest.param(torch("2.0.1", "11.7"), named("NVIDIA H100 PCIe"), "9.0", id="H100"),
        pytest.param(torch("2.13.0", "13.0"), capable("6.1"), "6.1", id="Pascal on 13"),
        pytest.param(
            torch("1.8.1", "10.2", local="cu102", origin="text"),
            named("Tesla K40m"),
            "3.5",
            id="a text that tells pip's tag",
        ),
        pytest.param(torch("2.11.0", "12.8"), capable("7.0"), "7.0", id="Volta on 2.11"),
        pytest.param(torch("2.6.0", "12.6"), capable("12.0"), "12.0", id="Blackwell"),
        pytest.param(torch("2.8.0", "12.8"), capable("6.0"), "6.0", id="P100 on cu128"),
        pytest.param(torch("1.12.1", "10.2"), capable("3.5"), "3.5", id="3.7 not for 3.5"),
        pytest.param(torch("1.3.1", "10.1"), named("Tesla K40c"), "3.5", id="K40 on 1.3"),
        pytest.param(torch("1.2.0", "10.0"), named("GeForce 210"), "1.2", id="GeForce 210"),
        pytest.param(
            torch("2.1.0", "12.1", conda_build="py3.11_cuda12.1_cudnn8.9.2_0"),
            named("Tesla K80"),
            "3.7",
            id="K80 in the conda channel",
        ),
        pytest.param(
            torch("1.7.1", "10.1", local="cu101"),
            capable("8.6"),
            "8.6",
            id="Ampere on 10",
        ),
    ],
)
def test_a_card_without_code_breaks(build: TorchBuild, gpu: Gpu, missing: str) -> None:
    (finding,) = judged(build, gpu, LINUX)

    assert finding.severity is Severity.BREAKS
    assert finding.evidence["capabilities"] == [missing]
    assert finding.confidence is Confidence.LIKELY


def test_where_nobody_knows_the_system_the_table_counts() -> None:
    assert judged(torch("2.8.0", "12.8"), capable("6.1")) != []


def test_on_windows_the_linux_table_does_not_count() -> None:
    assert judged(torch("2.7.1", "12.8"), capable("6.1"), WINDOWS) == []
    assert judged(torch("2.13.0", "13.0"), capable("6.1"), WINDOWS) != []


def test_on_arm_neither() -> None:
    arm = Site(system="linux", machine="aarch64")

    assert judged(torch("2.8.0", "12.8"), capable("6.1"), arm) == []


def test_it_names_cards_list_and_a_build_that_has_the_code() -> None:
    gpu = named("GeForce GTX 1080 Ti", "GeForce GTX 1080 Ti")

    (finding,) = judged(torch("2.13.0", "13.0"), gpu, LINUX, PYTHON)

    assert finding.summary == (
        "torch 2.13.0 for CUDA 13.0 has no code for compute capability 6.1 "
        "(2 x GeForce GTX 1080 Ti): it was built for 7.5, 8.0, 8.6, 9.0, 10.0, 12.0+PTX"
    )
    assert finding.remedies[0].shell == (
        "/venv/bin/python -m pip install torch==2.13.0+cu126 torchvision==0.28.0+cu126 "
        "--index-url https://download.pytorch.org/whl/cu126"
    )


@pytest.mark.parametrize(
    ("gpu", "python", "tag"),
    [
        pytest.param(capable("6.1", "580.95.05"), "3.11", "cu126", id="GTX 1080 Ti"),
        pytest.param(capable("7.0", "535.104.05"), "3.11", "cu126", id="V100"),
        pytest.param(capable("12.0", "580.95.05"), "3.12", "cu130", id="RTX 5090"),
    ],
)
def test_the_remedy_fits_card_driver_and_python(gpu: Gpu, python: str, tag: str) -> None:
    old = torch("2.6.0", "12.6") if tag == "cu130" else torch("2.12.0", "13.0")

    (finding,) = judged(old, gpu, LINUX, Interpreter(version=python))

    assert f"whl/{tag}" in finding.remedies[-1].shell


def test_what_torch_says_of_itself_is_certain(snapshot: SnapshotAssertion) -> None:
    own = TorchImport(ok=True, cuda_available=True, arch_list=("sm_80", "sm_86"))

    (finding,) = judged(torch("2.13.0", "13.0"), capable("9.0"), own)

    assert finding.confidence is Confidence.CERTAIN
    assert finding.evidence["built_for"] == ["sm_80", "sm_86"]
    assert finding.summary == snapshot
    assert judged(torch("2.13.0", "13.0"), capable("8.9"), own) == []


def test_its_warning_is_enough_without_any_gpu_facts(snapshot: SnapshotAssertion) -> None:
    said = TorchImport(ok=True, cuda_available=True, warnings=(WARNED,))

    (finding,) = judged(torch("2.7.1", "11.8"), said)

    assert finding.summary == snapshot
    assert finding.confidence is Confidence.CERTAIN
    assert finding.evidence["built_for"] == ["sm_50", "sm_90", "compute_50"]


def test_the_older_warning_counts_too() -> None:
    words = "Found GPU0 GeForce GTX 770 which is of cuda capability 3.0."
    said = TorchImport(ok=True, warnings=(words,))

    (finding,) = judged(torch("1.4.0", "10.1"), said)

    assert finding.evidence["capabilities"] == ["3.0"]
    assert finding.confidence is Confidence.CERTAIN
    assert all(remedy.advice for remedy in finding.remedies)


@pytest.mark.parametrize(
    ("build", "wanted"),
    [
        pytest.param(torch("2.8.0", "12.8"), "torch==2.8.0+cu126", id="of its label"),
        pytest.param(torch("2.9.1", ""), "", id="no build for CUDA"),
        pytest.param(torch("2.9.1", "12.4"), "torch==2.9.1+cu126", id="PyPI's, without a label"),
        pytest.param(
            torch("2.9.1", "12.4", local="git1a2"), "torch==2.9.1+cu128", id="of its own source"
        ),
    ],
)
def test_what_fails_is_never_what_to_install(build: TorchBuild, wanted: str) -> None:
    words = WARNED.replace("sm_120", "sm_70").replace("sm_50 sm_90 compute_50", "sm_75 sm_90")
    said = TorchImport(ok=True, cuda_available=True, warnings=(words,))

    lines = [r.argv for f in judged(build, said, LINUX, PYTHON) for r in f.remedies]

    assert [*map(str, lines[0][4:5] if lines else ())] == [wanted] * bool(wanted)


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    build = torch("2.13.0", "13.0")

    verdict = gpu_arch_not_in_build.run(Facts(*TABLES, build, named("Card of Tomorrow")))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(torch("2.0.1", "11.7"), named("NVIDIA H100 PCIe"), LINUX)
    record = json.loads(json.dumps(facts.to_record()))

    again = gpu_arch_not_in_build.run(Facts.from_record(record).merge(*TABLES))

    assert again == gpu_arch_not_in_build.run(facts.merge(*TABLES))
    assert again.findings
