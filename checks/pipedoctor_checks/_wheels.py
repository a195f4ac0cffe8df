"""Which published torch this driver, these cards and this Python can have."""

from collections.abc import Iterator

import msgspec

from pipedoctor.facts.world_torch import CudaDrivers, Release, TorchBuilds, Wheel
from pipedoctor.versions import major, numbers, reaches, series


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


def covers(arch: str, capability: str) -> bool:
    """
    Can code for this architecture run on a card of this capability?

    Machine code (``sm_86``, ``8.6``) runs on the same major version with an equal
    or higher minor one; PTX (``compute_86``, ``8.6+PTX``) on everything newer.
    ``sm_90a`` is for exactly 9.0.
    """
    code, card = _architecture(arch), numbers(capability)
    if arch.startswith("compute_") or arch.endswith("+PTX"):
        return code <= card
    if arch[-1].isalpha() and arch.startswith("sm_"):
        return code == card
    return code[:1] == card[:1] and code <= card


def _architecture(arch: str) -> tuple[int, ...]:
    """Read ``sm_120a``, ``compute_90`` or ``12.0+PTX``; a last digit is the minor."""
    name = arch.removesuffix("+PTX")
    if "." in name:
        return numbers(name)
    digits = "".join(filter(str.isdigit, name))
    return (int(digits[:-1]), int(digits[-1:])) if len(digits) > 1 else ()


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


def last_driver(drivers: CudaDrivers, capabilities: tuple[str, ...]) -> int | None:
    """The last driver branch that serves all these cards; None: no end is known."""
    rows = map(drivers.generation, capabilities)
    ends = [row.last_driver for row in rows if row is not None and row.last_driver]
    return min(ends, default=None)


def can_reach(drivers: CudaDrivers, capabilities: tuple[str, ...], wanted: str) -> bool:
    """May these cards have a driver of at least this branch?"""
    end = last_driver(drivers, capabilities)
    return end is None or (major(wanted) or 0) <= end
