"""PDR102: is the number of workers fixed at a high value?"""

from pipedoctor.check import Counterfactual, Findings, Severity, check
from pipedoctor.edits import Edits, arguments, needing
from pipedoctor.facts import Pipeline, Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called
from pipedoctor_checks._measured import best_for


@check("PDR102", "A fixed number of workers, whatever the machine", after=("PDR722",))
def num_workers_hardcoded(
    source: Source, seen: Pipeline | None = None, /, *, many_workers: int = 8
) -> Findings:
    """
    Look for a number of workers that does not depend on what the job was given.

    ## Why it hurts

    A constant that suits one machine starves or floods another, and each rank of a
    job starts as many. `os.cpu_count()` knows neither affinity nor the quota of a
    container.

    ## How it is judged

    The constant is 8 or more, or the count is made of that of the whole machine's CPUs
    (`os.cpu_count() // 2`; not `os.process_cpu_count`, which heeds affinity). What
    is too much for this very machine is said by PDR722, under which this stands. The
    number that `check --measure TARGET` found to be the best here is left alone.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    - https://docs.python.org/3/library/os.html#os.sched_getaffinity
    """
    yield from alike(source, _found(source, seen, many_workers))


def _found(source: Source, seen: Pipeline | None, many_workers: int) -> Findings:
    for loader in source.loaders:
        workers = loader.get("num_workers")
        fixed = workers.how == "literal" and isinstance(workers.value, int)
        high = fixed and int(workers.value or 0) >= many_workers
        best = best_for(seen, source, loader)
        proved = fixed and best is not None and best.num_workers == workers.value
        whole = workers.form == "cpu count" and workers.name != "os.process_cpu_count"
        if loader.testing or proved or not (high or whole):
            continue
        yield at(
            [workers.at or loader.at],
            Severity.NOTE,
            f"{called(loader)} always has {workers.text} workers, whatever it may use",
            in_code(
                "Derive it from the CPUs that this process may use",
                "num_workers=min(8, len(os.sched_getaffinity(0)) // ranks)",
                edits=_derived(loader) if high or fixed or _direct(loader) else (),
                unsafe="only Linux has os.sched_getaffinity; ranks share these CPUs",
            ),
            counterfactual=Counterfactual(tuned=True),
            num_workers=workers.text,
        )


def _direct(loader: LoaderCall) -> bool:
    """Is the number of CPUs asked for in the call itself?"""
    return loader.get("num_workers").text.endswith("cpu_count()")


def _derived(loader: LoaderCall) -> Edits:
    workers = loader.get("num_workers")
    call = loader.call
    if call is None or "os" not in call.modules:
        return ()
    mine = f"len({call.modules['os']}.sched_getaffinity(0))"
    known = isinstance(workers.value, int)
    given = f"min({workers.value}, {mine})" if known else mine
    return needing(loader, arguments(loader, num_workers=given), "os")
