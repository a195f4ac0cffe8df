"""Start a job without variables, or with other values of them, place by place."""

from pipedoctor.check import Lasts, Place, Remedy, docker_run, environment, select_remedies
from pipedoctor.facts import Launcher, Site


def unset_variable(site: Site | None, title: str, name: str, value: str = "") -> tuple[Remedy, ...]:
    """
    Start it without a variable.

    A container keeps what its image or its launch sets: there it gets `value` instead.
    """
    here = Remedy(
        title=title,
        argv=("unset", name),
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        advice=True,
    )
    launcher = site.launcher if site else Launcher.UNKNOWN
    if launcher not in {Launcher.DOCKER, Launcher.KUBERNETES}:
        return (here,)
    pod = Remedy(
        title=title,
        argv=("kubectl", "set", "env", "deployment/TRAIN", f"{name}-"),
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Launcher.KUBERNETES,),
    )
    return select_remedies(launcher, docker_run(title, "-e", f"{name}={value}"), pod)


def unset_pythonpath(site: Site | None = None) -> tuple[Remedy, ...]:
    """Start it without PYTHONPATH."""
    return unset_variable(site, "Start the job without PYTHONPATH", "PYTHONPATH")


def exclude_user_site(site: Site | None = None) -> tuple[Remedy, ...]:
    """Start it without the user's site folder."""
    places = environment("Disable the user's site folder", PYTHONNOUSERSITE=1)
    chosen = select_remedies(site.launcher, *places) if site and site.place_known else ()
    return chosen or places[:1]
