"""What is installed on a made-up node: names and versions of distributions."""

from typing import Any

NAMES = [
    *("aiohttp", "attrs", "certifi", "charset-normalizer", "click", "cloudpickle"),
    *("contourpy", "cycler", "datasets", "dill", "einops", "filelock", "fonttools"),
    *("frozenlist", "fsspec", "huggingface-hub", "idna", "jinja2", "kiwisolver"),
    *("lightning", "markupsafe", "matplotlib", "mpmath", "multidict", "multiprocess"),
    *("networkx", "numpy", "nvidia-cublas-cu12", "nvidia-cuda-cupti-cu12"),
    *("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cudnn-cu12"),
    *("nvidia-cufft-cu12", "nvidia-nccl-cu12", "nvidia-nvjitlink-cu12", "packaging", "pandas"),
    *("pillow", "pip", "protobuf", "psutil", "pyarrow", "pyparsing", "python-dateutil"),
    *("pytz", "pyyaml", "regex", "requests", "safetensors", "scipy", "sentencepiece"),
    *("setuptools", "six", "sympy", "tensorboard", "timm", "tokenizers", "torch"),
    *("torchaudio", "torchvision", "tqdm", "transformers", "triton", "typing-extensions"),
    *("urllib3", "wandb", "webdataset", "wheel", "yarl"),
]


def build_packages(total: int) -> list[dict[str, Any]]:
    """As many distributions as make a report as large as real ones are."""
    names = [*NAMES, *(f"site-tool-{n:03}" for n in range(total - len(NAMES)))]
    versions = {
        "torch": "2.9.1",
        "torchvision": "0.24.1",
        "torchaudio": "2.9.1",
        "nvidia-nccl-cu12": "2.27.5",
        "nvidia-cudnn-cu12": "9.10.2.21",
        "numpy": "2.2.6",
        "pillow": "12.0.0",
        "triton": "3.5.1",
    }
    return [
        {
            "name": name,
            "version": versions.get(name, f"1.{len(name)}.{at % 10}"),
            "location": "/opt/train/lib/python3.12/site-packages",
            "installer": "pip",
            "origin": "",
            "build": "",
            "channel": "",
            "tags": ["cp312-cp312-manylinux_2_28_x86_64"] if at % 9 == 0 else [],
        }
        for at, name in enumerate(names)
    ]
