"""Limits and jobs for the tests of descriptors."""

from typing import Any

from pipedoctor.check import Finding
from pipedoctor.facts import Limits, Loader, Rlimit, Site
from pipedoctor_checks.limits.fd_limit_exhausted import fd_limit_exhausted

BARE = Site(system="linux")

ROOMY = 1 << 20


def shell(soft: int | None, hard: int | None = ROOMY) -> Limits:
    return Limits(nofile=Rlimit(soft=soft, hard=hard), nr_open=ROOMY)


def running(soft: int, open_files: int, hard: int | None = ROOMY) -> Limits:
    limit = Rlimit(soft=soft, hard=hard)
    return Limits(nofile=limit, pid=4711, open_files=open_files, nr_open=ROOMY)


def system(in_use: int | None, most: int | None) -> Limits:
    roomy = Rlimit(soft=ROOMY, hard=ROOMY)
    return Limits(nofile=roomy, files_in_use=in_use, file_max=most)


def job(workers: int, **known: Any) -> Loader:
    return Loader(num_workers=workers, **known)


def only(limits: Limits, loader: Loader | None = None, site: Site | None = BARE) -> Finding:
    (finding,) = fd_limit_exhausted(limits, loader, site, None)
    return finding
