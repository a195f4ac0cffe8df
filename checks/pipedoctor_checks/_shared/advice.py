"""Advice: remedies that a human applies; nothing of them is run."""

from msgspec.structs import replace

from pipedoctor.check import Lasts, Place, Remedy, select_remedies
from pipedoctor.facts import Launcher, Site


def advise_user(
    title: str,
    *,
    argv: tuple[str, ...] = (),
    snippet: str = "",
    fits: tuple[Launcher, ...] = (),
    place: Place = Place.HERE,
    root: bool = False,
) -> Remedy:
    """Tell a human what to do on this machine, unless `place` names another."""
    return Remedy(
        title=title,
        argv=argv,
        snippet=snippet,
        fits=fits,
        place=place,
        lasts=Lasts.ALWAYS,
        root=root,
        advice=True,
    )


def advise_launch(
    title: str,
    *,
    argv: tuple[str, ...] = (),
    snippet: str = "",
    fits: tuple[Launcher, ...] = (),
) -> Remedy:
    """Tell a human how to launch the job, with the launchers named by `fits`."""
    return advise_user(title, argv=argv, snippet=snippet, fits=fits, place=Place.LAUNCHER)


def apply_on_host(site: Site | None, remedy: Remedy, title: str) -> tuple[Remedy, ...]:
    """
    On a bare machine as it is; elsewhere, under `title`, whoever runs the host.

    Neither a container nor a batch job may change the machine that it runs on.
    """
    host = Remedy(
        title=title,
        argv=remedy.argv,
        lasts=remedy.lasts,
        place=Place.LAUNCHER,
        root=remedy.root,
        fits=(Launcher.DOCKER, Launcher.KUBERNETES, Launcher.SLURM),
        advice=True,
    )
    here = replace(remedy, fits=(Launcher.BARE,))
    return select_remedies(site.launcher, here, host) if site else (remedy,)


def is_wsl(site: Site | None) -> bool:
    """Is it WSL itself, and no container in it?"""
    return site is not None and site.wsl and site.launcher is Launcher.BARE


def restart_wsl(title: str) -> Remedy:
    """WSL runs the driver of Windows, and starts again with the next shell."""
    return advise_user(title, argv=("wsl.exe", "--shutdown"))
