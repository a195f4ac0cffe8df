"""Typed details of events of code: what detectors record, and what checks read."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from pipedoctor.facts.base import UnreadableError

Scalar = bool | int | float | str | None
LOADER_KEY, LOOP_KEY = "loader", "in_loop"
"""Fields that are indices into `Source.loaders` and `Source.loops`."""
_ABSENT_VALUES: Mapping[Any, Scalar] = {bool: False, int: -1, str: ""}


class UnreadableEventError(UnreadableError):
    """The recorded details of an event are not what its kind has."""


class RecordedDetails(msgspec.Struct, frozen=True, kw_only=True):
    """
    What a detector records of an event.

    Its fields are the keys of `details` in JSON, in their order; UNSET leaves one out.
    A class that does not derive from `EventDetails` is a narrower form of the class of
    the same kind: another detector knows less.
    """

    kind: ClassVar[str] = ""

    def to_record(self) -> dict[str, Scalar]:
        """Return them by name, as they are written."""
        record: dict[str, Scalar] = msgspec.to_builtins(self)
        return record


class EventDetails(RecordedDetails, frozen=True, kw_only=True):
    """
    What a check reads of an event: one class a kind.

    A field without a default is recorded with every event of its kind. One that is UNSET
    by default is recorded by some detectors only, or by a rewrite (`RewriteDetails`).
    """


class RewriteDetails(RecordedDetails, frozen=True, kw_only=True):
    """What measuring a rewrite adds; the classes of the kinds declare the same fields."""

    written: bool | UnsetType = UNSET
    """Copies: the tensor is modified in place somewhere in the function."""
    device: str | UnsetType = UNSET
    """`CreatedThenMoved`: the device, as code."""
    draws: bool | UnsetType = UNSET
    """`CreatedThenMoved`: it holds random numbers."""
    text: str | UnsetType = UNSET
    """`SamplerConstruction`: the call of ``set_epoch`` to insert."""
    local: str | UnsetType = UNSET
    """`BgrImage`: how the file names OpenCV."""
    torch: str | UnsetType = UNSET
    """`WorkerSeed`: how the file names torch."""
    first: str | UnsetType = UNSET
    """`OldAmpUse`: the new first argument, with its comma."""
    lines: str | UnsetType = UNSET
    """`FileOpening`, `WorkerStart`: lines to indent: ``3-9,12-14``."""
    unit: str | UnsetType = UNSET
    """`FileOpening`, `WorkerStart`: by what to indent them."""


D = TypeVar("D", bound=EventDetails)


def read_details(kind: type[D], record: Mapping[str, Scalar]) -> D:
    """
    Read the details of an event of this kind; raise UnreadableEventError.

    Keys that this version does not know are left out. What an older version did not
    record reads as False, empty or -1.
    """
    try:
        return msgspec.convert(record, kind)
    except msgspec.ValidationError:
        complete = {**_absent_values(kind), **record}
    try:
        return msgspec.convert(complete, kind)
    except msgspec.ValidationError as error:
        message = f"source: event {kind.kind}: {error}"
        raise UnreadableEventError(message) from None


def _absent_values(kind: type[EventDetails]) -> dict[str, Scalar]:
    fields = msgspec.structs.fields(kind)
    return {one.name: _ABSENT_VALUES.get(one.type) for one in fields if one.required}
