"""Copies to a device that need not block, and how to write them."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from pipedoctor.check.edits import (
    Edits,
    combine_edits,
    insert_arguments,
    make_edit,
)
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import BatchCopy, DeviceCopy
from pipedoctor.facts.source import AnyEvent, Event, LoaderCall

UNSAFE_REASON = "batches may not be tensors: their type must accept non_blocking"
"""Why the edit is unsafe if a function of the project collates batches."""
EXPLICIT_REASON = "non_blocking is set explicitly: the wait may be intended"
"""Why it is unsafe where the copy says itself whether it blocks."""


def make_non_blocking(events: Iterable[Event[BatchCopy]]) -> Edits:
    """Make copies non-blocking; no edits if a batch is modified after its copy."""
    return combine_edits(_edit_copy(event) for event in events)


def _edit_copy(event: Event[BatchCopy]) -> Edits:
    call = event.call
    if call is None or event.details.written or event.details.placed:
        return ()
    given = call.given.get("non_blocking")
    if given is not None:
        return (make_edit(event.at, given.value, "True"),)
    unwrapped = replace(call, wrap=call.lead)  # nobody breaks a line in `.to(device)`
    return insert_arguments(event.at, unwrapped, "non_blocking=True")


def find_blocking_copies(events: Iterable[Event[DeviceCopy]]) -> list[Event[DeviceCopy]]:
    """Copies that block, as far as the code shows."""
    return [
        event for event in events if not event.details.non_blocking and not event.details.unknown
    ]


def explain_unsafe_copy(source: Source, events: Sequence[AnyEvent]) -> str:
    """Why a copy might not take ``non_blocking``, or should not; empty: nothing is against it."""
    if any(event.call and "non_blocking" in event.call.given for event in events):
        return EXPLICIT_REASON
    loops = {source.loops[event.loop] for event in events if event.loop >= 0}
    fed = [source.loaders[n] for loop in loops for n in loop.loaders]
    return "" if all(map(_yields_tensors, fed)) else UNSAFE_REASON


def _yields_tensors(loader: LoaderCall) -> bool:
    """Does torch itself collate? Then it creates tensors from everything or fails."""
    size = loader.get("batch_size")
    batched = size.how == "absent" or not (size.is_known and size.value is None)
    own = loader.name.startswith("torch.utils.data.")
    return own and batched and loader.get("collate_fn").how == "absent"
