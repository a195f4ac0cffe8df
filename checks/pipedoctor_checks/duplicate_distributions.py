"""PDR840: do two distributions own the same files, or one name twice?"""

import re
from collections.abc import Iterator

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, Shared
from pipedoctor_checks import _pip

_HARMLESS = re.compile(
    r"(^|/)(tests?|docs?|examples?|benchmarks?|scripts)/|(^|/)[A-Z]+(\.\w+)?$"
    r"|^[^/]+/__init__\.pyi?$|\.(txt|md|rst|typed)$",
)
"""Files that packages leave at the top by mistake, and shared name spaces."""


@check(
    "PDR840",
    "Two installed distributions own the same files",
    after=("PDR816", "PDR835", "PDR836", "PDR841", "PDR852", "PDR855"),
)
def duplicate_distributions(
    packages: Packages, interpreter: Interpreter | None, /
) -> Findings:
    """
    Look for files with two owners, and for one distribution with two metadata folders.

    ## Why it hurts

    `opencv-python` and `opencv-python-headless` both write `cv2/`: what runs is a
    mixture that depends on the order of installation, and removing one of them breaks
    the other. Two metadata folders of one name mean that an update went wrong: pip
    believes one of them, the files belong to the other.

    ## How it is judged

    By the RECORD files, folder by folder. Tests, documentation and the `__init__.py`
    of shared name spaces at the top do not count, nor do two metadata folders of one
    version, as Debian's packages have them. It is a risk where a binary or one
    of the packages that pipelines stand on is concerned, otherwise a note.

    ## Sources

    - https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    - https://github.com/opencv/opencv-python
    """
    for shared in packages.shared:
        if not _HARMLESS.search(shared.example):
            yield _overlap(shared, interpreter)
    yield from _twice(packages, interpreter)


def _overlap(shared: Shared, place: Interpreter | None) -> Finding:
    grave = shared.example.endswith((".so", ".pyd")) or any(
        owner in _pip.WEIGHTY for owner in shared.owners
    )
    keep = shared.owners[-1]
    owners = " and ".join(shared.owners)
    return Finding(
        severity=Severity.RISKS if grave else Severity.NOTE,
        summary=f"{owners} own {shared.files} files together, such as {shared.example}",
        evidence={"owners": list(shared.owners), "files": shared.files},
        remedies=(
            _pip.uninstall(
                place, f"Remove all of them but {keep}", *shared.owners[:-1]
            ),
            _pip.reinstall(place, "Then put its own files back", keep),
        ),
    )


def _twice(packages: Packages, place: Interpreter | None) -> Iterator[Finding]:
    copies: dict[tuple[str, str], list[str]] = {}
    for entry in packages.entries:
        if entry.location:
            copies.setdefault((entry.name, entry.location), []).append(entry.version)
    for (name, location), versions in copies.items():
        if len(set(versions)) > 1:
            yield Finding(
                severity=Severity.RISKS if name in _pip.WEIGHTY else Severity.NOTE,
                summary=f"{name} has {len(versions)} metadata folders in one place: "
                f"{', '.join(versions)}",
                evidence={"name": name, "versions": versions, "location": location},
                remedies=(
                    _pip.uninstall(place, "Remove it until nothing is found", name),
                    _pip.install(place, "Then install it once", name),
                ),
            )
