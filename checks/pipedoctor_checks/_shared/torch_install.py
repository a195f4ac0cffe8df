"""Command lines that install another torch; printed, never run."""

import msgspec

from pipedoctor.check import Lasts, Remedy
from pipedoctor.facts import Interpreter, Packages, Site, TorchBuild
from pipedoctor.facts.world_torch import CudaDrivers, TorchBuilds, TorchPairs, Wheel
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks._shared.companion_versions import companion_requirements
from pipedoctor_checks._shared.pip_command import pip_argv
from pipedoctor_checks._shared.wheel_index import WheelChoice, WheelHost, choose_wheel

_CONDA_FORGE_BUILD = compile_lazily(r"cuda\d+_|cpu_(mkl|generic|openblas)")


class TorchTables(msgspec.Struct, frozen=True):
    """The tables that name a torch."""

    drivers: CudaDrivers
    builds: TorchBuilds
    pairs: TorchPairs


class TorchEnvironment(msgspec.Struct, frozen=True):
    """The environment that needs another torch, as far as it is known."""

    torch: TorchBuild | None = None
    interpreter: Interpreter | None = None
    packages: Packages | None = None

    @property
    def version(self) -> str:
        """The torch that it has now."""
        return self.torch.version if self.torch else ""

    @property
    def is_conda_forge(self) -> bool:
        """Does its torch come from conda-forge?"""
        return bool(self.torch and _CONDA_FORGE_BUILD.match(self.torch.conda_build))


def uses_windows_driver(site: Site | None) -> bool | None:
    """Are driver versions those of Windows (also under WSL)? None: unknown."""
    return None if site is None else site.system == "windows" or site.wsl


def replace_torch(
    tables: TorchTables,
    target: TorchEnvironment,
    site: Site | None,
    *,
    driver: str = "",
    capabilities: tuple[str, ...] = (),
) -> tuple[Remedy, ...]:
    """
    Install a torch that fits this machine: the same release, and the newest.

    With `capabilities` it is never the build for CUDA that is installed and fails here.
    """
    place = target.interpreter
    host = WheelHost(
        driver=driver,
        windows=uses_windows_driver(site) or False,
        capabilities=capabilities,
        python=place.version if place else "",
        glibc=place.glibc if place else "",
        machine=site.machine.lower() if site else "",
        unfit=_find_installed(tables.builds, target.torch) if capabilities else None,
    )
    keep = choose_wheel(tables.builds, tables.drivers, host, keep=target.version)
    if isinstance(keep, str):
        return (advise_user(_capitalize(keep)),)
    newest = choose_wheel(tables.builds, tables.drivers, host)
    choices = [keep, *([newest] if isinstance(newest, WheelChoice) else [])]
    lines = tuple(_install_by_pip(tables, target, choice) for choice in dict.fromkeys(choices))
    return (_install_by_conda(target, keep), *lines) if target.is_conda_forge else lines


def _find_installed(builds: TorchBuilds, torch: TorchBuild | None) -> Wheel | None:
    """The published wheel that is installed: by its CUDA, or without a label PyPI's."""
    if torch is None or not torch.cuda:
        return None
    by_cuda = builds.find_wheel(torch.version, torch.cuda)
    return by_cuda or (None if torch.local else builds.find_default_wheel(torch.version))


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _install_by_pip(tables: TorchTables, target: TorchEnvironment, choice: WheelChoice) -> Remedy:
    place = target.interpreter or Interpreter()
    python = _python_program(place)
    names = (
        f"torch=={choice.torch}+{choice.tag}",
        *companion_requirements(tables.pairs, target.packages, choice),
    )
    title = f"Install torch {choice.torch} for {_format_tag(choice)}"
    if place.externally_managed:
        title += ", in a virtual environment, because this is the system Python"
    elif target.torch and target.torch.conda_build:
        title += ", after `conda remove pytorch`"
    return Remedy(
        title=title,
        argv=(*pip_argv(place, "install"), *names, "--index-url", choice.index),
        verify=(python, "-c", "import torch; print(torch.zeros(1).cuda())"),
        lasts=Lasts.ALWAYS,
        advice=True,
    )


def _python_program(place: Interpreter) -> str:
    """The examined interpreter; if the system's pip refuses, that of a virtual environment."""
    return (place.executable if not place.externally_managed else "") or "python"


def _format_tag(choice: WheelChoice) -> str:
    digits = choice.tag.removeprefix("cu")
    return f"CUDA {digits[:-1]}.{digits[-1]}"


def _install_by_conda(target: TorchEnvironment, choice: WheelChoice) -> Remedy:
    prefix = target.interpreter.prefix if target.interpreter else ""
    where = ("--prefix", prefix) if prefix else ()
    wanted = ("pytorch=*=cuda*", f"cuda-version={choice.tag[2:-1]}")
    return advise_user(
        "Install conda-forge's CUDA build of PyTorch",
        argv=("conda", "install", *where, "--channel", "conda-forge", *wanted),
    )
