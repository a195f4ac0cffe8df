"""Items of any kind, kept as they are decoded: how large, where, and what it saves."""

import math
from collections.abc import Iterator

import msgspec

from pipedoctor.check import Confidence, Counterfactual, Finding, Severity
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import Remedy, in_code
from pipedoctor.units import human
from pipedoctor_checks._caching import folder_for
from pipedoctor_checks._staging import GONE, SHM, Places, fits_in_shm


class Items(msgspec.Struct, frozen=True, kw_only=True):
    """What a measured loader gives in an epoch."""

    target: str
    samples: int
    each: int
    """Bytes of one of them, in a batch."""
    flying: int
    """Bytes of the batches in flight."""
    decoding: float
    """Share of the CPU time of fetching."""

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return self.samples * self.each


def items(seen: Pipeline | None, least: float) -> Items | None:
    """None: nothing was measured, no end is known, or hardly anything is decoded."""
    if seen is None or seen.cpu is None or seen.cpu.decode < least:
        return None
    if not seen.samples or not seen.contents.bytes:
        return None
    return Items(
        target=seen.target,
        samples=seen.samples,
        each=math.ceil(seen.contents.bytes / (seen.start.batch_size or 1)),
        flying=seen.start.shm_bytes(seen.contents.shared_bytes),
        decoding=seen.cpu.decode,
    )


def advice(
    known: Items, places: Places, share: float, *, cached: bool
) -> Iterator[Finding]:
    """In /dev/shm where they fit, else on a local disk, else nothing."""
    fits = fits_in_shm(known.size + known.flying, places, share)
    folder = SHM if fits else folder_for(known.size, places)
    if folder is None:
        return
    faster = GONE if fits and not cached else 1.0
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY,
        summary=f"the items of {known.target} could be kept decoded in {folder}:"
        f" {human(known.size)}",
        evidence={
            "target": known.target,
            "samples": known.samples,
            "bytes_of_a_sample": known.each,
            "decoded_bytes": known.size,
            "decoding": round(known.decoding, 3),
        },
        counterfactual=Counterfactual(decode=GONE, storage=faster),
        remedies=(_kept(folder, known.size),),
    )


def _kept(folder: str, size: int) -> Remedy:
    where = f"{folder.rstrip('/')}/items"
    return in_code(
        f"Decode every item once into {human(size)} in {folder}, without what is"
        " random (recipe keep-items-of-any-kind)",
        f"build(dataset, Path({where!r}))\n"
        f"loader = DataLoader(Kept(Path({where!r})), ...)",
    )
