"""Restart the job so that it gets its GPUs."""

from pipedoctor.check import (
    Remedy,
    docker_run,
    kubernetes,
    select_remedies,
    slurm,
)
from pipedoctor.facts import Site


def request_gpus(
    site: Site | None, *more: Remedy, flags: tuple[str, ...] = ()
) -> tuple[Remedy, ...]:
    """How a container, a pod or a batch job asks for GPUs; `more` come first."""
    return select_remedies(
        site.launcher if site else None,
        *more,
        docker_run("Start the container with its GPUs", "--gpus", "all", *flags),
        kubernetes(
            "Request a GPU for the pod",
            {"resources": {"limits": {"nvidia.com/gpu": 1}}},
        ),
        slurm("Request a GPU for the job", "--gres=gpu:1"),
    )
