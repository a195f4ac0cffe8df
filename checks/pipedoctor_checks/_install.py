"""Lines that put another torch in place; printed, never run."""

import re

import msgspec

from pipedoctor.facts import Interpreter, Packages, Site, TorchBuild
from pipedoctor.facts.world_torch import CudaDrivers, TorchBuilds, TorchPairs
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks._companions import companions
from pipedoctor_checks._pip import argv
from pipedoctor_checks._wheels import Choice, Host, best_tag

_FORGE = re.compile(r"cuda\d+_|cpu_(mkl|generic|openblas)")


class Tables(msgspec.Struct, frozen=True):
    """The tables that name a torch."""

    drivers: CudaDrivers
    builds: TorchBuilds
    pairs: TorchPairs


class Target(msgspec.Struct, frozen=True):
    """The environment that is to have another torch, as far as it is known."""

    torch: TorchBuild | None = None
    interpreter: Interpreter | None = None
    packages: Packages | None = None

    @property
    def version(self) -> str:
        """The torch that it has now."""
        return self.torch.version if self.torch else ""

    @property
    def forge(self) -> bool:
        """Does its torch come from conda-forge?"""
        return bool(self.torch and _FORGE.match(self.torch.conda_build))


def windows(site: Site | None) -> bool | None:
    """Are driver numbers those of Windows (also under WSL)? None: nobody knows."""
    return None if site is None else site.system == "windows" or site.wsl


def other_torch(
    tables: Tables,
    target: Target,
    site: Site | None,
    *,
    driver: str = "",
    capabilities: tuple[str, ...] = (),
) -> tuple[Remedy, ...]:
    """Put a torch in place that fits here: the same release, and the newest."""
    place = target.interpreter
    host = Host(
        driver=driver,
        windows=windows(site) or False,
        capabilities=capabilities,
        python=place.version if place else "",
        glibc=place.glibc if place else "",
        machine=site.machine.lower() if site else "",
    )
    keep = best_tag(tables.builds, tables.drivers, host, keep=target.version)
    if isinstance(keep, str):
        return (Remedy(title=_sentence(keep), lasts=Lasts.ALWAYS, advice=True),)
    newest = best_tag(tables.builds, tables.drivers, host)
    choices = [keep, *([newest] if isinstance(newest, Choice) else [])]
    lines = tuple(_pip(tables, target, choice) for choice in dict.fromkeys(choices))
    return (_conda(target, keep), *lines) if target.forge else lines


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _pip(tables: Tables, target: Target, choice: Choice) -> Remedy:
    place = target.interpreter or Interpreter()
    python = _python(place)
    names = (
        f"torch=={choice.torch}+{choice.tag}",
        *companions(tables.pairs, target.packages, choice),
    )
    title = f"Install torch {choice.torch} for {_cuda(choice)}"
    if place.externally_managed:
        title += ", in a virtual environment: this Python is the system's"
    elif target.torch and target.torch.conda_build:
        title += ", after `conda remove pytorch`"
    return Remedy(
        title=title,
        argv=(*argv(place, "install"), *names, "--index-url", choice.index),
        verify=(python, "-c", "import torch; print(torch.zeros(1).cuda())"),
        lasts=Lasts.ALWAYS,
        advice=True,
    )


def _python(place: Interpreter) -> str:
    """The examined one; a system's pip refuses, there it is the environment's."""
    return (place.executable if not place.externally_managed else "") or "python"


def _cuda(choice: Choice) -> str:
    digits = choice.tag.removeprefix("cu")
    return f"CUDA {digits[:-1]}.{digits[-1]}"


def _conda(target: Target, choice: Choice) -> Remedy:
    prefix = target.interpreter.prefix if target.interpreter else ""
    where = ("--prefix", prefix) if prefix else ()
    wanted = ("pytorch=*=cuda*", f"cuda-version={choice.tag[2:-1]}")
    return Remedy(
        title="Take conda-forge's CUDA build of PyTorch",
        argv=("conda", "install", *where, "--channel", "conda-forge", *wanted),
        lasts=Lasts.ALWAYS,
        advice=True,
    )
