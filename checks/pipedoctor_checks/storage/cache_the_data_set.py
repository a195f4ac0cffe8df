"""PDR717: would it pay to decode the dataset once and keep the pixels?"""

from collections.abc import Iterator

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Counterfactual,
    Finding,
    Findings,
    Gain,
    Severity,
    check,
)
from pipedoctor.facts import (
    BenchDecode,
    BenchDisk,
    Cpu,
    DataSet,
    DataSets,
    Loader,
    Memory,
    Paths,
    Pipeline,
    Shm,
    Spread,
)
from pipedoctor.units import format_size
from pipedoctor_checks._shared.storage_capacity import (
    StorageContext,
    all_fit_in_page_cache,
    fits_in_page_cache,
)
from pipedoctor_checks.storage._cache_plan import (
    ImageCosts,
    decoded_bytes,
    find_cache_folder,
    measured_costs,
    memory_for_cache,
)
from pipedoctor_checks.storage._decoded_cache import cache_on_disk, preload_to_memory
from pipedoctor_checks.storage._kept_items import advise_item_cache, measure_items
from pipedoctor_checks.storage._staging import ELIMINATED_SPEEDUP

DISK_CACHE = Counterfactual(decode=ELIMINATED_SPEEDUP)
"""Reading the pixels is assumed to be as fast as reading the files."""


@check("PDR717", "The dataset is decoded again in every epoch", after=("PDR710",))
def cache_the_data_set(  # noqa: PLR0913, PLR0917  (each fact decides something)
    datasets: DataSets,
    memory: Memory | None,
    paths: Paths | None,
    shm: Shm | None,
    loader: Loader | None,
    decoding: BenchDecode | None,
    reading: BenchDisk | None,
    cpu: Cpu | None,
    pipeline: Pipeline | None,
    /,
    *,
    side: int = 256,
    share: float = 0.5,
    decoding_share: float = 0.2,
) -> Findings:
    """
    Compare the decoded dataset with the memory and the local disks.

    ## Why it hurts

    Every epoch decodes every image again, on the same CPUs that transform them. An
    image that was decoded and resized once is read in microseconds.

    ## How it is judged

    A dataset of image files whose pixels, resized to `side` by `side`, fit in `share`
    of the available memory (shared by the ranks, minus the batches in flight) can be
    preloaded into one tensor. One that only fits on a local solid-state disk can be
    stored there decoded. It is a note, because random crops then come from the smaller
    image, and that is for the user to decide. With `check --measured FILE` of
    `pipedoctor bench decode` (and of `bench disk` for the local disk) the note states
    what it saves, and nothing is reported if reading would take longer than decoding;
    with `check --measure TARGET` it states what share of an epoch is saved. Waiting for
    storage is saved in every epoch only if the files do not fit in the page cache
    anyway. A cache that each worker fills separately is never recommended for shuffled
    epochs: with 8 workers at most every eighth image would come from it.

    The contents of other files are unknown. With `check --measure TARGET` the items of
    an epoch are estimated from a batch, whatever they contain: if decoding takes
    `decoding_share` or more of the CPU time of fetching, they can be stored in /dev/shm
    or on such a disk.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
    - https://arxiv.org/abs/2202.08679
    """
    places = StorageContext(paths, memory, shm, loader)
    known = measured_costs(decoding, reading, cpu)
    doubts: list[str] = []
    found: list[Finding] = []
    for entry in datasets.entries:
        if entry.sample is None or not entry.sample.complete:
            doubts.append(f"{entry.path}: not all of its files were listed")
            continue
        if decoded_bytes(entry, side):
            found += _advise_cache(entry, side, places, known, share)
    pictures = any(decoded_bytes(entry, side) for entry in datasets.entries)
    kept = None if pictures else measure_items(pipeline, decoding_share)
    if kept is not None:
        cached = all_fit_in_page_cache(datasets, places)
        found += advise_item_cache(kept, places, share, cached=cached)
    if doubts and not found:
        raise CannotJudge("; ".join(doubts))
    yield from found


def _advise_cache(
    entry: DataSet, side: int, places: StorageContext, costs: ImageCosts, share: float
) -> Iterator[Finding]:
    """Preload it if it fits, else store it on a local disk, else report nothing."""
    size = decoded_bytes(entry, side)
    room = places.memory.usable_bytes if places.memory else 0
    if size <= memory_for_cache(places, share):
        waits = 1.0 if fits_in_page_cache(entry, places) else ELIMINATED_SPEEDUP
        saved, change = costs.decode, Counterfactual(decode=ELIMINATED_SPEEDUP, storage=waits)
        where = f"in memory: {format_size(size)}, {format_size(room)} available"
        remedy = preload_to_memory(size, side, places)
    else:
        folder = find_cache_folder(size, places)
        if folder is None or (costs.read and costs.decode and costs.saving is None):
            return
        saved, change = costs.saving or costs.decode, DISK_CACHE
        where = f"on {folder}: {format_size(size)}"
        remedy = cache_on_disk(folder, size, side)
    worth = f"; saves {1000 * saved.value:.1f} ms of CPU time per image" if saved else ""
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY if saved else Confidence.POSSIBLE,
        summary=f"{entry.path} could be stored decoded {where}{worth}",
        evidence={
            "files": entry.sample.files if entry.sample else 0,
            "bytes": entry.sample.bytes if entry.sample else 0,
            "decoded_bytes": size,
            "memory.room": room,
        },
        gain=_estimate_gain(saved) if saved else None,
        counterfactual=change,
        remedies=(remedy,),
    )


def _estimate_gain(seconds: Spread) -> Gain:
    return Gain(
        value=seconds.value,
        low=seconds.low,
        high=seconds.high,
        unit="CPU seconds per image",
        basis="modelled",
    )
