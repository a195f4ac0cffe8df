"""PDR851: does this Pillow lack security fixes?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Distribution, Interpreter, Packages
from pipedoctor.facts.world_pillow import PillowFix, PillowFixes
from pipedoctor.remedy import Remedy
from pipedoctor.versions import reaches
from pipedoctor_checks import _library_words, _pip

_FORKS = ("pillow", "pillow-simd")
_OTHERS = "dist-packages"
"""Distributions of Linux put fixes into old versions."""


@check("PDR851", "Pillow lacks security fixes", after=("PDR852",))
def pillow_outdated(
    packages: Packages, fixes: PillowFixes, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare the version of Pillow, or of Pillow-SIMD, with its security releases.

    ## Why it hurts

    Whoever can place a file in a data set can make an old decoder crash, hang, fill the
    memory, or worse. Data sets from the network are such files.

    ## How it is judged

    By the version and a table of the releases that fix vulnerabilities; some of these
    concern only the versions just before, so the number is an upper bound. Copies
    that a Linux distribution maintains (in `dist-packages`) or that carry a vendor's
    mark (`+tuxcare`) get fixes without a new version and are not judged. In a text
    that lists only some packages it is a note. Versions newer than the table are not
    judged either.

    Pillow-SIMD follows Pillow months later. It makes resizing, filters and
    conversions faster, not the decoding of JPEG, and there are no wheels of it: it is
    compiled on the spot, for one instruction set, with the system's JPEG library.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/releasenotes/index.html
    - https://github.com/uploadcare/pillow-simd
    """
    copies = [copy for name in _FORKS if (copy := packages.find(name))]
    if not copies:
        message = "Pillow is not installed"
        raise CannotJudge(message)
    for copy in copies:
        lacking = tuple(fixes.missing(copy.version))
        theirs = copy.location.endswith(_OTHERS) or "+" in copy.version
        if not lacking or theirs or not all(row.confirmed for row in lacking[-1:]):
            continue
        cves = sorted({cve for row in lacking for cve in row.cves})
        yield Finding(
            severity=Severity.RISKS if packages.complete else Severity.NOTE,
            summary=f"{copy.name} {copy.version} lacks the security fixes of "
            f"{_listed([row.version for row in lacking])}",
            evidence={"vulnerabilities": cves, "version": copy.version},
            remedies=_remedies(copy, lacking, interpreter),
        )


def _listed(versions: list[str]) -> str:
    newest = versions[-1]
    more = len(versions) - 1
    return (
        f"Pillow {newest}"
        + (f" and {more} earlier releases" if more > 1 else "")
        + (f" and {versions[0]}" if more == 1 else "")
    )


def _remedies(
    copy: Distribution, lacking: tuple[PillowFix, ...], place: Interpreter | None
) -> tuple[Remedy, ...]:
    """The newest release that this Python can have; none is no remedy."""
    python = place.version if place else ""
    possible = [
        r for r in lacking if not python or not r.python or reaches(python, r.python)
    ]
    if not possible:
        return (
            _library_words.by_hand(
                f"Move to Python {lacking[-1].python} or newer: no fixed Pillow runs "
                f"on {python}"
            ),
        )
    wanted = f"pillow>={possible[-1].version}"
    if copy.name == "pillow-simd":
        return (
            _pip.uninstall(place, "Remove the fork, which lags behind", "pillow-simd"),
            _pip.install(place, "Then install Pillow itself", wanted),
        )
    return (
        _pip.install(place, f"Install Pillow {possible[-1].version} or newer", wanted),
    )
