"""Errors of tensors: the hint names the sizes and the device, and nothing that does not help."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from tests.explanation.test_remedies_of_logs import HERE

FRAME = 'Traceback (most recent call last):\n  File "/w/net.py", line 8, in forward\n    {}\n'
LINEAR = (
    '  File "/e/site-packages/torch/nn/modules/linear.py", line 125, in forward\n'
    "    return F.linear(input, self.weight, self.bias)\n"
)
SHAPES = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x1280 and 1024x37)\n"
DEVICE = (
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices,"
    " cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)\n"
)
KERNEL = "RuntimeError: CUDA error: device-side assert triggered\n"


def hint(log: str) -> str:
    fault = explain(io.BytesIO(log.encode()), facts=lambda _: HERE).fault
    assert fault is not None
    return fault.hint


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            FRAME.format("return self.head(x)") + LINEAR + SHAPES, "nn.Linear(1280, 37)", id="layer"
        ),
        pytest.param(FRAME.format("return a @ b") + SHAPES, "line 8 of /w/net.py", id="product"),
        pytest.param(FRAME.format("return x + self.b") + DEVICE, "device=x.device", id="device"),
        pytest.param(FRAME.format("return l(x)") + KERNEL, "CUDA_LAUNCH_BLOCKING=1", id="kernel"),
    ],
)
def test_hint(log: str, wanted: str) -> None:
    assert wanted in hint(log)
    assert ("CUDA_LAUNCH_BLOCKING" in hint(log)) is (wanted == "CUDA_LAUNCH_BLOCKING=1")
