"""PDR854: does OpenCV lack libraries of the system?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Libraries, Packages, Site
from pipedoctor.remedy import Remedy
from pipedoctor_checks import _pip
from pipedoctor_checks._debian import system_packages

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
        remedies=(*_headless(plain, interpreter), *system_packages(missing, site)),
    )


def _headless(plain: list[str], place: Interpreter | None) -> tuple[Remedy, ...]:
    if not plain:
        return ()
    wanted = [f"{name}-headless" for name in plain]
    return (
        _pip.uninstall(place, "Remove the build with windows", *plain),
        _pip.install(place, "Then install the headless one", *wanted),
    )
