"""Environments of every era and system, with what must be found and what must not."""

from collections.abc import Callable

import pytest

from pipedoctor.report.model import Report

GONE = "Could not collect"
NONE = "No CUDA"
ALL_NONE: dict[str, str] = {"runtime": NONE, "gpu": NONE, "driver": NONE, "cudnn": NONE}
ALL_GONE: dict[str, str] = {"runtime": GONE, "gpu": GONE, "driver": GONE}

LABELS = {
    "torch": "PyTorch version",
    "debug": "Is debug build",
    "cuda": "CUDA used to build PyTorch",
    "rocm": "ROCM used to build PyTorch",
    "os": "OS",
    "libc": "Libc version",
    "python": "Python version",
    "platform": "Python platform",
    "available": "Is CUDA available",
    "runtime": "CUDA runtime version",
    "gpu": "GPU models and configuration",
    "driver": "Nvidia driver version",
    "cudnn": "cuDNN version",
    "xpu": "Is XPU available",
}
CUDNN_8 = """Probably one of the following:
/usr/lib/x86_64-linux-gnu/libcudnn.so.8.9.2
/usr/lib/x86_64-linux-gnu/libcudnn_adv_infer.so.8.9.2
/usr/lib/x86_64-linux-gnu/libcudnn_ops_train.so.8.9.2"""


def ticket(*packages: str, above: str = "", below: str = "", **fields: str) -> str:
    """Print fields as collect_env does; `above` may hold warnings."""
    rows = [f"{LABELS[key]}: {value}" for key, value in fields.items()]
    parts = ["Collecting environment information...", above, *rows, below]
    parts += ["\nVersions of relevant libraries:", *packages] if packages else []
    return "\n".join(filter(None, parts)) + "\n"


def several(*names: str) -> str:
    rows = (f"GPU {index}: {name}" for index, name in enumerate(names))
    return "\n" + "\n".join(rows) + "\n"


UBUNTU = "Ubuntu 22.04.4 LTS (x86_64)"
WINDOWS = "Microsoft Windows 11 Pro (10.0.22631 64-bit)"
WSL = "Linux-5.15.167.4-microsoft-standard-WSL2-x86_64-with-glibc2.35"
TEGRA = "Linux-5.10.120-tegra-aarch64-with-glibc2.31"

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


@pytest.mark.parametrize("text", HEALTHY)
def test_healthy(judge: Callable[[str], Report], text: str) -> None:
    loud = [(e.name, e.summary) for e in judge(text).findings if e.severity != "note"]

    assert loud == []


ILL = [
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


@pytest.mark.parametrize(("text", "expected"), ILL)
def test_ill(judge: Callable[[str], Report], text: str, expected: set[str]) -> None:
    findings = judge(text).findings
    loud = {entry.name for entry in findings if entry.severity != "note"}

    assert {entry.name for entry in findings} >= expected
    assert loud <= expected


def test_nothing_crashes(judge: Callable[[str], Report]) -> None:
    for case in (*HEALTHY, *ILL):
        text = case.values[0]
        assert isinstance(text, str)
        assert [s for s in judge(text).skipped if "crashed" in s.reason] == []
