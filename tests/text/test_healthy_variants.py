"""Texts of collectors in which nothing is wrong."""

from collections.abc import Callable

import pytest

from pipedoctor.report.model import Report
from tests.text.ticket_samples import (
    ALL_NONE,
    CUDNN_8,
    GONE,
    TEGRA,
    UBUNTU,
    WINDOWS,
    WSL,
    several,
    ticket,
)

HEALTHY = [
    pytest.param(
        ticket(
            "[pip] numpy (1.14.3)",
            "[pip] torch (0.4.0)",
            "[pip] torchvision (0.2.1)",
            "[conda] Could not collect",
            torch="0.4.0",
            debug="No",
            cuda="8.0.61",
            os="Ubuntu 16.04.4 LTS",
            python="3.6",
            available="Yes",
            runtime="8.0.61",
            gpu="GPU 0: GeForce GTX 1070",
            driver="390.48",
            cudnn="Probably one of the following:\n/usr/local/cuda-8.0/lib64/"
            "libcudnn.so.6.0.21\n/usr/local/cuda-8.0/lib64/libcudnn_static.a",
        ),
        id="torch 0.4 with names in parentheses",
    ),
    pytest.param(
        ticket(
            "[conda] pytorch                   1.0.1           "
            "py3.7_cuda10.0.130_cudnn7.4.2_2    pytorch",
            "[conda] torchvision               0.2.2                      py_3    pytorch",
            torch="1.0.1.post2",
            cuda="10.0.130",
            os="CentOS Linux 7 (Core)",
            python="3.7",
            available="Yes",
            gpu=several("Tesla V100-PCIE-16GB", "Tesla V100-PCIE-16GB"),
            driver="410.79",
        ),
        id="a post release that conda lists without its suffix",
    ),
    pytest.param(
        ticket(
            "[pip3] numpy==1.19.2",
            "[pip3] torch==1.5.1",
            "[pip3] torchvision==0.6.1",
            "[conda] numpy                     1.19.2                    <pip>",
            "[conda] torch                     1.5.1                     <pip>",
            "[conda] torchvision               0.6.1                     <pip>",
            torch="1.5.1",
            cuda="10.2",
            os="Fedora release 31 (Thirty One)",
            python="3.7",
            available="Yes",
            gpu="GPU 0: GeForce RTX 2070 SUPER",
            driver="440.82",
        ),
        id="conda lines that repeat pip's",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==1.10.0+cu113",
            "[conda] torch          1.10.0+cu113          pypi_0    pypi",
            torch="1.10.0+cu113",
            cuda="11.3",
            rocm="N/A",
            os=UBUNTU,
            python="3.8.12 (64-bit runtime)",
            available="True",
            runtime="11.7.64",
            gpu="GPU 0: NVIDIA A100-SXM4-40GB\n  MIG 3g.20gb     Device  0: (UUID: MIG-3a1c-4d5e)",
            driver="450.80.02",
        ),
        id="minor-version compatibility, MIG, a newer nvcc",
    ),
    pytest.param(
        ticket(
            torch="2.0.0",
            cuda="11.7",
            os="Pop!_OS 22.04 LTS (x86_64)",
            python="3.10.6 (main, Mar 10 2023) [GCC 11.3.0] (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA GeForce RTX 4090",
            driver="525.105.17",
            cudnn=CUDNN_8,
        ),
        id="Ada runs the code of Ampere",
    ),
    pytest.param(
        ticket(
            torch="2.5.1",
            cuda="None",
            os="macOS 15.1 (arm64)",
            python="3.12.7 (64-bit runtime)",
            platform="macOS-15.1-arm64-arm-64bit",
            available="False",
            **ALL_NONE,
        ),
        id="a Mac with Apple's processor",
    ),
    pytest.param(
        ticket(
            torch="2.5.1+cpu",
            cuda="None",
            os=UBUNTU,
            python="3.11.2 (64-bit runtime)",
            available="False",
            **ALL_NONE,
        ),
        id="a CPU build where no part of CUDA is",
    ),
    pytest.param(
        ticket(
            torch="2.9.1+cu128",
            cuda="12.8",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            available="False",
            **ALL_NONE,
        ),
        id="a CUDA build on a machine without a GPU",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==2.14.0",
            "[pip3] torchvision==0.29.1",
            torch="2.14.0+cu130",
            cuda="13.0",
            os=UBUNTU,
            python="3.13.1 (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA B200",
            driver="580.95.05",
        ),
        id="the newest of everything",
    ),
    pytest.param(
        ticket(
            torch="2.6.0+rocm6.2.4",
            cuda="N/A",
            rocm="6.2.41134-65d174c3e",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            available="True",
            runtime=GONE,
            gpu="AMD Radeon RX 7900 XTX (gfx1100)",
            driver=GONE,
            cudnn=GONE,
        ),
        id="ROCm with an AMD card",
    ),
    pytest.param(
        ticket(
            torch="2.4.1+rocm6.1",
            cuda="N/A",
            rocm="6.1.40091-a8dbc0c19",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            available="False",
            runtime="12.0.140",
            gpu=GONE,
            driver=GONE,
        ),
        id="ROCm with nvcc lying around",
    ),
    pytest.param(
        ticket(
            torch="2.8.0+xpu",
            cuda="None",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            available="False",
            **ALL_NONE,
            xpu="True\nXPU used to build PyTorch: 20250101\nIntel GPU driver version:"
            "\n* intel-opencl-icd: 25.18\nIntel GPU models onboard:"
            "\n* Intel(R) Data Center GPU Max 1100",
        ),
        id="an XPU build with an Intel card",
    ),
    pytest.param(
        ticket(
            torch="2.9.0+xpu",
            cuda=GONE,
            os=WINDOWS,
            python="3.12.3 (64-bit runtime)",
            available="False",
            runtime="12.4.131",
            gpu=GONE,
            driver=GONE,
            xpu="False",
        ),
        id="an XPU build beside CUDA's compiler",
    ),
    pytest.param(
        ticket(
            torch="2.1.0a0+41361538.nv23.06",
            cuda="11.4",
            os="Ubuntu 20.04.6 LTS (aarch64)",
            python="3.8.10 (64-bit runtime)",
            platform=TEGRA,
            available="True",
            runtime="11.4.315",
            gpu=GONE,
            driver=GONE,
        ),
        id="a Jetson that works",
    ),
    pytest.param(
        ticket(
            torch="1.11.0",
            cuda="10.2",
            os="Ubuntu 18.04.6 LTS (aarch64)",
            python="3.6.9 (64-bit runtime)",
            available="False",
            runtime="10.2.300",
            gpu=GONE,
            driver=GONE,
        ),
        id="a Jetson whose kernel is not named",
    ),
    pytest.param(
        ticket(
            torch="2.4.1+cu121",
            cuda="12.1",
            os="Ubuntu 22.04.4 LTS (x86_64)",
            python="3.10.12 (64-bit runtime)",
            platform=WSL,
            available="True",
            gpu="GPU 0: NVIDIA GeForce RTX 4080",
            driver="566.14",
        ),
        id="WSL with the driver of Windows",
    ),
    pytest.param(
        ticket(
            torch="2.3.1+cu118",
            cuda="11.8",
            os=WINDOWS,
            python="3.11.9 (64-bit runtime)",
            available="True",
            gpu=several("NVIDIA GeForce GTX 1060 6GB", "NVIDIA GeForce GTX 1060 6GB"),
            driver="531.79\n531.79",
            cudnn=r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.8\bin"
            r"\cudnn_ops_train64_8.dll",
        ),
        id="Windows, a driver line for each card",
    ),
    pytest.param(
        ticket(
            torch="2.7.1+cu126",
            cuda="12.6",
            os=WINDOWS,
            python="3.12.1 (64-bit runtime)",
            available="True",
            runtime=GONE,
            gpu=GONE,
            driver=GONE,
        ),
        id="nothing collected, yet CUDA works",
    ),
]


@pytest.mark.parametrize("text", HEALTHY)
def test_healthy(judge: Callable[[str], Report], text: str) -> None:
    loud = [(e.name, e.summary) for e in judge(text).findings if e.severity != "note"]

    assert loud == []


def test_nothing_crashes(judge: Callable[[str], Report]) -> None:
    for case in HEALTHY:
        text = case.values[0]
        assert isinstance(text, str)
        assert [s for s in judge(text).skipped if "crashed" in s.reason] == []
