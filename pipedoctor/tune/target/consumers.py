"""Consumers that only receive: what a batch costs before anybody computes on it."""

# Batches are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from typing import Any

import torch

from pipedoctor.tune.target.batch import iterate_leaves

_PAGE = 4096


def touch(batch: Any) -> None:
    """Read a byte of every page: shared memory is mapped where it is first seen."""
    for leaf in iterate_leaves(batch):
        if isinstance(leaf, torch.Tensor) and leaf.device.type == "cpu":
            storage = leaf.untyped_storage()
            seen = torch.empty(0, dtype=torch.uint8).set_(storage)
            seen[::_PAGE].sum()


def transfer(batch: Any) -> None:
    """Copy every tensor to the GPU as training code does, and wait for the last."""
    for leaf in iterate_leaves(batch):
        if isinstance(leaf, torch.Tensor):
            leaf.to("cuda", non_blocking=leaf.is_pinned())
    torch.cuda.synchronize()
