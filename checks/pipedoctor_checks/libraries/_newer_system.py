"""Where to get a newer C library or C++ library, place by place."""

from pipedoctor.check import Remedy, select_remedies
from pipedoctor.facts import Interpreter, Site
from pipedoctor.facts.site import Launcher
from pipedoctor_checks._shared.advice import advise_launch, advise_user

_IMAGE_TITLE = "Build on a base image with a newer distribution"


def get_newer_glibc(site: Site | None) -> tuple[Remedy, ...]:
    """Run on a newer system: the C library cannot be replaced on its own."""
    return select_remedies(
        site.launcher if site else None,
        advise_launch(_IMAGE_TITLE, fits=(Launcher.DOCKER, Launcher.KUBERNETES)),
        advise_launch(
            "Run the job in an Apptainer image of a newer system", fits=(Launcher.SLURM,)
        ),
        advise_launch(
            "Run the job in a container of a newer distribution, or upgrade this one; never"
            " replace glibc by hand",
            fits=(Launcher.BARE,),
        ),
    )


def get_newer_libstdcxx(place: Interpreter | None, site: Site | None) -> tuple[Remedy, ...]:
    """Install a newer libstdc++ into conda's environment, else use a newer system."""
    if place is not None and place.kind == "conda":
        channel = ("--channel", "conda-forge", "libstdcxx")
        return (
            advise_user(
                "Install conda-forge's libstdc++ into the environment",
                argv=("conda", "install", "--prefix", place.prefix, *channel),
            ),
        )
    return select_remedies(
        site.launcher if site else None,
        advise_launch(_IMAGE_TITLE, fits=(Launcher.DOCKER, Launcher.KUBERNETES)),
        advise_launch(
            "Use a conda environment, which has its own libstdc++, or load a newer GCC module",
            fits=(Launcher.BARE, Launcher.SLURM, Launcher.HOSTED),
        ),
    )
