"""Texts of collectors that look unusual, and in which nothing is wrong."""

from collections.abc import Callable

import pytest

from pipedoctor.report.model import Report
from tests.text.ticket_samples import (
    UBUNTU,
    ticket,
)

UNUSUAL = [
    pytest.param(
        ticket(
            torch="2.2.0+cu121",
            cuda="12.1",
            os=UBUNTU,
            python="3.11.7 (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA RTX 9990 Hypothetical Edition",
            driver="535.54.03",
        ),
        id="a card that no table has",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==3.7.0",
            "[pip3] torchvision==0.51.0",
            torch="3.7.0",
            cuda="14.2",
            os=UBUNTU,
            python="3.17.0 (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA H100",
            driver="700.10",
        ),
        id="versions of the future",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==2.2.0",
            "[conda] numpy       1.26.4   py311h64a7726_0    conda-forge",
            "[conda] pytorch     2.2.0    cuda120_py311h25b6552_300    conda-forge",
            "[conda] torchvision 0.16.2   cuda120py311h4ecb9ab_6    conda-forge",
            torch="2.2.0.post301",
            cuda="12.0",
            os="Arch Linux (x86_64)",
            python="3.11.8 | packaged by conda-forge | (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA RTX A2000 12GB",
            driver="550.54.14",
        ),
        id="conda-forge pairs its own packages",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==2.0.1+cu117",
            "[pip3] torchvision==0.15.2",
            torch="2.0.1+cu117",
            cuda="11.7",
            os=UBUNTU,
            python="3.10.11 (64-bit runtime)",
            available="True",
        ),
        id="torchvision without a tag is the default build on Linux",
    ),
    pytest.param(
        ticket(
            "[pip] torch==1.1.0a0+4335aac",
            "[conda] torch      1.1.0a0+4335aac     dev_0    <develop>",
            torch="1.1.0a0+4335aac",
            cuda="10.0",
            os="Mac OSX 10.13.6",
            python="3.7",
            available="Yes",
            runtime="10.0.130",
            gpu="GeForce GTX 1060 with Max-Q Design",
            driver="1.1.0",
            cudnn="/Users/me/cuda/lib/libcudnn.dylib",
        ),
        id="a Mac with an NVIDIA card and a build from source",
    ),
    pytest.param(
        ticket(
            "[pip3] torch==2.6.0.dev20241001+cu124",
            "[pip3] torchvision==0.20.0.dev20241001+cu124",
            torch="2.6.0.dev20241001+cu124",
            cuda="12.4",
            os=UBUNTU,
            python="3.12.3 (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA L4",
            driver="550.90.07",
        ),
        id="two nightlies of one day",
    ),
    pytest.param(
        ticket(
            torch="1.13.1",
            cuda="11.6",
            os="Debian GNU/Linux 12 (bookworm) (x86_64)",
            python="3.11.2 (64-bit runtime)",
            available="True",
            gpu="GPU 0: Quadro T2000",
            driver="525.147.05",
            below="CPU:\nArchitektur:                  x86_64\n"
            "CPU Operationsmodus:          32-bit, 64-bit\nCPU(s):    12\n"
            "Modellname:                   Intel(R) Core(TM) i7-9850H",
        ),
        id="lscpu in German",
    ),
    pytest.param(
        ticket(
            torch="1.9.0a0+gitd69c22d",
            cuda="11.3",
            os="Ubuntu 20.04.2 LTS (x86_64)",
            python="3.8.8 (64-bit runtime)",
            available="True",
            gpu="GPU 0: NVIDIA A30",
            driver="460.32.03",
        ),
        id="a build from source is left to what its CUDA can do",
    ),
    pytest.param(
        ticket(
            torch="2.1.2",
            cuda="12.1",
            os="Windows Subsystem",
            python="3.10.9 (64-bit runtime)",
            available="True",
            gpu="GPU 0: GRID V100D-16Q",
            driver="528.89",
            cudnn="Probably one of the following:\n"
            "/usr/local/cuda-11.8/targets/x86_64-linux/lib/libcudnn.so.8.9.7\n"
            "/usr/local/cuda-12.1/targets/x86_64-linux/lib/libcudnn.so.8.9.7\n"
            "/usr/local/cuda-12.1/targets/x86_64-linux/lib/libcudnn.so.8",
        ),
        id="one cuDNN in two toolkits, and a link that only names its major",
    ),
]


@pytest.mark.parametrize("text", UNUSUAL)
def test_healthy(judge: Callable[[str], Report], text: str) -> None:
    loud = [(e.name, e.summary) for e in judge(text).findings if e.severity != "note"]

    assert loud == []


def test_nothing_crashes(judge: Callable[[str], Report]) -> None:
    for case in UNUSUAL:
        text = case.values[0]
        assert isinstance(text, str)
        assert [s for s in judge(text).skipped if "crashed" in s.reason] == []
