"""Advice: remedies that a human applies; nothing of them is run."""

from pipedoctor.check import Lasts, Place, Remedy
from pipedoctor.facts import Launcher


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
