"""PDR851: does this Pillow lack security fixes?"""

from msgspec.structs import replace

from pipedoctor.check import Finding, Findings, NotApplicable, Remedy, Severity, check
from pipedoctor.facts import Distribution, Interpreter, Packages, Requirements
from pipedoctor.facts.world_pillow import PillowFix, PillowFixes
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks._shared.fitting_versions import install_version
from pipedoctor_checks.images._pillow_forks import PILLOW_FORKS

_DISTRO_FOLDER = "dist-packages"
"""Linux distributions backport fixes to old versions."""


@check("PDR851", "Pillow lacks security fixes", after=("PDR852",))
def pillow_outdated(
    packages: Packages,
    fixes: PillowFixes,
    interpreter: Interpreter | None,
    requirements: Requirements | None = None,
    /,
) -> Findings:
    """
    Compare the version of Pillow, or of Pillow-SIMD, with its security releases.

    ## Why it hurts

    Anyone who can place a file in a dataset can make an old decoder crash, hang, fill
    the memory, or worse. Datasets from the network contain such files.

    ## How it is judged

    By the version and a table of the releases that fix vulnerabilities; some of these
    affect only the versions just before, so the number is an upper bound. Copies that a
    Linux distribution maintains (in `dist-packages`) or that carry a vendor's mark
    (`+tuxcare`) get fixes without a new version and are not judged. For a text that
    lists only some packages it is a note. Versions newer than the table are not judged
    either.

    Pillow-SIMD follows Pillow with a delay of months. It makes resizing, filters and
    conversions faster, but not JPEG decoding, and there are no wheels: it is compiled
    during installation, for one instruction set, with the system's JPEG library.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/releasenotes/index.html
    - https://github.com/uploadcare/pillow-simd
    """
    copies = [copy for name in PILLOW_FORKS if (copy := packages.find(name))]
    if not copies:
        message = "Pillow is not installed"
        raise NotApplicable(message)
    for copy in copies:
        lacking = tuple(fixes.iter_newer(copy.version))
        theirs = copy.location.endswith(_DISTRO_FOLDER) or "+" in copy.version
        if not lacking or theirs or not all(row.confirmed for row in lacking[-1:]):
            continue
        cves = sorted({cve for row in lacking for cve in row.cves})
        yield Finding(
            severity=Severity.RISKS if packages.complete else Severity.NOTE,
            summary=f"{copy.name} {copy.version} lacks the security fixes of "
            f"{_format_versions([row.version for row in lacking])}",
            evidence={"vulnerabilities": cves, "version": copy.version},
            remedies=_update_pillow(copy, lacking, interpreter, requirements),
        )


def _format_versions(versions: list[str]) -> str:
    newest = versions[-1]
    more = len(versions) - 1
    return (
        f"Pillow {newest}"
        + (f" and {more} earlier releases" if more > 1 else "")
        + (f" and {versions[0]}" if more == 1 else "")
    )


def _update_pillow(
    copy: Distribution,
    lacking: tuple[PillowFix, ...],
    place: Interpreter | None,
    requirements: Requirements | None,
) -> tuple[Remedy, ...]:
    """The newest release available for this Python; none if there is none."""
    python = place.version if place else ""
    possible = [r for r in lacking if not python or not r.python or is_at_least(python, r.python)]
    if not possible:
        return (
            advise_user(
                f"Upgrade to Python {lacking[-1].python} or newer: no fixed Pillow supports"
                f" {python}"
            ),
        )
    newest = possible[-1].version
    title = f"Install Pillow {newest} or newer"
    install = install_version(place, title, requirements, f"pillow>={newest}", newest)
    if copy.name == "pillow-simd":
        return (
            pip_command.uninstall(place, "Remove the fork, which is behind Pillow", "pillow-simd"),
            replace(install, title=f"Then i{install.title[1:]}"),
        )
    return (install,)
