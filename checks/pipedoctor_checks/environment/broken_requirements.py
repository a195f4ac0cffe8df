"""PDR862: do installed distributions lack what they require?"""

from pipedoctor.check import Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Interpreter, Missing, Packages, Requirements
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import satisfies
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.fitting_versions import explain_owners, fit_requirement

_MAX_NAMES = 3
_REQUIREMENT = compile_lazily(r"(?P<name>[\w.-]+)(?P<specifier>.*)")
_STAND_INS = {
    "opencv-python": (
        "opencv-python-headless",
        "opencv-contrib-python",
        "opencv-contrib-python-headless",
    ),
    "opencv-python-headless": (
        "opencv-python",
        "opencv-contrib-python-headless",
        "opencv-contrib-python",
    ),
    "opencv-contrib-python": ("opencv-contrib-python-headless",),
    "opencv-contrib-python-headless": ("opencv-contrib-python",),
    "pillow": ("pillow-simd",),
}
"""Distributions that install the same module: together they overwrite each other."""


@check(
    "PDR862",
    "Requirements of installed packages are not met",
    after=("PDR831", "PDR832", "PDR837", "PDR841"),
)
def broken_requirements(
    requirements: Requirements, packages: Packages | None, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare the requirements of every installed distribution with what is installed.

    ## Why it hurts

    A package that runs with a version other than the one it requires may import and
    then fail in the middle of an epoch. It also shows that an installation was forced:
    the next one may undo it.

    ## How it is judged

    As `pip check` does, for the examined interpreter and without starting it: markers
    are evaluated, extras are left out. A distribution that installs the same module, as
    `opencv-python-headless` does for `opencv-python`, meets a requirement of the other:
    both together would overwrite each other. If it concerns torch, numpy, an image library or
    one of their requirements it is a risk, otherwise a note.

    ## Sources

    - https://pip.pypa.io/en/stable/cli/pip_check/
    """
    unmet = [one for one in requirements.unmet if not _has_stand_in(one, packages)]
    if not unmet:
        return
    weighty = [missing for missing in unmet if _is_core_package(missing)]
    first = [*weighty, *(m for m in unmet if m not in weighty)]
    rest = len(first) - _MAX_NAMES
    named = "; ".join(map(_describe_missing, first[:_MAX_NAMES]))
    yield Finding(
        severity=Severity.RISKS if weighty else Severity.NOTE,
        summary=f"{named}{f'; and {rest} more' if rest > 0 else ''}",
        evidence={"unmet": [_describe_missing(missing) for missing in first]},
        remedies=(_install_required(first, requirements, interpreter),),
    )


def _has_stand_in(missing: Missing, packages: Packages | None) -> bool:
    """Does another distribution bring this module, in a version that is new enough?"""
    name, specifier = _split_requirement(missing.requirement)
    others = _STAND_INS.get(name, ()) if packages is not None and not missing.found else ()
    copies = [copy for other in others if packages and (copy := packages.find(other))]
    return any(satisfies(specifier, copy.version) for copy in copies)


def _split_requirement(requirement: str) -> tuple[str, str]:
    """The normalised name, and the clauses."""
    match = _REQUIREMENT.fullmatch(requirement)
    if match is None:
        return requirement, ""
    return match["name"].lower().replace("_", "-").replace(".", "-"), match["specifier"]


def _install_required(
    unmet: list[Missing], requirements: Requirements, place: Interpreter | None
) -> Remedy:
    """What is asked for, within what all others allow, and those that do not allow it."""
    asked: dict[str, list[str]] = {}
    for missing in unmet:
        name, specifier = _split_requirement(missing.requirement)
        asked.setdefault(name, []).extend(filter(None, specifier.split(",")))
    wanted: list[str] = []
    changed: list[str] = []
    for name, clauses in asked.items():
        once = tuple(dict.fromkeys(clauses))
        requirement, owners = fit_requirement(name, once, requirements.bounds)
        wanted += [requirement] * bool(requirement)
        changed += [owner for owner in owners if owner not in {*changed, *asked}]
    title = f"Install the required versions{explain_owners(tuple(changed))}"
    return pip_command.install(place, title, *wanted, *changed)


def _describe_missing(missing: Missing) -> str:
    found = f"{missing.found} is" if missing.found else "nothing is"
    return f"{missing.owner} needs {missing.requirement}, {found} installed"


def _is_core_package(missing: Missing) -> bool:
    named = missing.requirement.lower()
    return missing.owner in pip_command.CORE_PACKAGES or any(
        named.startswith(name) and not named[len(name) : len(name) + 1].isalnum()
        for name in pip_command.CORE_PACKAGES
    )
