"""A hard limit that only root raises, for the shell that is there already."""

from pipedoctor.check import Lasts, Place, Remedy
from pipedoctor.facts import Launcher


def raise_as_root(name: str, count: int | str) -> Remedy:
    """Raise ``nofile`` or another limit above the hard one, for the shell that types it."""
    return Remedy(
        title="As root, raise the limit for the shell that starts the job",
        snippet=f"sudo prlimit --pid $$ --{name}={count}:{count}",
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        fits=(Launcher.BARE,),
    )
