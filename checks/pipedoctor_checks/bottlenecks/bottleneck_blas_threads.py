"""PDR905: do numerical libraries start threads in every worker?"""

from pipedoctor.check import (
    Counterfactual,
    Findings,
    check,
    environment,
    in_code,
    select_remedies,
)
from pipedoctor.facts import Pipeline, Site
from pipedoctor_checks.bottlenecks._bottleneck_finding import (
    match_bottleneck,
    report_bottleneck,
)

ONE_BLAS_THREAD = Counterfactual(one_thread=True, blas=True)


@check("PDR905", "Library threads in the workers compete for CPUs", after=("PDR723", "PDR309"))
def bottleneck_blas_threads(pipeline: Pipeline, site: Site | None, /) -> Findings:
    """
    See whether other threads of a worker use CPU time besides the one that fetches.

    ## Why it hurts

    Each worker's BLAS starts a thread for every CPU, and these busy-wait for each
    other: with two workers on two CPUs a matrix product took 2.7 times as long, with
    four 5.6 times. torch limits its own threads in workers, but not numpy's.

    ## How it is judged

    `check --measure TARGET` runs the loader: in a worker that computes, other threads
    use more than a third of the CPU time of the one that fetches. It then runs the
    loader again with one thread for each library, alternating with the first setting;
    the gain is what that saved.

    ## Sources

    - https://github.com/joblib/threadpoolctl
    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://github.com/OpenMathLib/OpenBLAS/blob/develop/README.md
    """
    found = match_bottleneck(pipeline, "blas-threads")
    if found is None:
        return
    title = "Limit numerical libraries to one thread in every process"
    yield report_bottleneck(
        pipeline,
        found,
        in_code(
            "Limit numpy to one thread in each worker",
            "import threadpoolctl  # python -m pip install threadpoolctl\n\n\n"
            "def one_thread(worker_id):\n"
            "    threadpoolctl.threadpool_limits(1)\n\n\n"
            "DataLoader(..., worker_init_fn=one_thread)",
        ),
        *select_remedies(
            site.launcher if site else None,
            *environment(title, OPENBLAS_NUM_THREADS=1, MKL_NUM_THREADS=1, OMP_NUM_THREADS=1),
        ),
        counterfactual=ONE_BLAS_THREAD,
    )
