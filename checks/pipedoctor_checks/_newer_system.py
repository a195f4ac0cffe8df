"""Where a newer C library or C++ library is to be had, place by place."""

from pipedoctor.facts import Interpreter, Site
from pipedoctor.facts.site import Habitat
from pipedoctor.remedy import Lasts, Place, Remedy, fitting

_IMAGE = "Build on a base image with a newer distribution"


def newer_glibc(site: Site | None) -> tuple[Remedy, ...]:
    """Run on a newer system: the C library cannot be exchanged alone."""
    return fitting(
        site.habitat if site else None,
        _advice(_IMAGE, Habitat.DOCKER, Habitat.KUBERNETES),
        _advice("Run the job in an Apptainer image of a newer system", Habitat.SLURM),
        _advice(
            "Run the job in a container of a newer distribution, or update this one; "
            "never replace glibc by hand",
            Habitat.BARE,
        ),
    )


def newer_libstdcxx(place: Interpreter | None, site: Site | None) -> tuple[Remedy, ...]:
    """Take a newer libstdc++ into conda's environment, else a newer system."""
    if place is not None and place.kind == "conda":
        channel = ("--channel", "conda-forge", "libstdcxx")
        return (
            Remedy(
                title="Take conda-forge's libstdc++ into the environment",
                argv=("conda", "install", "--prefix", place.prefix, *channel),
                lasts=Lasts.ALWAYS,
                advice=True,
            ),
        )
    return fitting(
        site.habitat if site else None,
        _advice(_IMAGE, Habitat.DOCKER, Habitat.KUBERNETES),
        _advice(
            "Take a conda environment, which brings its own libstdc++, or load a "
            "newer GCC module",
            Habitat.BARE,
            Habitat.SLURM,
            Habitat.HOSTED,
        ),
    )


def _advice(title: str, *fits: Habitat) -> Remedy:
    return Remedy(
        title=title, lasts=Lasts.ALWAYS, place=Place.LAUNCHER, fits=fits, advice=True
    )
