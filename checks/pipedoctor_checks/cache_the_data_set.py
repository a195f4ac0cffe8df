"""PDR717: would it pay to decode the data set once and keep the pixels?"""

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
from pipedoctor.units import human
from pipedoctor_checks._caching import (
    Costs,
    costs,
    decoded_bytes,
    folder_for,
    room_in_memory,
)
from pipedoctor_checks._decoded_once import on_disk, preloaded
from pipedoctor_checks._kept_items import advice, items
from pipedoctor_checks._staging import (
    GONE,
    Places,
    all_in_page_cache,
    in_page_cache,
)

ON_DISK = Counterfactual(decode=GONE)
"""What reads the pixels is taken to be as fast as what read the files."""


@check("PDR717", "The data set is decoded again in every epoch", after=("PDR710",))
def cache_the_data_set(  # noqa: PLR0913, PLR0917  (each fact decides something)
    datasets: DataSets,
    memory: Memory | None,
    paths: Paths | None,
    shm: Shm | None,
    loader: Loader | None,
    decoding: BenchDecode | None,
    reading: BenchDisk | None,
    cpu: Cpu | None,
    seen: Pipeline | None,
    /,
    *,
    side: int = 256,
    share: float = 0.5,
    decoding_share: float = 0.2,
) -> Findings:
    """
    Compare the decoded data set with the memory and the local disks.

    ## Why it hurts

    Every epoch decodes every image again, on the same CPUs that transform them. An
    image that was decoded and resized once is read in microseconds.

    ## How it is judged

    A data set of image files whose pixels, resized to `side` by `side`, fit in `share`
    of the memory left (the ranks share it, batches in flight go off) can be preloaded
    into one tensor. One that only fits on a local solid-state disk can be kept there
    decoded. It is a note: random crops then come from the smaller image, and someone
    must decide that. With `check --measured FILE` of `pipedoctor bench decode` (and of
    `bench disk` for the local disk) the note says what it saves, and nothing is said
    where reading would take longer than decoding; with `check --measure TARGET` it says
    what share of an epoch is saved. Waiting for storage is saved in every epoch only
    where the files do not fit in the page cache anyway. A cache that each worker
    fills for itself is never recommended for shuffled epochs: with 8 workers at most
    every eighth image would come out of it.

    Of other files nobody knows what they hold. With `check --measure TARGET` the items
    of an epoch are reckoned from a batch, whatever they are made of: where decoding
    takes `decoding_share` or more of the CPU time of fetching, they can be kept in
    /dev/shm or on such a disk.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
    - https://arxiv.org/abs/2202.08679
    """
    places = Places(paths, memory, shm, loader)
    known = costs(decoding, reading, cpu)
    doubts: list[str] = []
    found: list[Finding] = []
    for entry in datasets.entries:
        if entry.sample is None or not entry.sample.complete:
            doubts.append(f"{entry.path}: nobody has seen all of its files")
            continue
        if decoded_bytes(entry, side):
            found += _advice(entry, side, places, known, share)
    pictures = any(decoded_bytes(entry, side) for entry in datasets.entries)
    kept = None if pictures else items(seen, decoding_share)
    if kept is not None:
        cached = all_in_page_cache(datasets, places)
        found += advice(kept, places, share, cached=cached)
    if doubts and not found:
        raise CannotJudge("; ".join(doubts))
    yield from found


def _advice(
    entry: DataSet, side: int, places: Places, known: Costs, share: float
) -> Iterator[Finding]:
    """Preload it where it fits, else keep it on a local disk, else say nothing."""
    size = decoded_bytes(entry, side)
    room = places.memory.room if places.memory else 0
    if size <= room_in_memory(places, share):
        waits = 1.0 if in_page_cache(entry, places) else GONE
        saved, change = known.decode, Counterfactual(decode=GONE, storage=waits)
        where = f"in memory: {human(size)}, {human(room)} left"
        remedy = preloaded(size, side, places)
    else:
        folder = folder_for(size, places)
        if folder is None or (known.read and known.decode and known.saved is None):
            return
        saved, change = known.saved or known.decode, ON_DISK
        where = f"on {folder}: {human(size)}"
        remedy = on_disk(folder, size, side)
    worth = f"; saves {1000 * saved.value:.1f} ms of CPU an image" if saved else ""
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY if saved else Confidence.POSSIBLE,
        summary=f"{entry.path} could be kept decoded {where}{worth}",
        evidence={
            "files": entry.sample.files if entry.sample else 0,
            "bytes": entry.sample.bytes if entry.sample else 0,
            "decoded_bytes": size,
            "memory.room": room,
        },
        gain=_gain(saved) if saved else None,
        counterfactual=change,
        remedies=(remedy,),
    )


def _gain(saved: Spread) -> Gain:
    return Gain(
        value=saved.value,
        low=saved.low,
        high=saved.high,
        unit="CPU seconds per image",
        basis="modelled",
    )
