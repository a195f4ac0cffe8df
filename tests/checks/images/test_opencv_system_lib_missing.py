"""PDR854 names what OpenCV needs and nobody has."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shared_libraries.libraries import libraries
from pipedoctor.facts import (
    Distribution,
    Facts,
    Interpreter,
    Libraries,
    Library,
    Packages,
    Site,
)
from pipedoctor_checks.images.opencv_system_lib_missing import opencv_system_lib_missing

PLACE = Interpreter(executable="/env/bin/python", manager="pip")
CV2 = "cv2/cv2.abi3.so"
BARE, DOCKER = Site(system="linux"), Site(system="linux", container="docker")


def missing(*names: str, by: str = CV2) -> Libraries:
    lost = tuple(Library(soname=name, path="", wanted_by=by) for name in names)
    return Libraries(missing=lost, examined=(CV2,))


def judge(
    found: Libraries, *, dist: str = "opencv-python", site: Site | None = BARE
) -> list[Finding]:
    packages = Packages(entries=(Distribution(name=dist, version="5.0"),))
    return opencv_system_lib_missing(found, packages, PLACE, site)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(missing(), id="all there"),
        pytest.param(missing("libx.so", by="torch/lib/libtorch.so"), id="of torch"),
    ],
)
def test_silent(found: Libraries) -> None:
    assert judge(found) == []


def test_the_desktops_libraries() -> None:
    (finding,) = judge(missing("libgthread-2.0.so.0", "libGL.so.1"))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == ("import cv2 fails: libGL.so.1, libgthread-2.0.so.0 cannot be found")
    assert [remedy.shell for remedy in finding.remedies] == [
        "/env/bin/python -m pip uninstall -y opencv-python",
        (
            "/env/bin/python -m pip install --force-reinstall --no-deps"
            " 'opencv-python-headless==5.0.*'"
        ),
        "sudo apt-get install --yes --no-install-recommends libgl1 libglib2.0-0",
    ]


def test_a_librarys_own_needs_count() -> None:
    by = "opencv_python.libs/libQt5Gui-1.so.5"

    assert len(judge(missing("libGL.so.1", by=by))) == 1


def test_in_a_container_the_image_is_changed() -> None:
    (finding,) = judge(missing("libGL.so.1"), site=DOCKER)

    assert finding.remedies[-1].snippet == (
        "RUN apt-get update && apt-get install --yes --no-install-recommends libgl1"
    )


def test_both_where_the_place_is_not_known() -> None:
    (finding,) = judge(missing("libGL.so.1"), site=None)

    assert len(finding.remedies) == 4


def test_the_headless_one_stays() -> None:
    (finding,) = judge(missing("libxcb.so.1"), dist="opencv-python-headless")

    assert [remedy.shell for remedy in finding.remedies] == [
        "sudo apt-get install --yes --no-install-recommends libxcb1"
    ]


def test_what_nobody_knows_has_no_line() -> None:
    found = missing("libstrange.so.1")

    (finding,) = opencv_system_lib_missing(found, None, PLACE, BARE)

    assert finding.remedies == ()


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    check = opencv_system_lib_missing

    assert check.run(Facts()).skipped == snapshot
    assert check.run(Facts(Libraries())).skipped == snapshot


def test_it_really_fails_and_a_library_cures(
    tmp_path: Path,
    site_packages: Path,
    shared_object: Callable[..., Path],
    snapshot: SnapshotAssertion,
) -> None:
    env = tmp_path / "env"
    gone = shared_object(tmp_path / "gone/libgone-pd.so.1")
    module = shared_object(site_packages / CV2, gone, paths=str(gone.parent))
    away = gone.rename(tmp_path / "away")

    assert "libgone-pd.so.1: cannot open shared object file" in _loads(module)
    (finding,) = judge(_seen(env))
    assert finding.summary == snapshot

    away.rename(gone)
    assert _loads(module) == ""
    assert judge(_seen(env)) == []


def _loads(library: Path) -> str:
    argv = [sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(library)!r})"]
    return subprocess.run(argv, check=False, capture_output=True, text=True).stderr


def _seen(env: Path) -> Libraries:
    return libraries(Machine(environ={}), EnvironmentChoice(env=str(env)), lambda _: None)
