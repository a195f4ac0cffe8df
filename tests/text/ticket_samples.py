"""Tickets in the words of collectors."""

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
