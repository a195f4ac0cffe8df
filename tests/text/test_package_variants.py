"""Texts of collectors that show packages that do not fit together."""

from collections.abc import Callable

import pytest

from pipedoctor.report.model import Report
from tests.text.ticket_samples import ALL_GONE, ALL_NONE, TEGRA, UBUNTU, WINDOWS, ticket

PACKAGE_PROBLEMS = [
    pytest.param(
        ticket(
            "[pip3] torch==2.3.0",
            "[pip3] torchvision==0.17.2",
            "[pip3] torchaudio==2.2.2",
            torch="2.3.0+cu121",
            cuda="12.1",
            os=UBUNTU,
            python="3.11.9 (64-bit runtime)",
            available="True",
        ),
        {"torch-torchvision-mismatch", "torch-torchaudio-mismatch"},
        id="only torch was updated",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==1.13.1+cu117",
            "[pip3] torchvision==0.14.1+cpu",
            torch="1.13.1+cu117",
            cuda="11.7",
            os=UBUNTU,
            python="3.9",
            available="True",
        ),
        {"torchvision-build-mismatch"},
        id="torchvision from the index of CPU builds",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==2.0.1+cu117",
            "[pip3] torchvision==0.15.2",
            torch="2.0.1+cu117",
            cuda="11.7",
            os=WINDOWS,
            python="3.10.11 (64-bit runtime)",
            available="True",
        ),
        {"torchvision-build-mismatch"},
        id="torchvision without a tag is a CPU build on Windows",
    ),
    pytest.param(
        ticket(
            "[pip] Could not collect",
            "[conda] pytorch           0.4.0              py36hdf912b8_0    defaults",
            "[conda] pytorch-nightly   1.0.0.dev20181020  "
            "py3.6_cuda9.0.176_cudnn7.1.2_0    pytorch",
            "[conda] torchvision       0.2.1              py36_1    pytorch",
            torch="1.0.0.dev20181020",
            cuda="9.0.176",
            os="Ubuntu 16.04.5 LTS",
            python="3.6",
            available="Yes",
            gpu="GPU 0: GeForce GTX 1080 Ti",
            driver="396.44",
        ),
        {"mixed-torch-installs"},
        id="a nightly beside a release, both by conda",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==2.0.0+nv23.05",
            "[pip3] torchvision==0.15.1",
            torch="2.0.0+nv23.05",
            cuda="11.4",
            os="Ubuntu 20.04.6 LTS (aarch64)",
            python="3.8.10 (64-bit runtime)",
            platform=TEGRA,
            available="True",
        ),
        {"torch-extension-abi-mismatch"},
        id="torchvision from the registry on NVIDIA's torch",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==2.1.2",
            "[conda] pytorch   2.0.1   py3.10_cuda11.8_cudnn8.7.0_0    pytorch",
            torch="2.1.2+cu121",
            cuda="12.1",
            os=UBUNTU,
            python="3.10.13 (64-bit runtime)",
            available="True",
        ),
        {"mixed-torch-installs"},
        id="pip's torch over conda's",
    ),
    pytest.param(
        ticket(
            "[pip3] numpy==1.24.4",
            "[conda] numpy        1.24.4       pypi_0    pypi",
            "[conda] numpy-base   1.23.5       py310h060ed7f_1",
            torch="2.1.2",
            cuda="12.1",
            os=UBUNTU,
            python="3.10.13 (64-bit runtime)",
            available="True",
        ),
        {"mixed-numpy-installs"},
        id="pip's numpy over conda's numpy-base",
    ),
    pytest.param(
        ticket(
            "[pip3] nvidia-cudnn-cu12==9.1.0.70",
            "[pip3] nvidia-cudnn-cu13==9.13.0.50",
            "[pip3] torch==2.11.0",
            torch="2.11.0+cu130",
            cuda="13.0",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            available="True",
        ),
        {"mixed-nvidia-wheels"},
        id="cuDNN of two CUDA generations",
    ),
    pytest.param(
        ticket(
            torch="1.12.0",
            cuda="11.3",
            os=UBUNTU,
            python="3.9",
            available="True",
            cudnn="Probably one of the following:\n"
            "/usr/lib/x86_64-linux-gnu/libcudnn.so.8.2.4\n"
            "/usr/lib/x86_64-linux-gnu/libcudnn_ops_infer.so.8.2.4\n"
            "/usr/local/cuda-11.3/lib64/libcudnn.so.8.3.1",
        ),
        {"multiple-cudnn-versions"},
        id="two minor versions of cuDNN",
    ),
    pytest.param(
        ticket(
            torch="1.7.0+cu110",
            cuda="11.0",
            os="Microsoft Windows 10 Pro",
            python="3.8 (64-bit runtime)",
            available="True",
            cudnn="Probably one of the following:\n"
            "C:\\CUDA\\v10.1\\bin\\cudnn64_7.dll\n"
            "C:\\CUDA\\v11.0\\bin\\cudnn64_8.dll\n"
            "C:\\CUDA\\v11.0\\bin\\cudnn_adv_infer64_8.dll",
        ),
        {"multiple-cudnn-versions"},
        id="cuDNN 7 and 8 on Windows",
    ),
    pytest.param(
        ticket(
            "[pip3] numpy==2.1.0",
            "[pip3] torch==2.2.2",
            torch="2.2.2",
            cuda="None",
            os="macOS 14.6.1 (x86_64)",
            python="3.12.4 (64-bit runtime)",
            available="False",
            **ALL_NONE,
        ),
        {"numpy2-abi-mismatch"},
        id="the last torch for Intel Macs with numpy 2",
    ),
    pytest.param(
        ticket(
            "[pip3] numpy==2.0.1",
            "[pip3] torch==2.3.1+cu118",
            torch="2.3.1+cu118",
            cuda="11.8",
            os=WINDOWS,
            python="3.11.9 (64-bit runtime)",
            available="True",
        ),
        {"numpy2-abi-mismatch"},
        id="Windows learnt numpy 2 later",
    ),
    pytest.param(
        ticket(
            above="A module that was compiled using NumPy 1.x cannot be run in\n"
            "NumPy 2.0.0 as it may crash.",
            torch="2.2.0",
            cuda="12.1",
            os=UBUNTU,
            python="3.11.9 (64-bit runtime)",
            available="True",
        ),
        {"numpy2-abi-mismatch"},
        id="numpy's own warning",
    ),
    pytest.param(
        ticket(
            above="torch/_subclasses/functional_tensor.py:258: UserWarning: Failed to "
            "initialize NumPy: No module named 'numpy'",
            torch="2.4.0",
            cuda="None",
            os=UBUNTU,
            python="3.11.9 (64-bit runtime)",
            available="False",
            **ALL_NONE,
        ),
        {"numpy-missing"},
        id="no numpy, and no list of packages",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==2.5.0",
            torch="N/A",
            debug="N/A",
            cuda="N/A",
            os=WINDOWS,
            python="3.11.9 (64-bit runtime)",
            available="N/A",
            **ALL_GONE,
        ),
        {"torch-not-importable"},
        id="torch is listed and does not import",
    ),
    pytest.param(
        ticket(
            torch="1.13.1+cu117",
            cuda="11.7",
            os=UBUNTU,
            python="3.7.16 (64-bit runtime)",
            available="True",
            gpu="GPU 0: Tesla T4",
            driver="470.57.02",
        ),
        {"python-eol"},
        id="an old Python",
    ),
    pytest.param(
        ticket(
            torch="2.3.0+cu121",
            cuda="12.1",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA A100 80GB PCIe",
            driver="470.161.03",
        ),
        {"driver-below-minimum-but-cuda-available"},
        id="forward compatibility",
    ),
]


@pytest.mark.parametrize(("text", "expected"), PACKAGE_PROBLEMS)
def test_ill(judge: Callable[[str], Report], text: str, expected: set[str]) -> None:
    findings = judge(text).findings
    loud = {entry.name for entry in findings if entry.severity != "note"}

    assert {entry.name for entry in findings} >= expected
    assert loud <= expected


def test_nothing_crashes(judge: Callable[[str], Report]) -> None:
    for case in PACKAGE_PROBLEMS:
        text = case.values[0]
        assert isinstance(text, str)
        assert [s for s in judge(text).skipped if "crashed" in s.reason] == []
