"""Which published torch this driver, these cards and this Python can have."""

from collections.abc import Iterator

import msgspec

from pipedoctor.facts.world_torch import CudaDrivers, Release, TorchBuilds, Wheel
from pipedoctor.versions import numbers, reaches, series
from pipedoctor_checks._gpu_code import covers


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """What a wheel must fit; empty = not known, and then it does not decide."""

    driver: str = ""
    windows: bool = False
    capabilities: tuple[str, ...] = ()
    python: str = ""
    glibc: str = ""
    machine: str = ""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A wheel: torch's version and the tag of its index."""

    torch: str
    tag: str

    @property
    def index(self) -> str:
        """Where pip finds it."""
        return f"https://download.pytorch.org/whl/{self.tag}"


def best_tag(
    builds: TorchBuilds, drivers: CudaDrivers, host: Host, *, keep: str = ""
) -> Choice | str:
    """
    The newest published wheel that fits, or in words why there is none.

    `keep` is a torch version whose own release is tried first. Rows that are not
    confirmed are never chosen.
    """
    if host.machine not in ("", "x86_64", "amd64"):
        return f"which torch wheels for {host.machine} have which code is not recorded"
    kept = [r for r in builds.releases if r.torch == series(keep)]
    for release in (*kept, *reversed(builds.releases)):
        for wheel in _of_release(builds, drivers, host, release):
            same = keep if keep in release.patches else release.patches[-1]
            return Choice(torch=same, tag=wheel.tag)
    return _why_none(builds, drivers, host)


def _of_release(
    builds: TorchBuilds, drivers: CudaDrivers, host: Host, release: Release
) -> Iterator[Wheel]:
    """Those of a release that fit: the default one first, then stable, newest CUDA."""
    if not _installs(release, host):
        return
    wheels = (wheel for wheel in builds.wheels if wheel.torch == release.torch)
    yield from sorted(
        (wheel for wheel in wheels if _runs(wheel, drivers, host)),
        key=lambda w: (w.default, w.stable, numbers(w.cuda)),
        reverse=True,
    )


def _installs(release: Release, host: Host) -> bool:
    """Do this Python and this C library get a file at all?"""
    if host.python and not (
        reaches(host.python, release.python_from)
        and reaches(release.python_to, series(host.python))
    ):
        return False
    return not (host.glibc and not reaches(host.glibc, release.glibc or "0"))


def _runs(wheel: Wheel, drivers: CudaDrivers, host: Host) -> bool:
    """Do this driver and these cards run it?"""
    least = drivers.minimum(wheel.cuda, windows=host.windows)
    if host.driver and not reaches(host.driver, least):
        return False
    known = wheel.confirmed and bool(wheel.arch)
    return known and all(
        any(covers(arch, card) for arch in wheel.arch) for card in host.capabilities
    )


def _why_none(builds: TorchBuilds, drivers: CudaDrivers, host: Host) -> str:
    """Name what rules all wheels out: the Python, the C library, or the machine."""
    without = msgspec.structs.replace(host, python="")
    if host.python and isinstance(other := best_tag(builds, drivers, without), Choice):
        release = next(r for r in builds.releases if r.torch == series(other.torch))
        return (
            f"no torch wheel that fits this machine exists for Python "
            f"{series(host.python)}: the newest is torch {other.torch}+{other.tag}, "
            f"for Python {release.python_from} to {release.python_to}"
        )
    cards = f"compute capability {', '.join(host.capabilities)}"
    driver = f"driver {host.driver}"
    known = [cards] * bool(host.capabilities) + [driver] * bool(host.driver)
    return f"no recorded torch wheel serves {' with '.join(known) or 'this machine'}"
