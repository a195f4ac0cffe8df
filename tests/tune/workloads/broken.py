"""Targets that fail, each in its own way."""

import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Made(Dataset[Any]):
    def __len__(self) -> int:
        return 10_000

    def __getitem__(self, index: int) -> Any:
        return torch.zeros(8), index


def raises() -> Any:
    message = "no images in /nowhere"
    raise FileNotFoundError(message)


def needs_argument(root: str) -> Any:
    return root


def own_batches() -> Any:
    batches: Any = [[1, 2], [3, 4]]
    return DataLoader(Made(), batch_sampler=batches)


def hangs() -> Any:
    time.sleep(3600)


def garbage() -> Any:
    return 42


def a_dict() -> Any:
    return {"train": Made()}


def exits() -> Any:
    sys.exit(7)


def dies() -> Any:
    os._exit(9)


class Raising(Made):
    def __getitem__(self, index: int) -> Any:
        message = f"truncated image {index}"
        raise OSError(message)


def item_raises() -> Any:
    return DataLoader(Raising(), batch_size=4, num_workers=2)


class Killed(Made):
    def __getitem__(self, index: int) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


def item_kills() -> Any:
    return DataLoader(Killed(), batch_size=4)


def kills() -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


class Hanging(Made):
    def __getitem__(self, index: int) -> Any:
        time.sleep(3600)


def item_hangs() -> Any:
    return DataLoader(Hanging(), batch_size=4, num_workers=1)


class Printing(Made):
    def __getitem__(self, index: int) -> Any:
        sys.stdout.write("x" * 100_000 + "\n")
        sys.stderr.write("y" * 100_000 + "\n")
        return super().__getitem__(index)


def prints() -> Any:
    sys.stdout.write("z" * 3_000_000)
    return DataLoader(Printing(), batch_size=4, num_workers=1)


class Unpicklable(Made):
    def __getitem__(self, index: int) -> Any:
        return (i for i in range(3))


def same(batch: Any) -> Any:
    return batch


def item_not_picklable() -> Any:
    return DataLoader(Unpicklable(), batch_size=4, num_workers=2, collate_fn=same)


def not_picklable() -> Any:
    def local(batch: Any) -> Any:
        return batch

    return DataLoader(
        Made(),
        batch_size=4,
        num_workers=2,
        multiprocessing_context="spawn",
        collate_fn=local,
    )


class OnGpu(Made):
    def __getitem__(self, index: int) -> Any:
        return torch.zeros(8, device="cuda")


def needs_gpu() -> Any:
    return DataLoader(OnGpu(), batch_size=4, num_workers=1)


class Spawning(Made):
    """Starts a process that wants to outlive everybody."""

    def __init__(self) -> None:
        self.started = False

    def __getitem__(self, index: int) -> Any:
        if not self.started:
            self.started = True
            argv = [sys.executable, "-c", "import time; time.sleep(600) # left behind"]
            subprocess.Popen(argv, start_new_session=True)
        return super().__getitem__(index)


def spawns() -> Any:
    return DataLoader(Spawning(), batch_size=4, num_workers=2)


class Closing(Made):
    """Closes what it has not opened."""

    def __getitem__(self, index: int) -> Any:
        os.closerange(3, 64)
        return super().__getitem__(index)


def closes() -> Any:
    return DataLoader(Closing(), batch_size=4)


class Hungry(Made):
    """Takes all the memory there is."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def __getitem__(self, index: int) -> Any:
        self.kept.append(b"x" * (64 << 20))
        return super().__getitem__(index)


def out_of_memory() -> Any:
    return DataLoader(Hungry(), batch_size=4, num_workers=1)


class InMemory(Made):
    """Nothing is wrong with it: workers share what their parent holds."""

    def __init__(self) -> None:
        self.held = b"x" * (300 << 20)


def in_memory() -> Any:
    return DataLoader(InMemory(), batch_size=4, num_workers=4)


class Dying(Made):
    def __getitem__(self, index: int) -> Any:
        os.kill(os.getpid(), 11)


def crashes() -> Any:
    return DataLoader(Dying(), batch_size=4, num_workers=1)


class Undivided(IterableDataset[Any]):
    """Every worker gives all of it."""

    def __iter__(self) -> Any:
        for number in range(1_000_000):
            time.sleep(0.002)
            yield torch.full((4,), number)


def undivided() -> Any:
    return DataLoader(Undivided(), batch_size=4, num_workers=2)


class Empty(Made):
    def __len__(self) -> int:
        return 0


def empty() -> Any:
    return Empty()


def stays(worker: int) -> None:
    """A thread for which a worker waits before it ends."""
    threading.Thread(target=time.sleep, args=(600,)).start()


def lingers() -> Any:
    return DataLoader(Made(), batch_size=4, num_workers=2, worker_init_fn=stays)


class Few(Made):
    def __len__(self) -> int:
        return 3


def all_left_out() -> Any:
    return DataLoader(Few(), batch_size=8, drop_last=True, num_workers=2)


class Silent(IterableDataset[Any]):
    """A stream that has nothing to give."""

    def __iter__(self) -> Any:
        return iter(())


def silent() -> Any:
    return DataLoader(Silent(), batch_size=4, num_workers=2)


class Short(IterableDataset[Any]):
    """A stream that is shorter than a batch."""

    def __iter__(self) -> Any:
        return iter(range(3))


def short() -> Any:
    return DataLoader(Short(), batch_size=8, drop_last=True, num_workers=2)
