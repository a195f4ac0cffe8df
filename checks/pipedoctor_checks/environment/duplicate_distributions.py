"""PDR840: do two distributions own the same files, or one name twice?"""

from collections.abc import Iterator

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, Shared
from pipedoctor.versions import parse_version
from pipedoctor_checks._shared import pip_command


@check(
    "PDR840",
    "Two installed distributions own the same files",
    after=("PDR816", "PDR835", "PDR836", "PDR841", "PDR852", "PDR855"),
)
def duplicate_distributions(packages: Packages, interpreter: Interpreter | None, /) -> Findings:
    """
    Look for files with two owners, and for one distribution with two metadata folders.

    ## Why it hurts

    `opencv-python` and `opencv-python-headless` both write `cv2/`: the result is a
    mixture that depends on the order of installation, and removing one of them breaks
    the other. Two metadata folders of one name mean that an update failed: pip trusts
    one of them, the files belong to the other.

    ## How it is judged

    By the RECORD files, folder by folder. Not counted: tests, documentation, the
    `__init__.py` of shared top-level namespaces, and two metadata folders of one
    version, as Debian's packages have them. It is a risk if it concerns a binary or one
    of the packages that pipelines depend on, otherwise a note. Of OpenCV's builds the
    one with the extra modules should stay, which contains the others, and the headless
    one of two.

    ## Sources

    - https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    - https://github.com/opencv/opencv-python
    """
    for shared in packages.shared:
        if not shared.is_harmless and len(set(shared.owners)) > 1:
            yield _report_overlap(shared, packages, interpreter)
    yield from _report_duplicates(packages, interpreter)


def _report_overlap(overlap: Shared, packages: Packages, place: Interpreter | None) -> Finding:
    grave = overlap.example.endswith((".so", ".pyd")) or any(
        owner in pip_command.CORE_PACKAGES for owner in overlap.owners
    )
    names = tuple(dict.fromkeys(overlap.owners))
    keep = max(names, key=_rank_owner)
    owners = " and ".join(names)
    return Finding(
        severity=Severity.RISKS if grave else Severity.NOTE,
        summary=f"{owners} own the same {overlap.files} files, such as {overlap.example}",
        evidence={"owners": list(overlap.owners), "files": overlap.files},
        remedies=(
            pip_command.uninstall(
                place,
                f"Remove all of them except {keep}",
                *(name for name in names if name != keep),
            ),
            pip_command.reinstall(
                place, "Then reinstall its own files", pip_command.pin_version(packages, keep)
            ),
        ),
    )


def _rank_owner(name: str) -> tuple[bool, str]:
    """OpenCV with its extra modules contains the other; a headless build comes last."""
    return "-contrib-" in name, name


def _report_duplicates(packages: Packages, place: Interpreter | None) -> Iterator[Finding]:
    copies: dict[tuple[str, str], list[str]] = {}
    for entry in packages.entries:
        if entry.location:
            copies.setdefault((entry.name, entry.location), []).append(entry.version)
    for (name, location), versions in copies.items():
        if len(set(versions)) > 1:
            yield Finding(
                severity=Severity.RISKS if name in pip_command.CORE_PACKAGES else Severity.NOTE,
                summary=f"{name} has {len(versions)} metadata folders in one place:"
                f" {', '.join(versions)}",
                evidence={"name": name, "versions": versions, "location": location},
                remedies=(
                    *pip_command.uninstall_copies(place, name, len(versions)),
                    pip_command.install(
                        place,
                        "Then install it once",
                        f"{name}=={max(versions, key=parse_version).partition('+')[0]}",
                    ),
                )
                if place is None or location not in (*place.pythonpath, place.user_site)
                else (),
            )
