"""Small programs that show that a fault is real: they fail under it, and only there."""

LOADER = """
import torch
from torch.utils.data import DataLoader
data = [torch.zeros(1 << 20) for _ in range(32)]
for batch in DataLoader(data, batch_size=8, num_workers=2):
    pass
"""
"""Batches of 32 MiB, two workers."""

KEPT_BATCHES = """
import torch
from torch.utils.data import DataLoader
data = [torch.zeros(8) for _ in range(400)]
kept = list(DataLoader(data, batch_size=2, num_workers=2))
"""

EIGHT_WORKERS = """
import torch
from torch.utils.data import DataLoader
data = [torch.zeros(8) for _ in range(64)]
for batch in DataLoader(data, batch_size=2, num_workers=8):
    pass
"""

ALL_CPUS = """
import os
assert len(os.sched_getaffinity(0)) == os.cpu_count()
"""

TEMPORARY_FILE = """
import tempfile
with tempfile.TemporaryFile() as file:
    file.write(bytes(1 << 20))
"""

TO_NUMPY = """
import torch
torch.zeros(1).numpy()
"""

CACHE = """
import os, pathlib
home = pathlib.Path(os.environ.get("TORCH_HOME") or os.environ["TMPDIR"])
(home / "hub").mkdir()
"""

NUMPY_2 = """
import numpy
assert numpy.__version__.startswith("2.")
"""

IN_TMPDIR = """
import os, pathlib
(pathlib.Path(os.environ["TMPDIR"]) / "file").write_bytes(bytes(1 << 20))
"""

TORCHVISION = """
import importlib.util
if importlib.util.find_spec("torchvision"):
    import torchvision
"""
