"""PDR911: do samples pay for memory that is given back after each of them?"""

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
from pipedoctor.facts import BenchDecode, Cpu, Pipeline, Site
from pipedoctor.facts.bench_decode import keeping
from pipedoctor.measured import elsewhere
from pipedoctor.remedy import Remedy, environment, fitting
from pipedoctor_checks._bottleneck import cause, said

KEEPING = (
    "PILLOW_BLOCKS_MAX=64 MALLOC_MMAP_THRESHOLD_=33554432"
    " MALLOC_TRIM_THRESHOLD_=1073741824"
)
"""glibc takes no larger threshold for mmap."""
TITLE = "Let workers keep the memory of an item for the next one"
FAULTLESS = Counterfactual(faultless=True)
NOTHING = "neither `bench decode` nor a pipeline was measured"


@check("PDR911", "Memory is given back and fetched again for every image")
def bottleneck_allocator_faults(
    measured: BenchDecode | None,
    cpu: Cpu | None,
    site: Site | None,
    seen: Pipeline | None = None,
    /,
    *,
    faster: float = 1.15,
    faults: float = 100.0,
) -> Findings:
    """
    Compare decoding with and without an allocator that keeps freed memory.

    ## Why it hurts

    A decoded image takes megabytes. An allocator that gives them back to the kernel
    when the image is freed gets them again page by page, each with a fault that clears
    4 KiB: 4000 faults for a photograph of 1920 by 1080, which can take as long as
    decoding it. Whether that happens depends on sizes and on what else was allocated,
    so the same code runs at full speed in one process and at half of it in another.

    ## How it is judged

    `pipedoctor bench decode` measures both in fresh processes (`check --measured
    FILE`). It is said when a way has more than `faults` page faults an image and is
    more than `faster` times as fast with the variables set, by the lower end of the
    interval. `check --measure TARGET` counts the faults of the whole loader: they take
    30 % of the CPU time of fetching, or more. The kept memory stays with each worker:
    about one decoded image.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/reference/block_allocator.html
    - https://man7.org/linux/man-pages/man3/mallopt.3.html
    """
    strange = seen.blank if seen is not None else ""
    if measured is None and (seen is None or strange):
        raise CannotJudge(strange or NOTHING)
    found = cause(seen, "allocator-faults") if seen and not strange else None
    if seen is not None and found is not None:
        cures = _kept(site, _variables(measured))
        yield said(seen, found, *cures, counterfactual=FAULTLESS)
    elif measured is not None:
        yield from _decoding(measured, cpu, site, faster, faults)


def _variables(measured: BenchDecode | None) -> str:
    """Those that were measured to help, else those of the C library."""
    path = keeping(measured) if measured is not None else None
    return path.allocator if path is not None else KEEPING


def _kept(site: Site | None, variables: str) -> tuple[Remedy, ...]:
    pairs = dict(pair.split("=", 1) for pair in variables.split())
    return fitting(site.habitat if site else None, *environment(TITLE, **pairs))


def _decoding(
    measured: BenchDecode,
    cpu: Cpu | None,
    site: Site | None,
    faster: float,
    faults: float,
) -> Iterator[Finding]:
    strange = elsewhere(measured.host, cpu)
    if strange:
        raise CannotJudge(strange)
    if not any(path.rate for path in measured.paths):
        message = "no way to decode was measured"
        raise CannotJudge(message)
    path = keeping(measured)
    plain = path and measured.find(path.name, path.task)
    if path is None or plain is None or path.kept is None:
        return
    if path.kept.low <= faster or (plain.faults or 0.0) <= faults:
        return
    yield Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.LIKELY,
        summary=f"{path.name} is {path.kept.value:.2f} times as fast with memory kept:"
        f" {plain.faults:.0f} page faults an image otherwise",
        evidence={
            "task": path.task,
            "faults": plain.faults,
            "faults_kept": path.faults,
            "ratio": [path.kept.low, path.kept.value, path.kept.high],
            "measured": measured.host.created,
        },
        gain=Gain.faster(path.kept, "fraction of the CPU time of decoding"),
        counterfactual=FAULTLESS,
        remedies=_kept(site, path.allocator),
    )
