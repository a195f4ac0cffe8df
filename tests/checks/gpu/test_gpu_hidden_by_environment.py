"""PDR804 reads the variables as CUDA, ROCm and the container runtime read them."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import (
    Accelerators,
    Device,
    Facts,
    Gpu,
    Site,
    TorchBuild,
    Variables,
)
from pipedoctor_checks.gpu.gpu_hidden_by_environment import gpu_hidden_by_environment
from tests.checks.remedies_by_place import PLACES

CUDA = TorchBuild(version="2.13.0", cuda="13.0")
ROCM = TorchBuild(version="2.13.0", hip="7.2")
TWO = Gpu(
    driver="580.95.05",
    devices=(Device(index=0, uuid="GPU-1a2b"), Device(index=1, uuid="GPU-3c4d")),
)
NO_UUID = Gpu(devices=(Device(index=0), Device(index=1, uuid="GPU-3c4d")))
HOST = Accelerators(nvidia_module="580.95.05")
DOCKER = Site(system="linux", container="docker")


def cuda(value: str) -> Variables:
    return Variables(values={"CUDA_VISIBLE_DEVICES": value})


def nvidia(value: str) -> Variables:
    return Variables(values={"NVIDIA_VISIBLE_DEVICES": value})


def judged(*facts: Any) -> list[Finding]:
    return list(gpu_hidden_by_environment.run(Facts(*facts)).findings)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((Variables(), TWO, CUDA), id="nothing set"),
        pytest.param((cuda("0,1"), TWO, CUDA), id="both named"),
        pytest.param((cuda("1"), TWO, CUDA), id="one named"),
        pytest.param((cuda(" 0 , 1 "), TWO, CUDA), id="with blanks"),
        pytest.param((cuda("GPU-3c"), TWO, CUDA), id="a UUID cut short"),
        pytest.param((cuda("GPU-9f"), NO_UUID, CUDA), id="not all UUIDs are known"),
        pytest.param((cuda("MIG-7"), TWO, CUDA), id="MIG instances are not listed"),
        pytest.param((cuda(""), Gpu(), CUDA), id="nothing to hide"),
        pytest.param((cuda(""), CUDA), id="GPUs not known"),
        pytest.param((cuda(""), TWO, TorchBuild(version="2.13.0", local="cpu")), id="CPU build"),
        pytest.param((Variables(), HOST, DOCKER), id="container, nothing set"),
        pytest.param((nvidia("all"), HOST, DOCKER), id="container with all"),
        pytest.param((nvidia("void"), HOST, DOCKER, TWO), id="void, but they are here"),
        pytest.param(
            (
                nvidia("void"),
                Accelerators(nvidia_module="580", nvidia_nodes=("/dev/nvidia0",)),
                DOCKER,
            ),
            id="void, but the device files are here",
        ),
        pytest.param((nvidia("none"), HOST, Site(system="linux")), id="no container"),
        pytest.param((nvidia("none"), Accelerators(), DOCKER), id="host without driver"),
        pytest.param((nvidia("none"), HOST), id="nobody knows whether a container"),
        pytest.param((cuda(""), ROCM, TWO), id="ROCm build without ROCm"),
        pytest.param((cuda("0"), ROCM, Accelerators(rocm=True)), id="ROCm, one named"),
    ],
)
def test_silent(facts: tuple[Any, ...]) -> None:
    assert judged(*facts) == []


@pytest.mark.parametrize("value", ["", "-1", "-1,0", "NoDevFiles", " "])
def test_hiding_all_breaks(value: str) -> None:
    (finding,) = judged(cuda(value), TWO, CUDA)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (f'CUDA_VISIBLE_DEVICES="{value}" hides all 2 GPUs from this job')
    assert finding.evidence == {"CUDA_VISIBLE_DEVICES": value, "gpus": 2}
    assert finding.remedies[0].shell == "unset CUDA_VISIBLE_DEVICES"


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("docker", "docker run -e CUDA_VISIBLE_DEVICES=0,1"),
        ("kubernetes", "kubectl set env deployment/TRAIN CUDA_VISIBLE_DEVICES-"),
    ],
)
def test_an_empty_value_would_hide_them_again(place: str, line: str) -> None:
    (finding,) = judged(cuda(""), TWO, CUDA, PLACES[place])

    assert [remedy.shell for remedy in finding.remedies] == [line]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", '="" hides the only GPU from this job'),
        ("1", "=1 names 1, which does not exist among 1 GPU: no GPU is visible"),
    ],
)
def test_one_gpu_is_one(value: str, said: str) -> None:
    (finding,) = judged(cuda(value), Gpu(devices=TWO.devices[:1]))

    assert finding.summary == f"CUDA_VISIBLE_DEVICES{said}"


@pytest.mark.parametrize(
    ("value", "wrong"),
    [("2", "2"), ("7,0", "7"), ("GPU-9f", "GPU-9f"), ("cuda:0", "cuda:0")],
)
def test_a_first_entry_that_does_not_exist_hides_all(value: str, wrong: str) -> None:
    (finding,) = judged(cuda(value), TWO)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        f"CUDA_VISIBLE_DEVICES={value} names {wrong}, which does not exist among 2 "
        "GPUs: no GPU is visible"
    )


def test_a_later_one_hides_the_rest(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(cuda("0,2,1"), TWO, CUDA)

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot


def test_an_empty_entry_ends_the_list(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(cuda("0,,1"), TWO, CUDA)

    assert finding.summary == snapshot
    assert finding.severity is Severity.RISKS


@pytest.mark.parametrize("value", ["void", "none", ""])
def test_container_that_keeps_them_out(value: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(nvidia(value), HOST, DOCKER, CUDA, Gpu(error="no device"))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.remedies[0].shell == ("docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=all")


@pytest.mark.parametrize(
    "name", ["ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"]
)
def test_amd_gpus_are_hidden_too(name: str, snapshot: SnapshotAssertion) -> None:
    hidden = Variables(values={name: "-1"})

    (finding,) = judged(hidden, ROCM, Accelerators(rocm=True))

    assert finding.summary == snapshot
    assert judged(hidden, ROCM, Accelerators()) == []


def test_unknown_is_not_health() -> None:
    verdict = gpu_hidden_by_environment.run(Facts(TWO, unknown={"variables": "no pid"}))

    assert verdict.skipped == "variables: no pid"


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(cuda("-1"), TWO, CUDA)
    record = json.loads(json.dumps(facts.to_record()))

    again = gpu_hidden_by_environment.run(Facts.from_record(record))

    assert again == gpu_hidden_by_environment.run(facts)
    assert again.findings
