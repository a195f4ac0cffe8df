"""PDR905: do numerical libraries start threads in every worker?"""

from pipedoctor.check import Counterfactual, Findings, check
from pipedoctor.facts import Pipeline, Site
from pipedoctor.remedy import environment, fitting, in_code
from pipedoctor_checks._bottleneck import cause, said

ALONE = Counterfactual(one_thread=True, blas=True)


@check("PDR905", "Workers' libraries fight for the CPUs", after=("PDR723", "PDR309"))
def bottleneck_blas_threads(seen: Pipeline, site: Site | None, /) -> Findings:
    """
    See whether other threads of a worker use CPU beside the one that fetches.

    ## Why it hurts

    Each worker's BLAS starts a thread for every CPU, and these wait for each other by
    spinning: with two workers on two CPUs a matrix product took 2.7 times as long, with
    four 5.6 times. torch limits its own threads in workers, but not numpy's.

    ## How it is judged

    `check --measure TARGET` runs the loader: in a worker that computes, other threads
    use more than a third of the CPU of the one that fetches. Then it runs the loader
    once more with one thread for each library, in turns with the first, and the gain
    is what that saved.

    ## Sources

    - https://github.com/joblib/threadpoolctl
    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://github.com/OpenMathLib/OpenBLAS/blob/develop/README.md
    """
    found = cause(seen, "blas-threads")
    if found is None:
        return
    title = "Give numerical libraries one thread in every process"
    yield said(
        seen,
        found,
        in_code(
            "Give numpy one thread in each worker",
            "import threadpoolctl\n\n\n"
            "def one_thread(worker_id):\n"
            "    threadpoolctl.threadpool_limits(1)\n\n\n"
            "DataLoader(..., worker_init_fn=one_thread)",
        ),
        *fitting(
            site.habitat if site else None,
            *environment(
                title, OPENBLAS_NUM_THREADS=1, MKL_NUM_THREADS=1, OMP_NUM_THREADS=1
            ),
        ),
        counterfactual=ALONE,
    )
