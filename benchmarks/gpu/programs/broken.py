"""Training programs that fail on a GPU in a known way: ``broken.py NAME``; stderr is the log."""

import os
import sys
from collections.abc import Callable
from typing import Any

try:
    import torch
    from torch.utils.data import DataLoader, Dataset
except ImportError as error:
    sys.exit(f"not possible: {error}")

_ILLEGAL = """
extern "C" __global__ void write_nowhere(int *there) { *(volatile int *)(there[0] + 16L) = 1; }
"""


def take_all_memory() -> None:
    """Allocations until there is no more; nothing of it is managed memory."""
    free, _ = torch.cuda.mem_get_info()
    held = [torch.empty(free * 6 // 10, dtype=torch.uint8, device="cuda")]
    held.append(torch.empty(free * 6 // 10, dtype=torch.uint8, device="cuda"))


class OnGpu(Dataset[Any]):
    """Items that are made on the GPU."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.full((4,), index, device="cuda")


def fork_after_cuda() -> None:
    """Workers use CUDA that their parent has initialized."""
    torch.zeros(1, device="cuda")
    for _ in DataLoader(OnGpu(), num_workers=1, multiprocessing_context="fork"):
        pass


def index_out_of_range() -> None:
    """A label that no class has."""
    logits = torch.randn(4, 10, device="cuda")
    labels = torch.tensor([1, 2, 3, 10], device="cuda")
    torch.nn.functional.cross_entropy(logits, labels).item()


def access_illegal_memory() -> None:
    """A kernel that writes to address 16, where nothing is."""
    kernel = torch.cuda._compile_kernel(_ILLEGAL, "write_nowhere")  # noqa: SLF001  (NVRTC)
    nowhere = torch.zeros(1, dtype=torch.int32, device="cuda")
    kernel(grid=(1, 1, 1), block=(1, 1, 1), args=[nowhere])
    torch.cuda.synchronize()


FAILURES: dict[str, Callable[[], None]] = {
    "out-of-memory": take_all_memory,
    "fork-after-cuda": fork_after_cuda,
    "index-out-of-range": index_out_of_range,
    "illegal-access": access_illegal_memory,
}


def main() -> None:
    """Fail, or say that this machine cannot fail in that way."""
    if not torch.cuda.is_available():
        print("not possible: torch finds no GPU", file=sys.stderr)
        sys.exit(3)
    os.environ.pop("CUDA_LAUNCH_BLOCKING", None)
    FAILURES[sys.argv[1]]()


if __name__ == "__main__":
    main()
