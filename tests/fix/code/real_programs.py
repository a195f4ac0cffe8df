"""A program's beginning, and running it as it stands."""

import contextlib
import io
import warnings

TOP = """\
import warnings
warnings.simplefilter("ignore")
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Numbers(Dataset):
    def __getitem__(self, index):
        return torch.load(index) if index > 99 else index

    def __len__(self):
        return 4


class Stream(IterableDataset):
    def __iter__(self):
        import random
        return iter([1, 2, random.random()])


"""


def ran(code: str, name: str = "__main__") -> str:
    """What it prints last, or dies with."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            exec(compile(code, "train.py", "exec"), {"__name__": name})
    except Exception as error:  # noqa: BLE001  (whatever it dies with)
        return f"{type(error).__name__}: {error}"
    return printed.getvalue().strip()
