"""Texts of other collectors, each as a user would paste it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.facts import (
    Accelerators,
    Cpu,
    Device,
    Facts,
    Gpu,
    Interpreter,
    NumaNode,
    Packages,
    Shm,
    Site,
    TorchBuild,
    TorchImport,
    Variables,
)
from pipedoctor.report.model import Report
from pipedoctor.text import read_environment

TICKETS = Path(__file__).parent / "tickets"


def facts(name: str) -> Facts:
    return read_environment((TICKETS / f"{name}.txt").read_bytes()).facts


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("detectron2", {"torch-torchvision-mismatch": "breaks", "python-eol": "note"}),
        ("detectron2-cpu", {}),
        ("mmcv", {"gpu-arch-not-in-build": "breaks", "python-eol": "note"}),
        (
            "mmengine-dict",
            {"torch-torchvision-mismatch": "breaks", "python-eol": "note"},
        ),
        ("mmdeploy-log", {"cpu-only-torch-build": "note", "python-eol": "note"}),
        ("vllm-sections", {"driver-too-old": "breaks"}),
        ("doctr", {"torch-torchvision-mismatch": "breaks", "python-eol": "note"}),
        ("ds_report", {"python-eol": "note", "shm-too-small": "risks"}),
    ],
)
def test_findings(judge: Callable[[bytes], Report], name: str, expected: dict[str, str]) -> None:
    report = judge((TICKETS / f"{name}.txt").read_bytes())

    found = {entry.name: entry.severity for entry in report.findings}

    assert {name: found.get(name) for name in expected} == expected
    assert all(found[name] == "note" for name in set(found) - set(expected))


def test_the_table_of_detectron2() -> None:
    told = facts("detectron2")

    assert told.get(Gpu) == Gpu(
        driver="470.199.02",
        devices=tuple(Device(index=i, name="NVIDIA RTX A5000", capability="8.6") for i in (0, 1)),
    )
    assert told.get(TorchBuild) == TorchBuild(
        version="2.0.1",
        local="cu117",
        cuda="11.7",
        location="/home/anna/miniforge3/envs/d2/lib/python3.9/site-packages/torch",
        origin="text",
        arch_list=("sm_70", "sm_75", "sm_80", "sm_86"),
        cudnn="8.5",
    )
    packages = told.get(Packages)
    assert packages is not None
    assert {entry.name: entry.version for entry in packages.entries} == {
        "numpy": "1.24.4",
        "pillow": "9.5.0",
        "torchvision": "0.14.1+cu117",
    }


def test_a_build_that_lists_no_runtime_is_a_cpu_build() -> None:
    torch = facts("detectron2-cpu").get(TorchBuild)

    assert torch is not None
    assert torch.is_cpu_only


def test_the_log_of_mmcv() -> None:
    told = facts("mmcv")

    gpu, site = told.get(Gpu), told.get(Site)
    assert gpu is not None
    assert [device.index for device in gpu.devices] == [0, 1, 2, 3]
    assert site == Site(system="linux", place_known=False)
    assert told.get(Variables) == Variables(values={"CUDA_HOME": "/usr/local/cuda-10.2"})


def test_a_dictionary_printed_as_it_is() -> None:
    told = facts("mmengine-dict")

    site, variables = told.get(Site), told.get(Variables)
    assert site is not None
    assert site.system == "windows"
    assert variables is not None
    assert variables.values["CUDA_HOME"].endswith(r"Toolkit\CUDA\v11.7")


def test_the_sections_of_vllm() -> None:
    told = facts("vllm-sections")

    assert told.get(Site) == Site(
        system="linux",
        release="6.8.0-64-generic",
        distribution="Ubuntu 24.04.2 LTS",
        machine="x86_64",
        place_known=False,
    )
    assert told.get(Interpreter) == Interpreter(version="3.12.11", glibc="2.39", bits=64)
    assert told.get(Cpu) == Cpu(
        logical=192,
        physical=96,
        model="Intel(R) Xeon(R) Platinum 8568Y+",
        online_list="0-191",
        quota_unknown="not in this text",
        max_frequency=4_000_000_000,
        numa=(NumaNode(node=0, cpus=96), NumaNode(node=1, cpus=96)),
        flags=("sse4_2", "avx", "avx2", "avx512f"),
    )


def test_only_allowed_variables_are_taken() -> None:
    variables = facts("vllm-sections").get(Variables)

    assert variables is not None
    assert sorted(variables.values) == [
        "CUDA_VISIBLE_DEVICES",
        "LD_LIBRARY_PATH",
        "NVIDIA_VISIBLE_DEVICES",
    ]


def test_the_torch_of_doctr() -> None:
    told = facts("doctr")

    packages, outcome = told.get(Packages), told.get(TorchImport)
    assert packages is not None
    assert [e.version for e in packages.find_all("torchvision")] == ["0.11.1+cu113"]
    assert outcome is not None
    assert outcome.cuda_available


def test_the_report_of_deepspeed() -> None:
    told = facts("ds_report")

    torch, python = told.get(TorchBuild), told.get(Interpreter)
    assert torch is not None
    assert (torch.version, torch.cuda, torch.hip) == ("2.2.1", "11.8", "")
    assert torch.location == "/home/anna/venv/lib/python3.8/site-packages/torch"
    assert python == Interpreter(version="3.8")
    assert told.get(Shm) == Shm(size=64 << 20)
    assert told.get(Accelerators) is None


def test_names_of_users_are_redacted(judge: Callable[[bytes], Report]) -> None:
    for name in ("detectron2", "vllm-sections", "ds_report"):
        report = judge((TICKETS / f"{name}.txt").read_bytes())
        assert "anna" not in str(report)
        assert "hf_0123456789abcdef" not in str(report)
