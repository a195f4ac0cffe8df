"""Which packages of Debian and Ubuntu bring missing libraries of the desktop."""

from pipedoctor.facts import Site
from pipedoctor.facts.site import Habitat
from pipedoctor.remedy import Lasts, Place, Remedy, fitting

_DEBIAN = {
    "libGL.so.1": "libgl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
    "libXext.so.6": "libxext6",
    "libXrender.so.1": "libxrender1",
    "libX11.so.6": "libx11-6",
    "libxcb.so.1": "libxcb1",
}


def system_packages(missing: list[str], site: Site | None) -> tuple[Remedy, ...]:
    """Install them, here or in the image; nothing for libraries we do not know."""
    names = sorted({_DEBIAN[name] for name in missing if name in _DEBIAN})
    line = ("apt-get", "install", "--yes", "--no-install-recommends", *names)
    if not names:
        return ()
    here = Remedy(
        title="On Debian and Ubuntu, install what is missing",
        argv=line,
        lasts=Lasts.ALWAYS,
        root=True,
        fits=(Habitat.BARE, Habitat.HOSTED),
        advice=True,
    )
    image = Remedy(
        title="In the Dockerfile of a Debian or Ubuntu image",
        snippet=f"RUN apt-get update && {' '.join(line)}",
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Habitat.DOCKER, Habitat.KUBERNETES),
        advice=True,
    )
    return fitting(site.habitat if site else None, here, image)
