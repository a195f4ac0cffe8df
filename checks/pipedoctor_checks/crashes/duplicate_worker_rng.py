"""PDR944: Workers draw the same random numbers."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR944",
    "Workers draw the same random numbers",
    summary="A random generator created before the fork has the same state in every worker",
    remedies=(
        in_code(
            "Seed NumPy in each worker",
            "def seed_worker(_):\n    np.random.seed(torch.initial_seed() % 2**32)\n\n\n"
            "DataLoader(..., worker_init_fn=seed_worker)",
        ),
        in_code("Alternatively draw from torch, whose generator is seeded per worker"),
    ),
)
def duplicate_worker_rng() -> None:
    """
    Find random numbers that are the same in several workers.

    ## Why it hurts

    Generators created before the fork (`np.random.default_rng()` in `__init__`,
    libraries with their own generators, and before torch 1.9 NumPy's global one) have
    the same state in every worker: augmentations repeat, silently.

    ## How it is judged

    The log shows the same numbers from several workers.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/pytorch/pytorch/issues/5059
    """
