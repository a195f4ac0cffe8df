"""
Messages between tune and its processes: one JSON object a line, each a struct here.

    session --TrialRequest--> host (pipe)       session --OUTPUT_REQUEST--> supervisor (socket)
    session <--HostMessage--- host (pipe)       session <--SupervisorMessage-- supervisor
    host <--TrialMeasured | TrialFailed, then EpochEnded--- trial (pipe)

Below each stands an example of its line; fields that have their default are left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from pipedoctor.facts import Contents, Costs, Growth, Setting, Shares, Window
from pipedoctor.textsafe import map_strings

OUTPUT_REQUEST = b"tail\n"
"""Asks the supervisor for `PrintedOutput`."""


class Message(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """A line; ``type`` is the name of its struct."""


class TrialRequest(Message, frozen=True, kw_only=True):
    """
    Measure a setting.

    ``{"type":"TrialRequest","setting":{"num_workers":2,"prefetch_factor":2},
    "seconds":0.5,"limit":2.0,"patience":8.0}``
    """

    setting: Setting
    context: str = ""
    """The start method of workers; empty: fork."""
    seconds: float
    """Of the window."""
    limit: float
    """Seconds for start-up, draining and window together."""
    patience: float
    """Seconds after which the trial is ended."""
    items: bool = False
    """Time single items, too."""
    trace: float = 0.0
    """Seconds for which stages are traced; 0: not at all."""
    more: float = 0.0
    """Seconds that the window may take longer while its rate is not known."""
    ends: bool = True
    """See how an epoch ends."""


@dataclass(frozen=True)
class TrialTask:
    """What a trial gets without any pipe: it is forked, and the target is in memory."""

    source: Any
    """The user's loader or dataset."""
    request: TrialRequest
    step: Callable[[Any], Any]
    """What is done with each batch."""
    threads: int
    """Of torch, as they were before the target was loaded."""
    is_kept: bool = False
    """Is it not the first trial of its process?"""


class TorchMissing(Message, frozen=True, kw_only=True):
    """
    The host cannot import torch.

    ``{"type":"TorchMissing","error":"No module named 'torch'"}``
    """

    error: str


class TargetRefused(Message, frozen=True, kw_only=True):
    """
    The target cannot be used.

    ``{"type":"TargetRefused","reason":"data.py:make: no such name"}``
    """

    reason: str


class TargetLoaded(Message, frozen=True, kw_only=True):
    """
    What the target is, before anything of it is measured.

    ``{"type":"TargetLoaded","setting":{"num_workers":0,"batch_size":16},"samples":1000,
    "start_method":"fork","made_at":["train.py",19],"seconds":1.4}``
    """

    setting: Setting
    is_loader: bool = False
    own_batches: bool = False
    """A sampler of the user decides how large batches are."""
    drop_last: bool = False
    samples: int | None = None
    """Of an epoch; None: nobody can know."""
    torch: str = ""
    python: str = ""
    in_order: bool = True
    """Does this torch know the argument?"""
    start_method: str
    accelerator: bool = False
    made_at: tuple[str, int] | None = None
    """File and line where the DataLoader is made."""
    seconds: float = 0.0
    """That loading took."""


class TrialFailed(Message, frozen=True, kw_only=True):
    """
    The loader failed with this setting, or was ended.

    ``{"type":"TrialFailed","reason":"no answer within 8 s","hung":true}``
    """

    reason: str
    hung: bool = False
    """All that is known is that nothing came in time."""
    empty: bool = False
    """It gave not even a first batch."""
    spent_seconds: float = 0.0


class StageShares(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time of fetching goes, on the wall clock and of the processor."""

    wall: Shares
    cpu: Shares
    fault_seconds: float
    """What a minor fault costs on this machine."""


class TrialMeasured(Message, frozen=True, kw_only=True):
    """
    What a trial has seen.

    ``{"type":"TrialMeasured","contents":{"bytes":9633792,"shared_bytes":9633792,"objects":1},
    "first_batch_seconds":0.3,"started_seconds":0.01,"window":{"seconds":0.5,"cpus":2.0,"own":0.4},"batches":40,"seconds":0.5,
    "wait_seconds":0.01,"step_seconds":0.001,"step_cpu":0.001,"workers_uss":[52428800]}``
    """

    contents: Contents
    first_batch_seconds: float
    started_seconds: float
    window: Window
    batches: int
    """In the window, of which the next five fields are, each per batch."""
    seconds: float
    spread: float | None = None
    wait_seconds: float
    step_seconds: float
    step_cpu: float
    costs: Costs | None = None
    descriptors: int = 0
    workers_uss: tuple[int, ...] = ()
    """Private bytes of each worker."""
    growth: Growth | None = None
    items: tuple[tuple[float, float], ...] = ()
    """Wall and CPU seconds of single items."""
    stages: StageShares | None = None
    copies: bool = False
    """Does each worker give what others give, too?"""
    kernel_seconds: float | None = None
    """For how long kernels run on the GPU for a batch; None: not measured, or no GPU."""
    kept: bool = False
    """Does its process wait for another request, once `EpochEnded` has come?"""
    ending_seconds: float | None = None
    """Of `EpochEnded`; the host fills it in, and the next."""
    spent_seconds: float = 0.0


class EpochEnded(Message, frozen=True, kw_only=True):
    """
    How long workers took to end, after the answer; None: not seen.

    ``{"type":"EpochEnded","seconds":0.05}``
    """

    seconds: float | None = None


class ProcessEnded(Message, frozen=True, kw_only=True):
    """
    The host has ended.

    ``{"type":"ProcessEnded","code":-9,"tail":"Killed"}``
    """

    code: int
    tail: str
    """The last of what it printed."""


class MemoryExceeded(Message, frozen=True, kw_only=True):
    """
    The processes used too much memory and were ended.

    ``{"type":"MemoryExceeded","used":900000000,"most":800000000}``
    """

    used: int
    most: int


class PrintedOutput(Message, frozen=True, kw_only=True):
    """
    The answer to `OUTPUT_REQUEST`.

    ``{"type":"PrintedOutput","tail":"Traceback (most recent call last): ..."}``
    """

    tail: str


class CleanedUp(Message, frozen=True, kw_only=True):
    """
    Everything that the target had started is gone.

    ``{"type":"CleanedUp"}``
    """


TrialAnswer: TypeAlias = TrialMeasured | TrialFailed
HostMessage: TypeAlias = TorchMissing | TargetRefused | TargetLoaded | TrialAnswer
SupervisorMessage: TypeAlias = ProcessEnded | MemoryExceeded | PrintedOutput | CleanedUp


def encode_line(message: Message) -> bytes:
    """A message as it is sent; bytes of a path that are no text are written out."""
    try:
        return msgspec.json.encode(message) + b"\n"
    except UnicodeEncodeError:
        return msgspec.json.encode(map_strings(msgspec.to_builtins(message))) + b"\n"


REQUEST_DECODER = msgspec.json.Decoder(TrialRequest)
TRIAL_DECODER: "msgspec.json.Decoder[TrialAnswer]" = msgspec.json.Decoder(
    TrialMeasured | TrialFailed
)
EPOCH_DECODER = msgspec.json.Decoder(EpochEnded)
HOST_DECODER: "msgspec.json.Decoder[HostMessage]" = msgspec.json.Decoder(
    TorchMissing | TargetRefused | TargetLoaded | TrialMeasured | TrialFailed
)
SUPERVISOR_DECODER: "msgspec.json.Decoder[SupervisorMessage]" = msgspec.json.Decoder(
    ProcessEnded | MemoryExceeded | PrintedOutput | CleanedUp
)
