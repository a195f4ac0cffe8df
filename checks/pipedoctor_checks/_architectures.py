"""Which cards a torch was compiled for, from the best source there is."""

import re

import msgspec

from pipedoctor.facts import Site, TorchBuild, TorchImport
from pipedoctor.facts.world_torch import CudaDrivers, Floor, TorchBuilds
from pipedoctor.versions import numbers, reaches, series, unreleased
from pipedoctor_checks._cuda import supported
from pipedoctor_checks._gpu_code import covers

_TAG = re.compile(r"cu\d+")


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """What is inside of a build; `arch` empty: no list is known."""

    cuda: str
    drivers: CudaDrivers
    arch: tuple[str, ...] = ()
    certain: bool = False
    """Did the build itself tell the list?"""
    published: bool = False
    """By the project itself, whose builds have no PTX for cards to come."""
    floor: Floor | None = None

    def why_not(self, capability: str) -> str:
        """Why a card of this capability cannot run it; empty: it can, or who knows."""
        if not self.arch:
            return self._why_not_by_cuda(capability)
        if any(covers(arch, capability) for arch in self.arch):
            return ""
        return f"it was built for {', '.join(self.arch)}"

    def _why_not_by_cuda(self, capability: str) -> str:
        row = self.drivers.generation(capability)
        if row and row.last_cuda and not reaches(row.last_cuda, series(self.cuda)):
            return f"{row.name} cards ended with CUDA {row.last_cuda}"
        if not self.published:
            return ""
        if row and row.first_cuda and not reaches(self.cuda, row.first_cuda):
            return f"{row.name} cards began with CUDA {row.first_cuda}"
        if self.floor and numbers(capability) < numbers(self.floor.capability):
            return f"its builds begin with {self.floor.capability}"
        return ""


def of(
    torch: TorchBuild,
    torch_import: TorchImport | None,
    said: str,
    site: Site | None,
    *,
    builds: TorchBuilds,
    drivers: CudaDrivers,
) -> Code:
    """
    Take torch's own list, else the table's row of exactly this build.

    The tables know published Linux builds: nightlies, builds from source or by a
    vendor, conda-forge's and those for Windows are left to what their CUDA can do.
    """
    asked = torch_import.arch_list if torch_import else ()
    own = asked or torch.arch_list or supported(said)
    if own:
        return Code(cuda=torch.cuda, drivers=drivers, arch=own, certain=True)
    published = _published(torch)
    released = published and not unreleased(torch.version) and _linux_x86(site)
    return Code(
        cuda=torch.cuda,
        drivers=drivers,
        arch=_listed(torch, builds) if released else (),
        published=published,
        floor=builds.floor(torch.version) if released else None,
    )


def _published(torch: TorchBuild) -> bool:
    if torch.conda_build:
        return torch.conda_build.startswith("py")  # not conda-forge's, not defaults'
    ours = not torch.local or _TAG.fullmatch(torch.local) is not None
    return ours and not re.search(r"\da\d", torch.version)


def _linux_x86(site: Site | None) -> bool:
    if site is None:
        return True
    return site.system == "linux" and site.machine.lower() in ("", "x86_64", "amd64")


def _listed(torch: TorchBuild, builds: TorchBuilds) -> tuple[str, ...]:
    """Both lists where nobody knows who published it: conda's had a bit more."""
    wheel = builds.wheel(torch.version, torch.cuda)
    channel = builds.conda_build(torch.version, torch.cuda)
    by_pip = wheel.arch if wheel and wheel.confirmed else ()
    by_conda = channel.arch if channel else ()
    if torch.conda_build:
        return by_conda
    return by_pip if torch.local or torch.origin != "text" else (*by_pip, *by_conda)
