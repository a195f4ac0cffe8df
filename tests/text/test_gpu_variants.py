"""Texts of collectors that show a problem of driver, GPU or CUDA build."""

from collections.abc import Callable

import pytest

from pipedoctor.report.model import Report
from tests.text.ticket_samples import (
    CUDNN_8,
    GONE,
    UBUNTU,
    WINDOWS,
    WSL,
    several,
    ticket,
)

GPU_PROBLEMS = [
    pytest.param(
        ticket(
            torch="1.8.1+cu111",
            cuda="11.1",
            os=UBUNTU,
            python="3.8",
            available="False",
            gpu="GPU 0: GeForce GTX 1080",
            driver="440.33.01",
        ),
        {"driver-too-old"},
        id="below the minimum of its family",
    ),
    pytest.param(
        ticket(
            torch="1.6.0",
            cuda="10.2",
            os="Microsoft Windows 10 Home",
            python="3.7 (64-bit runtime)",
            available="False",
            gpu="GPU 0: GeForce GTX 1650",
            driver="432.00",
        ),
        {"driver-too-old"},
        id="Windows has its own minimum for CUDA 10.2",
    ),
    pytest.param(
        ticket(
            above="/opt/py/lib/python3.9/site-packages/torch/cuda/__init__.py:80: "
            "UserWarning: CUDA initialization: The NVIDIA driver on your system is too "
            "old (found version 10010). Please update your GPU driver",
            torch="1.9.0+cu111",
            cuda="11.1",
            os=UBUNTU,
            python="3.9",
            available="False",
            gpu=GONE,
            driver=GONE,
        ),
        {"driver-too-old"},
        id="torch says so, no driver number",
    ),
    pytest.param(
        ticket(
            torch="2.11.0",
            cuda="13.0",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            platform=WSL,
            available="False",
            gpu="GPU 0: NVIDIA GeForce RTX 3070",
            driver="560.94",
        ),
        {"driver-too-old"},
        id="WSL, CUDA 13 on a driver of last year",
    ),
    pytest.param(
        ticket(
            torch="2.0.1",
            cuda=GONE,
            os=WINDOWS,
            python="3.10.6 (64-bit runtime)",
            available="False",
            runtime=GONE,
            gpu="GPU 0: NVIDIA GeForce RTX 3060",
            driver="536.67",
        ),
        {"cpu-only-torch-build"},
        id="what plain pip gives on Windows",
    ),
    pytest.param(
        ticket(
            torch="2.4.0+cpu",
            cuda=GONE,
            os=UBUNTU,
            python="3.10.6 (64-bit runtime)",
            available="False",
            runtime="12.4.131",
            gpu=GONE,
            driver=GONE,
        ),
        {"cpu-only-torch-build"},
        id="a CPU build beside CUDA's compiler",
    ),
    pytest.param(
        ticket(
            "[conda] pytorch      1.12.1     py3.9_cpu_0    pytorch",
            "[conda] pytorch-mutex   1.0     cpu    pytorch",
            torch="1.12.1",
            os=UBUNTU,
            python="3.9.13 (64-bit runtime)",
            available="False",
            gpu="GPU 0: NVIDIA TITAN V",
            driver="470.82.01",
        ),
        {"cpu-only-torch-build"},
        id="conda's CPU build, by its build string alone",
    ),
    pytest.param(
        ticket(
            torch="2.2.2+cu121",
            cuda="12.1",
            os=UBUNTU,
            python="3.10.12 (64-bit runtime)",
            available="False",
            runtime="12.1.105",
            gpu=GONE,
            driver=GONE,
            cudnn=CUDNN_8,
        ),
        {"nvidia-driver-missing"},
        id="a container without its GPUs",
    ),
    pytest.param(
        ticket(
            torch="1.13.0+cu117",
            cuda="11.7",
            os="Amazon Linux 2 (x86_64)",
            python="3.8",
            available="False",
            gpu=GONE,
            driver=GONE,
        ),
        {"nvidia-driver-missing"},
        id="the line of nvcc was cut out",
    ),
    pytest.param(
        ticket(
            torch="1.7.1",
            cuda="10.1",
            os=UBUNTU,
            python="3.7",
            available="False",
            gpu=several("Tesla K80", "Tesla K80"),
            driver="418.87.00",
        ),
        {"cuda-unavailable-despite-fitting-driver"},
        id="all fits and CUDA does not start",
    ),
    pytest.param(
        ticket(
            above="torch/cuda/__init__.py:52: UserWarning: CUDA initialization: CUDA "
            "unknown error - this may be due to an incorrectly set up environment",
            torch="1.10.2+cu113",
            cuda="11.3",
            os=UBUNTU,
            python="3.9",
            available="False",
            gpu="GPU 0: NVIDIA GeForce RTX 3080",
            driver="470.103.01",
        ),
        {"nvidia-uvm-state-broken", "cuda-unavailable-despite-fitting-driver"},
        id="after suspend",
    ),
    pytest.param(
        ticket(
            torch="1.4.0",
            cuda="10.1",
            os=UBUNTU,
            python="3.7",
            available="Yes",
            gpu="GPU 0: Quadro K4000",
            driver="418.56",
        ),
        {"gpu-arch-not-in-build"},
        id="Kepler 3.0 under code for 3.7",
    ),
    pytest.param(
        ticket(
            above="Found GPU0 GeForce GTX 770 which is of cuda capability 3.0.\n"
            "PyTorch no longer supports this GPU because it is too old.",
            torch="1.2.0",
            cuda="10.0.130",
            os=UBUNTU,
            python="3.7",
            available="Yes",
            gpu="GPU 0: GeForce GTX 770",
            driver="418.67",
        ),
        {"gpu-arch-not-in-build"},
        id="torch's own words in the old wording",
    ),
    pytest.param(
        ticket(
            torch="2.5.1+cu121",
            cuda="12.1",
            os=WINDOWS,
            python="3.11.9 (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA GeForce RTX 5080",
            driver="572.16",
        ),
        {"gpu-arch-not-in-build"},
        id="Blackwell under CUDA 12.1 on Windows, where no list of builds is known",
    ),
    pytest.param(
        ticket(
            above="NVIDIA GeForce RTX 5070 with CUDA capability sm_120 is not "
            "compatible with the current PyTorch installation.\nThe current "
            "PyTorch install supports CUDA capabilities sm_50 sm_60 sm_80 sm_86 sm_90.",
            torch="2.6.0+cu124",
            cuda="12.4",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            available="True",
            gpu=GONE,
            driver="570.86.16",
        ),
        {"gpu-arch-not-in-build"},
        id="torch's own words, no name of a card",
    ),
]


@pytest.mark.parametrize(("text", "expected"), GPU_PROBLEMS)
def test_ill(judge: Callable[[str], Report], text: str, expected: set[str]) -> None:
    findings = judge(text).findings
    loud = {entry.name for entry in findings if entry.severity != "note"}

    assert {entry.name for entry in findings} >= expected
    assert loud <= expected


def test_nothing_crashes(judge: Callable[[str], Report]) -> None:
    for case in GPU_PROBLEMS:
        text = case.values[0]
        assert isinstance(text, str)
        assert [s for s in judge(text).skipped if "crashed" in s.reason] == []
