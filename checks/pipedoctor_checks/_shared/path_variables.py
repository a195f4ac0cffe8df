"""Start a job without folders that variables add to Python's import path."""

from pipedoctor.check import Lasts, Place, Remedy, environment


def unset_pythonpath() -> Remedy:
    """Start it without PYTHONPATH."""
    return Remedy(
        title="Start the job without PYTHONPATH",
        argv=("unset", "PYTHONPATH"),
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        advice=True,
    )


def exclude_user_site() -> tuple[Remedy, ...]:
    """Start it without the user's site folder."""
    return environment("Disable the user's site folder", PYTHONNOUSERSITE=1)[:1]
