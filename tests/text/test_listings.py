"""Texts that no collector wrote: lists of packages, nvidia-smi, a cut dictionary."""

from collections.abc import Callable

import pytest

from pipedoctor.facts import Gpu, Packages, Threads, TorchBuild
from pipedoctor.report.model import Report
from pipedoctor.text import read_environment
from pipedoctor.text.ticket import NoEnvironmentError

PIP_LIST = """
Package            Version
------------------ ---------
numpy              2.1.0
torch              2.1.2
torchvision        0.17.0
"""
FREEZE = "torch==2.2.1+cu118\ntorchvision==0.17.1+cu118\nnumpy==2.0.1\n"
CONDA_LIST = """
# packages in environment at /opt/conda/envs/a:
#
# Name                    Version                   Build  Channel
numpy                     1.24.3           py310h5f9d8c6_1
pytorch                   2.0.1           py3.10_cuda11.7_cudnn8.5.0_0    pytorch
torchvision               0.14.1              py310_cu117    pytorch
"""
SMI = """
| NVIDIA-SMI 575.51.02     Driver Version: 576.02         CUDA Version: 12.9     |
|   0  NVIDIA GeForce RTX 4090        On  |   00000000:65:00.0 Off |         Off |
| 30%   36C    P8             17W /  450W |   40838MiB /  49140MiB |  1% Default |
|   1  NVIDIA GeForce RTX 5070 Ti   WDDM  |   00000000:01:00.0  On |         N/A |
"""
CUT = """
### Environment
{'sys.platform': 'linux',
 'CUDA available': True,
 'GPU 0,1': 'GeForce RTX 2080 Ti',
 'PyTorch': '1.7.0+cu110',
 'TorchVision': '0.8.1+cu110',
"""


NONE: set[str] = set()


def names(report: Report) -> set[str]:
    return {entry.name for entry in report.findings if entry.severity != "note"}


@pytest.mark.parametrize("text", ["pip install torch", "torch 2", "torch 2.1 is broken"])
def test_a_word_of_torch_is_no_list(text: str) -> None:
    with pytest.raises(NoEnvironmentError):
        read_environment(text.encode())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PIP_LIST, {"torch-torchvision-mismatch", "numpy2-abi-mismatch"}),
        (FREEZE, {"numpy2-abi-mismatch"}),
        (CONDA_LIST, {"torch-torchvision-mismatch"}),
        (SMI, NONE),
        (CUT, NONE),
    ],
)
def test_is_judged(judge: Callable[[str], Report], text: str, found: set[str]) -> None:
    assert names(judge(text)) == found


def test_conda_keeps_builds_and_channels() -> None:
    packages = read_environment(CONDA_LIST.encode()).facts.get(Packages)

    assert packages is not None
    torch = packages.find("pytorch")
    assert torch is not None
    assert (torch.build, torch.channel) == ("py3.10_cuda11.7_cudnn8.5.0_0", "pytorch")


def test_nvidia_smi_names_driver_and_cards() -> None:
    gpu = read_environment(SMI.encode()).facts.get(Gpu)

    assert gpu is not None
    assert gpu.driver == "576.02"
    assert [card.name for card in gpu.devices] == [
        "NVIDIA GeForce RTX 4090",
        "NVIDIA GeForce RTX 5070 Ti",
    ]


def test_a_dictionary_that_was_cut() -> None:
    torch = read_environment(CUT.encode()).facts.get(TorchBuild)

    assert torch is not None
    assert (torch.version, torch.cuda) == ("1.7.0", "11.0")


def test_thread_counts_of_an_environment() -> None:
    text = "PyTorch version: 2.7.0\nIs debug build: False\nOMP_NUM_THREADS=8,2\n"
    told = read_environment(f"{text}MKL_NUM_THREADS=many\n".encode()).facts.get(Threads)

    assert told == Threads(asked={"OMP_NUM_THREADS": 8}, odd={"MKL_NUM_THREADS": "many"})
    assert read_environment(text.partition("OMP")[0].encode()).facts.get(Threads) is None
