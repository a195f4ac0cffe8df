"""PDR854: does OpenCV lack libraries of the system?"""

from pipedoctor.check import Finding, Findings, NotApplicable, Remedy, Severity, check
from pipedoctor.facts import Interpreter, Libraries, Packages, Site
from pipedoctor.versions import get_series
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks.images._debian_packages import install_libraries

_GUI_BUILDS = ("opencv-python", "opencv-contrib-python")


@check("PDR854", "A system library that OpenCV needs is missing", after=("PDR840",))
def opencv_system_lib_missing(
    libraries: Libraries,
    packages: Packages | None,
    interpreter: Interpreter | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Follow the libraries that OpenCV's module is linked with, and name missing ones.

    ## Why it hurts

    `ImportError: libGL.so.1: cannot open shared object file`: `import cv2` fails. The
    wheels with GUI support need desktop libraries, which slim container images do not
    have.

    ## How it is judged

    The linker's search is followed from `cv2` down, file by file; libraries that it
    does not find are named. Training needs no windows: the headless wheel contains the
    same decoders without those libraries.

    ## Sources

    - https://github.com/opencv/opencv-python
    - https://github.com/opencv/opencv-python/issues/1198
    """
    if not any(name.startswith("cv2/") for name in libraries.examined):
        message = "OpenCV is not installed"
        raise NotApplicable(message)
    missing = sorted(
        {
            entry.soname
            for entry in libraries.missing
            if entry.wanted_by.startswith(("cv2/", "opencv_"))
        }
    )
    if not missing:
        return
    plain = [n for n in _GUI_BUILDS if packages is not None and packages.find(n)]
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"import cv2 fails: {', '.join(missing)} cannot be found",
        evidence={"missing": missing, "installed": plain},
        remedies=(
            *_install_headless(plain, packages, interpreter),
            *install_libraries(missing, site),
        ),
    )


def _install_headless(
    plain: list[str], packages: Packages | None, place: Interpreter | None
) -> tuple[Remedy, ...]:
    """In the same series: a newer one may want another numpy."""
    if not plain:
        return ()
    wanted = [_name_headless(name, packages) for name in plain]
    return (
        pip_command.uninstall(place, "Remove the build with GUI support", *plain),
        pip_command.reinstall(place, "Then install the headless one", *wanted),
    )


def _name_headless(name: str, packages: Packages | None) -> str:
    entry = packages.find(name) if packages else None
    series = get_series(entry.version) if entry else ""
    return f"{name}-headless=={series}.*" if "." in series else f"{name}-headless"
