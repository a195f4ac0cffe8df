"""
Events of loops over batches: copies to the device, waits for it, iterators.

Each example is complete but for the usual imports and a ``loader`` of images and labels.
"""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from pipedoctor.facts.code_events.details import EventDetails, RecordedDetails


class BatchCopy(EventDetails, frozen=True, kw_only=True):
    """A copy to the device in a loop over batches."""

    in_loop: int
    """The loop, an index into `Source.loops`."""
    non_blocking: bool
    """``non_blocking=True``"""
    unknown: bool
    """Whether it blocks is not known."""
    fresh: bool
    """What is copied was made on the CPU in the same step."""
    variable: str
    """What is copied."""
    pins: bool
    """``x.pin_memory().cuda()``"""
    written: bool | UnsetType = UNSET
    """The tensor is modified in place somewhere in the function."""
    placed: bool = False
    """``torch.as_tensor(x, device=device)``, which knows no ``non_blocking``."""


class DeviceCopy(BatchCopy, frozen=True, kw_only=True):
    """
    The batch is copied to the device.

        for images, labels in loader:
            images = images.to("cuda")
    """

    kind: ClassVar[str] = "device-copy"


class OtherCopy(BatchCopy, frozen=True, kw_only=True):
    """
    Something that is not the batch is copied to the device.

        for images, labels in loader:
            weights = weights.to("cuda")
    """

    kind: ClassVar[str] = "other-copy"


class CreatedThenMoved(BatchCopy, frozen=True, kw_only=True):
    """
    A tensor is created on the CPU, and then moved.

        for images, labels in loader:
            noise = torch.rand(3).to(device)
    """

    kind: ClassVar[str] = "created-then-moved"

    device: str | UnsetType = UNSET
    """The device, as code."""
    draws: bool | UnsetType = UNSET
    """It holds random numbers."""
    made_line: int = 0
    """Where a variable is given the tensor, in the same file; 0: it has none."""


class HostRead(EventDetails, frozen=True, kw_only=True):
    """
    A result is read by the host, which waits for the device.

        for images, labels in loader:
            loss = model(images.cuda())
            total += loss.item()
    """

    kind: ClassVar[str] = "sync"

    in_loop: int
    """The loop, an index into `Source.loops`."""
    how: str
    """``item``, ``cpu``, ``tolist``, ``print``, ``float``; ``if``: a condition asks for it."""
    host: bool
    """It was on the host all the time."""
    raised: bool
    """It is known to be a result of the model."""
    asked: str = ""
    """What a condition asks of it: ``finite``, another ``value``; empty: none depends on it."""
    total: str = ""
    """What it is added to, as it is written: ``total``."""
    logged: str = ""
    """Lightning's call that logs it, with the tensor instead: ``self.log('loss', loss)``."""
    parts: bool = False
    """It is read for one part of the batch after another: ``for box in boxes: box.cpu()``."""


class LossRead(RecordedDetails, frozen=True, kw_only=True):
    """
    A function that makes one step returns its loss as a number.

        def train_step():
            loss = model(queue.get())
            loss.backward()
            return loss.item()

        for images, labels in loader:
            total += train_step()
    """

    kind: ClassVar[str] = HostRead.kind

    how: str
    host: bool
    raised: bool
    in_loop: int


class Synchronization(EventDetails, frozen=True, kw_only=True):
    """
    The host waits for all that the device has to do.

        for images, labels in loader:
            torch.cuda.synchronize()
    """

    kind: ClassVar[str] = "synchronize"

    in_loop: int | UnsetType = UNSET
    """The loop, an index into `Source.loops`."""
    timed: bool = False
    """A clock is read in the same loop, or function: what it waits for is measured."""


class CacheRelease(EventDetails, frozen=True, kw_only=True):
    """
    The allocator gives its memory back.

        for images, labels in loader:
            torch.cuda.empty_cache()
    """

    kind: ClassVar[str] = "empty-cache"

    in_loop: int | UnsetType = UNSET
    """The loop, an index into `Source.loops`."""
    freed: bool
    """After a ``del``."""


class HostArray(EventDetails, frozen=True, kw_only=True):
    """
    A batch becomes an array of numpy, or is transformed, in the training process.

        for images, labels in loader:
            array = images.numpy()
            images = torch.from_numpy(array)
    """

    kind: ClassVar[str] = "host-array"

    in_loop: int | UnsetType = UNSET
    """The loop, an index into `Source.loops`."""

    again: bool
    """A tensor is made of it again, or is what a transform gives."""


class KeptGraph(EventDetails, frozen=True, kw_only=True):
    """
    Losses are summed up, or listed, with their graphs.

        for images, labels in loader:
            loss = criterion(model(images), labels)
            loss.backward()
            total += loss
    """

    kind: ClassVar[str] = "graph-kept"

    loss: str
    """The variable of the loss."""


class FreshIterator(EventDetails, frozen=True, kw_only=True):
    """
    An iterator is made for one batch.

        images, labels = next(iter(loader))
    """

    kind: ClassVar[str] = "fresh-iterator"

    repeats: bool
    """Repeated outliers."""
    known: bool
    """The loader is known."""
    loader: int
    """The loader, an index into `Source.loaders`; -1: not known."""


class BatchRequest(EventDetails, frozen=True, kw_only=True):
    """
    One batch is taken from an iterator.

        batches = iter(loader)
        for step in range(1000):
            images, labels = next(batches)
    """

    kind: ClassVar[str] = "next"

    endless: bool
    """A sampler of its own may never end."""
    tried: bool
    """In a ``try``."""
    counted: bool
    """No oftener than there are batches, or the iterator is renewed."""
    looped: bool
    """In a loop of the same function."""
    iterator: str | UnsetType = UNSET
    """The iterator, as it is written: ``batches``."""
    iterated: str | UnsetType = UNSET
    """What it iterates over, as it is written: ``loader``."""


class OldBatchRequest(EventDetails, frozen=True, kw_only=True):
    """
    One batch is taken by a method that iterators no longer have.

        batches = iter(loader)
        images, labels = batches.next()
    """

    kind: ClassVar[str] = "old-next"


class OldCopyKeyword(EventDetails, frozen=True, kw_only=True):
    """
    A copy is told not to wait by a word that became a keyword of Python.

        for images, labels in loader:
            images = images.cuda(async=True)
    """

    kind: ClassVar[str] = "old-copy-keyword"


class SideStreamCopy(EventDetails, frozen=True, kw_only=True):
    """
    A copy on a stream of its own, whose memory nothing keeps.

        def prefetch(batch):
            with torch.cuda.stream(torch.cuda.Stream()):
                return batch.to("cuda", non_blocking=True)

        for images, labels in loader:
            prefetch(images)
    """

    kind: ClassVar[str] = "side-stream"
    tensor: str = ""
    """What is copied, as it is written: ``batch``."""
    copy: str = ""
    """The variable that holds the copy, if there is one."""


class PinThenCopy(EventDetails, frozen=True, kw_only=True):
    """
    A tensor is pinned only to be copied.

        for images, labels in loader:
            images = images.pin_memory().to("cuda")
    """

    kind: ClassVar[str] = "pin-then-copy"

    waits: bool
    """No ``non_blocking`` is given."""


class DataParallelUse(EventDetails, frozen=True, kw_only=True):
    """
    One process drives all GPUs.

        model = torch.nn.DataParallel(model)
    """

    kind: ClassVar[str] = "data-parallel"

    model: str | UnsetType = UNSET
    """The model, as it is written: ``model``."""
    target: str | UnsetType = UNSET
    """The variable that holds the result: ``model``, ``self.model``."""
