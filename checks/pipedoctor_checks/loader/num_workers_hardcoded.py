"""PDR102: is the number of workers fixed at a high value?"""

from pipedoctor.check import Counterfactual, Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, add_imports, edit_arguments
from pipedoctor.facts import Pipeline, Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import argument_places, is_only_looked_at, loader_name
from pipedoctor_checks._shared.merge_per_file import merge_per_file
from pipedoctor_checks.loader._measured_workers import find_best_setting


@check(
    "PDR102",
    "Fixed number of workers on every machine",
    after=("PDR722",),
    fix="code",
    subject="loader",
    merges=True,
)
def num_workers_hardcoded(
    source: Source, pipeline: Pipeline | None = None, /, *, many_workers: int = 8
) -> Findings:
    """
    Look for a number of workers that does not depend on the CPUs available to the job.

    ## Why it hurts

    A constant that suits one machine is too low or too high on another, and each rank
    of a job starts that many. `os.cpu_count()` ignores CPU affinity and the CPU quota
    of a container.

    ## How it is judged

    The constant is 8 or more, or the number is computed from the CPUs of the whole machine
    (`os.cpu_count() // 2`; not `os.process_cpu_count`, which respects affinity). PDR722 reports
    a number that is too high for this machine; this finding is then grouped under it. The
    number that `check --measure TARGET` measured to be best here is not reported, nor is a
    dataset that is only tried out under the main guard of its own file, nor a file that only
    evaluates, once.

    ## Bad example

    ```python
    loader = DataLoader(dataset, batch_size=64, num_workers=32)
    ```

    ## Good example

    ```python
    loader = DataLoader(dataset, batch_size=64, num_workers=args.workers)
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    - https://docs.python.org/3/library/os.html#os.sched_getaffinity
    """
    yield from merge_per_file(source, _judge_loaders(source, pipeline, many_workers))


def _judge_loaders(source: Source, pipeline: Pipeline | None, many_workers: int) -> Findings:
    wanted = [x for x in source.loaders if _is_fixed(source, x, pipeline, many_workers)]
    for loader in wanted:
        workers = loader.get("num_workers")
        fixed = workers.how == "literal" and isinstance(workers.value, int)
        yield make_code_finding(
            argument_places(loader, workers),
            Severity.NOTE,
            f"{loader_name(loader)} always has {workers.text} workers, regardless of the"
            " available CPUs",
            in_code(
                "Derive the number from the CPUs available to this process",
                "import os\n\nDataLoader(..., num_workers=min(8, len(os.sched_getaffinity(0))))",
                edits=_derive_workers(loader) if fixed or _calls_cpu_count(loader) else (),
                unsafe="os.sched_getaffinity exists only on Linux; ranks share these CPUs",
            ),
            counterfactual=Counterfactual(tuned=True),
            num_workers=workers.text,
        )


def _is_fixed(
    source: Source, loader: LoaderCall, pipeline: Pipeline | None, many_workers: int
) -> bool:
    """Is the number high, or that of the whole machine, and not measured to be best?"""
    workers = loader.get("num_workers")
    fixed = workers.how == "literal" and isinstance(workers.value, int)
    high = fixed and int(workers.value or 0) >= many_workers
    best = find_best_setting(pipeline, source, loader)
    proved = fixed and best is not None and best.num_workers == workers.value
    whole = workers.form == "cpu count" and workers.name.endswith(".cpu_count")
    tried = loader.testing or is_only_looked_at(source, loader)
    return (high or whole) and not (tried or proved)


def _calls_cpu_count(loader: LoaderCall) -> bool:
    """Does the call itself ask for the number of CPUs?"""
    return loader.get("num_workers").text.endswith("cpu_count()")


def _derive_workers(loader: LoaderCall) -> Edits:
    workers = loader.get("num_workers")
    call = loader.call
    if call is None or "os" not in call.modules:
        return ()
    mine = f"len({call.modules['os']}.sched_getaffinity(0))"
    known = isinstance(workers.value, int)
    given = f"min({workers.value}, {mine})" if known else mine
    return add_imports(loader, edit_arguments(loader, num_workers=given), "os")
