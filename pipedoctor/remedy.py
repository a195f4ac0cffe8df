"""Remedies, where packs of checks written for version 0.1 import them from."""

from pipedoctor.check.remedy import (
    Edit,
    Lasts,
    Place,
    Put,
    Remedy,
    compose,
    docker_run,
    environment,
    grant_cpus,
    grant_memory,
    in_code,
    kubernetes,
    select_remedies,
    shell,
    slurm,
    unit_property,
)

fitting = select_remedies
"""Its name in version 0.1."""

__all__ = [
    "Edit",
    "Lasts",
    "Place",
    "Put",
    "Remedy",
    "compose",
    "docker_run",
    "environment",
    "fitting",
    "grant_cpus",
    "grant_memory",
    "in_code",
    "kubernetes",
    "select_remedies",
    "shell",
    "slurm",
    "unit_property",
]
