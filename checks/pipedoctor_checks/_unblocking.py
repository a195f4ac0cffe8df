"""Copies to a device that may go on without waiting, and how that is written."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from pipedoctor.edits import Edits, edit, every, insert
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event, LoaderCall

OTHERS = "batches may be no tensors: what makes them has to take non_blocking"
"""Why it is not safe where a function of the project collates."""


def unblocked(events: Iterable[Event]) -> Edits:
    """Let copies not wait; none where a batch is written to after its copy."""
    return every(_unblocked(event) for event in events)


def _unblocked(event: Event) -> Edits:
    call = event.call
    if call is None or event.details.get("written"):
        return ()
    given = call.given.get("non_blocking")
    if given is not None:
        return (edit(event.at, given.value, "True"),)
    unwrapped = replace(call, wrap=call.lead)  # nobody breaks a line in `.to(device)`
    return insert(event.at, unwrapped, "non_blocking=True")


def waiting(events: Iterable[Event]) -> list[Event]:
    """Those copies that wait, as far as the code tells."""
    return [
        event
        for event in events
        if not event.details.get("non_blocking") and not event.details.get("unknown")
    ]


def doubt(source: Source, events: Sequence[Event]) -> str:
    """Why a copy might not take ``non_blocking``; empty: torch itself collates."""
    loops = {source.loops[event.loop] for event in events if event.loop >= 0}
    fed = [source.loaders[n] for loop in loops for n in loop.loaders]
    return "" if all(map(_tensors, fed)) else OTHERS


def _tensors(loader: LoaderCall) -> bool:
    """Is it torch itself who collates? It makes tensors of everything or refuses."""
    size = loader.get("batch_size")
    batched = size.how == "absent" or not (size.known and size.value is None)
    own = loader.name.startswith("torch.utils.data.")
    return own and batched and loader.get("collate_fn").how == "absent"
