"""Debian and Ubuntu packages that contain the missing desktop libraries."""

from pipedoctor.check import Remedy, select_remedies
from pipedoctor.facts import Site
from pipedoctor.facts.site import Launcher
from pipedoctor_checks._shared.advice import advise_launch, advise_user

_PACKAGES = {
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


def install_libraries(missing: list[str], site: Site | None) -> tuple[Remedy, ...]:
    """Install them, here or in the image; nothing for unknown libraries."""
    names = sorted({_PACKAGES[name] for name in missing if name in _PACKAGES})
    line = ("apt-get", "install", "--yes", "--no-install-recommends", *names)
    if not names:
        return ()
    here = advise_user(
        "On Debian or Ubuntu, install the missing libraries",
        argv=line,
        fits=(Launcher.BARE, Launcher.HOSTED),
        root=True,
    )
    image = advise_launch(
        "Add to the Dockerfile of a Debian or Ubuntu image",
        snippet=f"RUN apt-get update && {' '.join(line)}",
        fits=(Launcher.DOCKER, Launcher.KUBERNETES),
    )
    return select_remedies(site.launcher if site else None, here, image)
