"""PDR854: does OpenCV lack libraries of the system?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Libraries, Packages, Site
from pipedoctor.facts.site import Habitat
from pipedoctor.remedy import Lasts, Place, Remedy, fitting
from pipedoctor_checks import _pip

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
_WITH_WINDOWS = ("opencv-python", "opencv-contrib-python")


@check("PDR854", "OpenCV lacks a library of the system", after=("PDR840",))
def opencv_system_lib_missing(
    libraries: Libraries,
    packages: Packages | None,
    interpreter: Interpreter | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Follow what OpenCV's module is linked with and name what is nowhere to be found.

    ## Why it hurts

    `ImportError: libGL.so.1: cannot open shared object file`: `import cv2` ends there.
    The wheels with windows need libraries of the desktop, which slim images of
    containers do not have.

    ## How it is judged

    The linker's search is followed from `cv2` down, file by file; what it finds nowhere
    is named. Training needs no windows: the headless wheel brings the same decoders
    without those libraries.

    ## Sources

    - https://github.com/opencv/opencv-python
    - https://github.com/opencv/opencv-python/issues/1198
    """
    if not any(name.startswith("cv2/") for name in libraries.examined):
        message = "OpenCV is not installed"
        raise CannotJudge(message)
    missing = sorted(
        {
            entry.soname
            for entry in libraries.missing
            if entry.wanted_by.startswith(("cv2/", "opencv_"))
        }
    )
    if not missing:
        return
    plain = [n for n in _WITH_WINDOWS if packages is not None and packages.find(n)]
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"import cv2 fails: {', '.join(missing)} cannot be found",
        evidence={"missing": missing, "installed": plain},
        remedies=(*_headless(plain, interpreter), *_system(missing, site)),
    )


def _headless(plain: list[str], place: Interpreter | None) -> tuple[Remedy, ...]:
    if not plain:
        return ()
    wanted = [f"{name}-headless" for name in plain]
    return (
        _pip.uninstall(place, "Remove the build with windows", *plain),
        _pip.install(place, "Then install the headless one", *wanted),
    )


def _system(missing: list[str], site: Site | None) -> tuple[Remedy, ...]:
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
