"""Published torch wheels that fit this driver, these GPUs and this Python."""

from collections.abc import Iterator

import msgspec

from pipedoctor.facts.world_torch import CudaDrivers, Release, TorchBuilds, Wheel
from pipedoctor.versions import get_series, is_at_least, parse_version
from pipedoctor_checks._shared.gpu_code import is_arch_compatible

_USUAL_CUDA = 12
"""The major version of CUDA that drivers from 2022 on run."""


class WheelHost(msgspec.Struct, frozen=True, kw_only=True):
    """What a wheel must fit; an empty value is unknown and not considered."""

    driver: str = ""
    windows: bool = False
    capabilities: tuple[str, ...] = ()
    python: str = ""
    glibc: str = ""
    machine: str = ""
    unfit: Wheel | None = None
    """What is installed and does not run here, whatever the tables say of it."""


class WheelChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A wheel: torch's version and the tag of its index."""

    torch: str
    tag: str

    @property
    def index(self) -> str:
        """The index URL for pip."""
        return f"https://download.pytorch.org/whl/{self.tag}"


def choose_wheel(
    builds: TorchBuilds, drivers: CudaDrivers, host: WheelHost, *, keep: str = ""
) -> WheelChoice | str:
    """
    The newest published wheel that fits, or a text that says why there is none.

    `keep` is a torch version whose own release is tried first. Rows that are not
    confirmed are never chosen. For a GPU whose driver is not known, a wheel for CUDA 12
    is better than a newer one: every driver that knows the GPU runs it.
    """
    if host.machine not in ("", "x86_64", "amd64"):
        return f"there is no record of which code the torch wheels for {host.machine} contain"
    kept = [r for r in builds.releases if r.torch == get_series(keep)]
    fitting = [
        (release, wheel)
        for release in (*kept, *reversed(builds.releases))
        for wheel in _fitting_wheels(builds, drivers, host, release)
    ]
    if host.capabilities and not host.driver:
        fitting.sort(key=lambda pair: (pair[0] not in kept, _needs_new_driver(pair[1])))
    for release, wheel in fitting:
        same = keep if keep in release.patches else release.patches[-1]
        return WheelChoice(torch=same, tag=wheel.tag)
    return _explain_no_wheel(builds, drivers, host)


def _needs_new_driver(wheel: Wheel) -> bool:
    return parse_version(wheel.cuda)[0] > _USUAL_CUDA


def _fitting_wheels(
    builds: TorchBuilds, drivers: CudaDrivers, host: WheelHost, release: Release
) -> Iterator[Wheel]:
    """Wheels of a release that fit: the default one first, then stable, newest CUDA."""
    if not _is_installable(release, host):
        return
    wheels = (wheel for wheel in builds.wheels if wheel.torch == release.torch)
    yield from sorted(
        (wheel for wheel in wheels if _is_runnable(wheel, drivers, host)),
        key=lambda w: (w.default, w.stable, parse_version(w.cuda)),
        reverse=True,
    )


def _is_installable(release: Release, host: WheelHost) -> bool:
    """Is there a file for this Python and this C library?"""
    if host.python and not (
        is_at_least(host.python, release.python_from)
        and is_at_least(release.python_to, get_series(host.python))
    ):
        return False
    return not (host.glibc and not is_at_least(host.glibc, release.glibc or "0"))


def _is_runnable(wheel: Wheel, drivers: CudaDrivers, host: WheelHost) -> bool:
    """Does it run with this driver and these GPUs?"""
    if wheel == host.unfit:
        return False
    least = drivers.find_minimum_driver(wheel.cuda, windows=host.windows)
    if host.driver and not is_at_least(host.driver, least):
        return False
    known = wheel.confirmed and bool(wheel.arch)
    return known and all(
        any(is_arch_compatible(arch, card) for arch in wheel.arch) for card in host.capabilities
    )


def _explain_no_wheel(builds: TorchBuilds, drivers: CudaDrivers, host: WheelHost) -> str:
    """Explain what excludes all wheels: the Python, the C library, or the machine."""
    without = msgspec.structs.replace(host, python="")
    if host.python and isinstance(other := choose_wheel(builds, drivers, without), WheelChoice):
        release = next(r for r in builds.releases if r.torch == get_series(other.torch))
        return (
            "no torch wheel that fits this machine exists for Python"
            f" {get_series(host.python)}: the newest is torch {other.torch}+{other.tag}, for"
            f" Python {release.python_from} to {release.python_to}"
        )
    cards = f"compute capability {', '.join(host.capabilities)}"
    driver = f"driver {host.driver}"
    known = [cards] * bool(host.capabilities) + [driver] * bool(host.driver)
    return f"no recorded torch wheel supports {' with '.join(known) or 'this machine'}"
