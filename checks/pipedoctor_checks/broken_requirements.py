"""PDR862: do installed distributions lack what they require?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Missing, Requirements
from pipedoctor_checks import _pip

_NAMED = 3


@check(
    "PDR862",
    "Installed packages lack what they require",
    after=("PDR831", "PDR832", "PDR837", "PDR841"),
)
def broken_requirements(
    requirements: Requirements, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare the requirements of every installed distribution with what is installed.

    ## Why it hurts

    A package that runs with another version than it asked for may import and then fail
    in the middle of an epoch. It also shows that somebody forced an installation: the
    next one may undo it.

    ## How it is judged

    As `pip check` does, for the examined interpreter and without starting it: markers
    are evaluated, extras are left out. Where torch, numpy, an image library or one of
    their requirements is concerned it is a risk, otherwise a note.

    ## Sources

    - https://pip.pypa.io/en/stable/cli/pip_check/
    """
    if not requirements.unmet:
        return
    weighty = [missing for missing in requirements.unmet if _weighty(missing)]
    first = [*weighty, *(m for m in requirements.unmet if m not in weighty)]
    rest = len(first) - _NAMED
    named = "; ".join(map(_said, first[:_NAMED]))
    wanted = dict.fromkeys(missing.requirement for missing in weighty or first)
    yield Finding(
        severity=Severity.RISKS if weighty else Severity.NOTE,
        summary=f"{named}{f'; and {rest} more' if rest > 0 else ''}",
        evidence={"unmet": [_said(missing) for missing in first]},
        remedies=(_pip.install(interpreter, "Install what is asked for", *wanted),),
    )


def _said(missing: Missing) -> str:
    found = f"{missing.found} is" if missing.found else "nothing is"
    return f"{missing.owner} needs {missing.requirement}, {found} installed"


def _weighty(missing: Missing) -> bool:
    named = missing.requirement.lower()
    return missing.owner in _pip.WEIGHTY or any(
        named.startswith(name) and not named[len(name) : len(name) + 1].isalnum()
        for name in _pip.WEIGHTY
    )
