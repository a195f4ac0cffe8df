"""A remedy for Windows does not replace a torch with CUDA by one for the CPU."""

import pytest

from pipedoctor.check import Lasts, Remedy
from pipedoctor.check.windows_torch import name_cuda_index

INDEX = "https://download.pytorch.org/whl"


@pytest.mark.parametrize(
    ("line", "build", "more"),
    [
        ("python -m pip install --upgrade torch torchvision", "", f"--index-url {INDEX}/cu126"),
        ("python -m pip install torch==2.4.0", "cu124", f"--index-url {INDEX}/cu124"),
        ("uv pip install torch>=2.4.1", "cu118", f"--index-url {INDEX}/cu118"),
        ("python -m pip install torch==2.2.2 numpy<2", "", f"--extra-index-url {INDEX}/cu126"),
        ("python -m pip install torch", "cpu", ""),
        ("python -m pip install torchmetrics<1.0", "", ""),
        (f"python -m pip install torch --index-url {INDEX}/cu121", "", ""),
        ("python train.py torch", "", ""),
    ],
)
def test_the_index_has_cuda(line: str, build: str, more: str) -> None:
    given = Remedy(title="", lasts=Lasts.ALWAYS, argv=tuple(line.split()))

    put = name_cuda_index(given, {"torch_build": build} if build else {})

    assert " ".join(put.argv) == f"{line} {more}".rstrip()
