"""PDR911: do samples pay for memory that is given back after each of them?"""

from collections.abc import Iterator

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Counterfactual,
    Finding,
    Findings,
    Gain,
    NotApplicable,
    Remedy,
    Severity,
    check,
    environment,
    select_remedies,
)
from pipedoctor.engine.measurements import describe_other_machine
from pipedoctor.facts import BenchDecode, Cpu, Pipeline, Site
from pipedoctor.facts.bench_decode import find_best_allocator
from pipedoctor_checks.bottlenecks._bottleneck_finding import (
    match_bottleneck,
    report_bottleneck,
)

LIBC_VARIABLES = (
    "PILLOW_BLOCKS_MAX=64 MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=1073741824"
)
"""glibc accepts no larger threshold for mmap."""
REMEDY_TITLE = "Keep freed memory in the workers for the next item"
WITHOUT_FAULTS = Counterfactual(faultless=True)
NOT_MEASURED = "neither `bench decode` nor a pipeline was measured"


@check("PDR911", "Memory is returned and allocated again for every image")
def bottleneck_allocator_faults(
    benchmark: BenchDecode | None,
    cpu: Cpu | None,
    site: Site | None,
    pipeline: Pipeline | None = None,
    /,
    *,
    faster: float = 1.15,
    faults: float = 100.0,
) -> Findings:
    """
    Compare decoding with and without an allocator that keeps freed memory.

    ## Why it hurts

    A decoded image takes megabytes. An allocator that returns them to the kernel when
    the image is freed gets them back page by page, each with a page fault that clears 4
    KiB: 4000 faults for a photograph of 1920 by 1080, which can take as long as
    decoding it. Whether that happens depends on sizes and on other allocations, so the
    same code can run at full speed in one process and at half speed in another.

    ## How it is judged

    `pipedoctor bench decode` measures both in fresh processes (`check --measured
    FILE`). A decoder is reported if it has more than `faults` page faults per image and
    is more than `faster` times as fast with the variables set, at the lower end of the
    interval. `check --measure TARGET` counts the faults of the whole loader: it is
    reported if they take 30 % of the CPU time of fetching, or more. The kept memory
    stays with each worker: about one decoded image.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/reference/block_allocator.html
    - https://man7.org/linux/man-pages/man3/mallopt.3.html
    """
    strange = pipeline.unusable_reason if pipeline is not None else ""
    if benchmark is None and (pipeline is None or strange):
        raise CannotJudge(strange) if strange else NotApplicable(NOT_MEASURED)
    found = match_bottleneck(pipeline, "allocator-faults") if pipeline and not strange else None
    if pipeline is not None and found is not None:
        remedies = _advise_variables(site, _choose_variables(benchmark))
        yield report_bottleneck(pipeline, found, *remedies, counterfactual=WITHOUT_FAULTS)
    elif benchmark is not None:
        yield from _judge_decoding(benchmark, cpu, site, faster, faults)


def _choose_variables(benchmark: BenchDecode | None) -> str:
    """The variables that measured faster, else those of the C library."""
    path = find_best_allocator(benchmark) if benchmark is not None else None
    return path.allocator if path is not None else LIBC_VARIABLES


def _advise_variables(site: Site | None, variables: str) -> tuple[Remedy, ...]:
    pairs = dict(pair.split("=", 1) for pair in variables.split())
    return select_remedies(site.launcher if site else None, *environment(REMEDY_TITLE, **pairs))


def _judge_decoding(
    benchmark: BenchDecode,
    cpu: Cpu | None,
    site: Site | None,
    faster: float,
    faults: float,
) -> Iterator[Finding]:
    strange = describe_other_machine(benchmark.host, cpu)
    if strange:
        raise CannotJudge(strange)
    if not any(path.rate for path in benchmark.paths):
        message = "no decoder was measured"
        raise CannotJudge(message)
    path = find_best_allocator(benchmark)
    plain = path and benchmark.find(path.name, path.task)
    if path is None or plain is None or path.kept is None:
        return
    if path.kept.low <= faster or (plain.faults or 0.0) <= faults:
        return
    yield Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.LIKELY,
        summary=f"{path.name} is {path.kept.value:.2f} times as fast if memory is kept:"
        f" {plain.faults:.0f} page faults per image otherwise",
        evidence={
            "task": path.task,
            "faults": plain.faults,
            "faults_kept": path.faults,
            "ratio": [path.kept.low, path.kept.value, path.kept.high],
            "measured": benchmark.host.created,
        },
        gain=Gain.from_speedup(path.kept, "fraction of the CPU time of decoding"),
        counterfactual=WITHOUT_FAULTS,
        remedies=_advise_variables(site, path.allocator),
    )
