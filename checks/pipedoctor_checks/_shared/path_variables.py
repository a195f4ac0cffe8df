"""Start a job without variables, or with other values of them, place by place."""

from collections.abc import Sequence

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


def unset_pythonpath(site: Site | None = None, kept: Sequence[str] = ()) -> tuple[Remedy, ...]:
    """Start it without PYTHONPATH, or with those of its folders that are `kept`."""
    if not kept:
        return unset_variable(site, "Start the job without PYTHONPATH", "PYTHONPATH")
    separator = ";" if site is not None and site.system == "windows" else ":"
    title = "Start the job with the other folders of PYTHONPATH alone"
    return _set_variable(site, title, PYTHONPATH=separator.join(kept))


def exclude_user_site(site: Site | None = None) -> tuple[Remedy, ...]:
    """Start it without the user's site folder."""
    return _set_variable(site, "Disable the user's site folder", PYTHONNOUSERSITE=1)


def _set_variable(site: Site | None, title: str, **variables: str | int) -> tuple[Remedy, ...]:
    places = environment(title, **variables)
    chosen = select_remedies(site.launcher, *places) if site and site.place_known else ()
    return chosen or places[:1]
