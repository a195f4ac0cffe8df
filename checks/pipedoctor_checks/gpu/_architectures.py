"""GPUs that a torch build was compiled for, from the best available source."""

import re

import msgspec

from pipedoctor.facts import Site, TorchBuild, TorchImport
from pipedoctor.facts.world_torch import CudaDrivers, Floor, TorchBuilds
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import get_series, is_at_least, is_prerelease, parse_version
from pipedoctor_checks._shared.cuda_versions import parse_supported_archs
from pipedoctor_checks._shared.gpu_code import is_arch_compatible

_CUDA_TAG = compile_lazily(r"cu\d+")


class BuildArchitectures(msgspec.Struct, frozen=True, kw_only=True):
    """GPU architectures that a build has code for; `arch` empty: unknown."""

    cuda: str
    drivers: CudaDrivers
    arch: tuple[str, ...] = ()
    certain: bool = False
    """Did the build itself report the list?"""
    published: bool = False
    """Published by the project itself, whose builds have no PTX for future GPUs."""
    floor: Floor | None = None

    def explain_unsupported(self, capability: str) -> str:
        """Why a GPU of this capability cannot run it; empty: it can, or unknown."""
        if not self.arch:
            return self._explain_by_cuda(capability)
        if any(is_arch_compatible(arch, capability) for arch in self.arch):
            return ""
        return f"it was built for {', '.join(self.arch)}"

    def _explain_by_cuda(self, capability: str) -> str:
        row = self.drivers.find_generation(capability)
        if row and row.last_cuda and not is_at_least(row.last_cuda, get_series(self.cuda)):
            return f"CUDA {row.last_cuda} was the last to support {row.name} GPUs"
        if not self.published:
            return ""
        if row and row.first_cuda and not is_at_least(self.cuda, row.first_cuda):
            return f"CUDA {row.first_cuda} was the first to support {row.name} GPUs"
        if self.floor and parse_version(capability) < parse_version(self.floor.capability):
            return f"its builds start at {self.floor.capability}"
        return ""


def find_architectures(
    torch: TorchBuild,
    torch_import: TorchImport | None,
    messages: str,
    site: Site | None,
    *,
    builds: TorchBuilds,
    drivers: CudaDrivers,
) -> BuildArchitectures:
    """
    Use torch's own list, else the table's row for exactly this build.

    The tables know published Linux builds. Nightlies, builds from source or by a
    vendor, conda-forge's and those for Windows are judged by what their CUDA supports.
    """
    asked = torch_import.arch_list if torch_import else ()
    own = asked or torch.arch_list or parse_supported_archs(messages)
    if own:
        return BuildArchitectures(cuda=torch.cuda, drivers=drivers, arch=own, certain=True)
    published = _is_official_build(torch)
    released = published and not is_prerelease(torch.version) and _is_linux_x86(site)
    return BuildArchitectures(
        cuda=torch.cuda,
        drivers=drivers,
        arch=_table_architectures(torch, builds) if released else (),
        published=published,
        floor=builds.find_floor(torch.version) if released else None,
    )


def _is_official_build(torch: TorchBuild) -> bool:
    if torch.conda_build:
        return torch.conda_build.startswith("py")  # not conda-forge's, not defaults'
    ours = not torch.local or _CUDA_TAG.fullmatch(torch.local) is not None
    return ours and not re.search(r"\da\d", torch.version)


def _is_linux_x86(site: Site | None) -> bool:
    if site is None:
        return True
    return site.system == "linux" and site.machine.lower() in ("", "x86_64", "amd64")


def _table_architectures(torch: TorchBuild, builds: TorchBuilds) -> tuple[str, ...]:
    """Both lists if the publisher is unknown: conda's builds supported slightly more."""
    wheel = builds.find_wheel(torch.version, torch.cuda)
    channel = builds.find_conda_build(torch.version, torch.cuda)
    by_pip = wheel.arch if wheel and wheel.confirmed else ()
    by_conda = channel.arch if channel else ()
    if torch.conda_build:
        return by_conda
    return by_pip if torch.local or torch.origin != "text" else (*by_pip, *by_conda)
