"""Sizes of /dev/shm, and jobs."""

from typing import Any

from pipedoctor.check import Finding
from pipedoctor.facts import Loader, Memory, Shm, Site
from pipedoctor.units import GiB, MiB
from pipedoctor_checks.limits.shm_too_small import shm_too_small

DOCKER = Shm(size=64 * MiB)

HOST = Shm(size=64 * MiB, remountable=True)

IMAGENET = Loader(num_workers=8, prefetch_factor=2, batch_bytes=128 * MiB)  # 2.25 GiB

BARE = Site(system="linux")

IN_DOCKER = Site(system="linux", container="docker")

ROOMY = Memory(total=256 * GiB, available=256 * GiB)


def judge(
    shm: Shm,
    loader: Loader | None = None,
    memory: Memory | None = None,
    site: Site | None = BARE,
    **settings: Any,
) -> list[Finding]:
    return shm_too_small(shm, loader, memory, site, **settings)
