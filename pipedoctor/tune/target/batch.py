"""What is in a batch: bytes, tensors, types."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import ctypes
import time
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from pipedoctor.facts import Contents

_PAGE_SIZE = 4096
_MAX_DEPTH = 8
_FINGERPRINT_VALUES = 64
_MAX_COPIED_BYTES = 1 << 24
"""Bytes of a tensor that are copied to see how long it takes."""


def measure_contents(batch: Any) -> Contents:
    """
    Bytes of a batch, how many of them go through /dev/shm, and in how many tensors.

    A storage that several tensors share travels once; in shared memory it takes
    whole pages.
    """
    storages: dict[int, int] = {}
    tensors = float_bytes = other = 0
    for leaf in iterate_leaves(batch):
        if isinstance(leaf, torch.Tensor):
            tensors += 1
            storage = leaf.untyped_storage()
            storages[storage.data_ptr() or -tensors] = storage.nbytes()
            if leaf.is_floating_point():
                float_bytes += leaf.numel() * leaf.element_size()
        else:
            other += int(getattr(leaf, "nbytes", 0) or _count_leaf_bytes(leaf))
    return Contents(
        bytes=sum(storages.values()) + other,
        shared_bytes=sum(-(-size // _PAGE_SIZE) * _PAGE_SIZE for size in storages.values()),
        objects=len(storages),
        float_bytes=float_bytes,
    )


def time_copying(batch: Any) -> float:
    """
    CPU seconds of one thread to copy its tensors into memory that is there already.

    Of large ones a part is copied, and counted for the whole.
    """
    seconds = 0.0
    for leaf in iterate_leaves(batch):
        if isinstance(leaf, torch.Tensor) and leaf.device.type == "cpu":
            storage = leaf.untyped_storage()
            size = min(storage.nbytes(), _MAX_COPIED_BYTES)
            if not size:
                continue
            copy = (ctypes.c_char * size)()
            ctypes.memmove(copy, storage.data_ptr(), size)  # which finds no pages yet
            begin = time.thread_time()
            ctypes.memmove(copy, storage.data_ptr(), size)
            seconds += (time.thread_time() - begin) * storage.nbytes() / size
    return seconds


def fingerprint_batch(batch: Any) -> str:
    """What tells a batch from others: the first numbers of its tensors, its texts."""
    return repr(
        [
            (tuple(leaf.shape), leaf.flatten()[:_FINGERPRINT_VALUES].tolist())
            if isinstance(leaf, torch.Tensor)
            else str(leaf)[:_FINGERPRINT_VALUES]
            for leaf in iterate_leaves(batch)
        ]
    )


def iterate_leaves(thing: Any, depth: int = 0) -> Iterator[Any]:
    """Everything in a nest of mappings and sequences that is neither."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(thing, Mapping):
        values: Any = thing.values()
        for value in values:
            yield from iterate_leaves(value, depth + 1)
    elif isinstance(thing, (list, tuple)):
        for value in thing:
            yield from iterate_leaves(value, depth + 1)
    elif hasattr(thing, "__dict__") and not isinstance(thing, torch.Tensor):
        for value in vars(thing).values():
            yield from iterate_leaves(value, depth + 1)
    else:
        yield thing


def _count_leaf_bytes(leaf: Any) -> int:
    return len(leaf) if isinstance(leaf, (bytes, bytearray, str)) else 8
