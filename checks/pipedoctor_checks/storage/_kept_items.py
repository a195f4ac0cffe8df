"""Items of any kind, stored decoded: their size, location and savings."""

import math
from collections.abc import Iterator

import msgspec

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Remedy,
    Severity,
    in_code,
)
from pipedoctor.facts import Pipeline
from pipedoctor.units import format_size
from pipedoctor_checks._shared.storage_capacity import StorageContext, fits_in_shm
from pipedoctor_checks.storage._cache_plan import find_cache_folder
from pipedoctor_checks.storage._staging import ELIMINATED_SPEEDUP, SHM


class DecodedItems(msgspec.Struct, frozen=True, kw_only=True):
    """The items that a measured loader yields in an epoch."""

    target: str
    samples: int
    item_bytes: int
    """Bytes of one item, in a batch."""
    bytes_in_flight: int
    """Bytes of the batches in flight."""
    decode_share: float
    """Share of the CPU time of fetching."""

    @property
    def total_bytes(self) -> int:
        """Bytes of all of them."""
        return self.samples * self.item_bytes


def measure_items(pipeline: Pipeline | None, least: float) -> DecodedItems | None:
    """Describe a measured loader's items; None: unmeasured, endless, or no decoding."""
    if pipeline is None or pipeline.cpu is None or pipeline.cpu.decode < least:
        return None
    if not pipeline.samples or not pipeline.contents.bytes:
        return None
    return DecodedItems(
        target=pipeline.target,
        samples=pipeline.samples,
        item_bytes=math.ceil(pipeline.contents.bytes / (pipeline.start.batch_size or 1)),
        bytes_in_flight=pipeline.start.compute_shm_bytes(pipeline.contents.shared_bytes),
        decode_share=pipeline.cpu.decode,
    )


def advise_item_cache(
    items: DecodedItems, places: StorageContext, share: float, *, cached: bool
) -> Iterator[Finding]:
    """Advise keeping decoded items in /dev/shm, else on a local disk, else nothing."""
    fits = fits_in_shm(items.total_bytes + items.bytes_in_flight, places, share)
    folder = SHM if fits else find_cache_folder(items.total_bytes, places)
    if folder is None:
        return
    faster = ELIMINATED_SPEEDUP if fits and not cached else 1.0
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY,
        summary=f"the items of {items.target} could be stored decoded in {folder}:"
        f" {format_size(items.total_bytes)}",
        evidence={
            "target": items.target,
            "samples": items.samples,
            "bytes_of_a_sample": items.item_bytes,
            "decoded_bytes": items.total_bytes,
            "decoding": round(items.decode_share, 3),
        },
        counterfactual=Counterfactual(decode=ELIMINATED_SPEEDUP, storage=faster),
        remedies=(_keep_items(folder, items.total_bytes),),
    )


def _keep_items(folder: str, size: int) -> Remedy:
    where = f"{folder.rstrip('/')}/items"
    return in_code(
        f"Decode every item once into {format_size(size)} in {folder}, without random"
        " transforms (recipe keep-items-of-any-kind)",
        f"build(dataset, Path({where!r}))\nloader = DataLoader(Kept(Path({where!r})), ...)",
    )
