"""PDR944: Workers draw the same random numbers."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        "Seed NumPy in each worker: DataLoader(..., worker_init_fn=worker_init_fn)",
        ("def worker_init_fn(_):\n    np.random.seed(torch.initial_seed() % 2**32)"),
    ),
    in_code("Or draw from torch, whose generator is seeded per worker"),
)


@check("PDR944", "Workers draw the same random numbers")
def duplicate_worker_rng(log: Log, site: Site | None, /) -> Findings:
    """
    Find random numbers that repeat from worker to worker.

    ## Why it hurts

    Generators that were made before the fork (`np.random.default_rng()` in
    `__init__`, libraries with generators of their own, and before torch 1.9 NumPy's
    global one) have the same state in every worker: augmentation repeats, silently.

    ## How it is judged

    The log shows the same numbers from several workers.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/pytorch/pytorch/issues/5059
    """
    yield from told(
        log,
        site,
        "duplicate_worker_rng",
        (
            "A random generator that was made before the fork has the same state "
            "in every worker"
        ),
        *_REMEDIES,
    )
