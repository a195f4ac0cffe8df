"""
Events of a whole program: how it starts workers, and which names of torch it uses.

Each example is complete but for the usual imports and a ``loader``.
"""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from pipedoctor.facts.code_events.details import EventDetails


class WorkerStart(EventDetails, frozen=True, kw_only=True):
    """
    Workers start while the file is imported.

        loader = DataLoader(load_rows(), num_workers=2)
        for batch in loader:
            print(batch)
    """

    kind: ClassVar[str] = "starts-workers"

    loader: int = -1
    """A loader that other files make and iterate, an index into `Source.loaders`."""
    lines: str | UnsetType = UNSET
    unit: str | UnsetType = UNSET


class LoaderReconstruction(EventDetails, frozen=True, kw_only=True):
    """
    A loader is created again in each turn of a loop.

        for epoch in range(9):
            loader = DataLoader(load_rows(), num_workers=2)
            for batch in loader:
                print(batch)
    """

    kind: ClassVar[str] = "rebuilt"


class WorkerFunction(EventDetails, frozen=True, kw_only=True):
    """
    A lambda or a local function is sent to the workers.

        loader = DataLoader(load_rows(), num_workers=2, collate_fn=lambda rows: rows)
    """

    kind: ClassVar[str] = "sent"


class StartMethodCall(EventDetails, frozen=True, kw_only=True):
    """
    The program sets how processes start.

        torch.multiprocessing.set_start_method("spawn")
    """

    kind: ClassVar[str] = "start-method"

    method: str
    """``spawn``; empty: not known."""
    at_import: bool
    """Whoever imports the file sets it."""
    guarded: bool
    """Under a main guard."""


class SamplerConstruction(EventDetails, frozen=True, kw_only=True):
    """
    A sampler for several processes is made.

        sampler = torch.utils.data.DistributedSampler(load_rows())
    """

    kind: ClassVar[str] = "distributed-sampler"

    shuffle: bool | None
    """The argument; None: not given, or not known."""
    target: str
    """The variable that it is bound to."""
    text: str | UnsetType = UNSET


class VariableWrapper(EventDetails, frozen=True, kw_only=True):
    """
    A tensor is wrapped as no version since torch 0.4 needs it.

        images = torch.autograd.Variable(images)
    """

    kind: ClassVar[str] = "variable"

    wants_grad: bool
    """``requires_grad=True``"""
    volatile: bool
    """``volatile=True``"""
    leaf: bool
    """What is wrapped needs no gradient: a batch, or a new tensor."""


class OldAmpUse(EventDetails, frozen=True, kw_only=True):
    """
    The old name of automatic mixed precision is used or imported.

        scaler = torch.cuda.amp.GradScaler()
    """

    kind: ClassVar[str] = "cuda-amp"

    given: bool
    """It is called with arguments by position."""
    first: str | UnsetType = UNSET


class PrivateImport(EventDetails, frozen=True, kw_only=True):
    """
    A private name of torch is imported.

        from torch.utils.data._utils.collate import default_collate
    """

    kind: ClassVar[str] = "private-import"


class BottleneckImport(EventDetails, frozen=True, kw_only=True):
    """
    A module is imported that torch has removed.

        import torch.utils.bottleneck
    """

    kind: ClassVar[str] = "bottleneck"


class AnomalyDetection(EventDetails, frozen=True, kw_only=True):
    """
    Autograd records and examines what each backward pass computes.

        torch.autograd.set_detect_anomaly(True)
    """

    kind: ClassVar[str] = "anomaly-detection"

    on: bool | None
    """The argument; None: not known."""
