"""PDR860: do packages of ~/.local mix into this environment?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages
from pipedoctor.remedy import Remedy, environment
from pipedoctor_checks import _pip, _shadowing


@check("PDR860", "Packages of the user's site folder mix into the environment")
def user_site_leak(interpreter: Interpreter, packages: Packages, /) -> Findings:
    """
    Look for packages of `~/.local` that come before the environment's own.

    ## Why it hurts

    "It works for me": another user, a container or a batch job does not have these
    packages, and the environment file does not name them. An old torch there hides the
    one that was installed on purpose.

    ## How it is judged

    The user's site folder is on the import path before the environment's. Virtual
    environments leave it out; conda environments do not. A package there that hides
    another version of the environment is a risk when a pipeline stands on it, and so
    is such a package in a conda environment. The system's Python is silent otherwise:
    `~/.local` is where pip installs for it.

    ## Sources

    - https://docs.python.org/3/library/site.html
    """
    if not interpreter.user_site:
        return
    found = _shadowing.of(packages, (interpreter.user_site,))
    weighty = sorted({*found.hidden, *(found.added if _conda(interpreter) else ())})
    weighty = [name for name in weighty if name in _pip.WEIGHTY]
    if not weighty and not (found.hidden or (found.added and _conda(interpreter))):
        return
    yield Finding(
        severity=Severity.RISKS if weighty else Severity.NOTE,
        summary=f"{interpreter.user_site} {found.words(weighty)}",
        evidence={"hidden": found.hidden, "added": len(found.added)},
        remedies=_leave_out(),
    )


def _conda(interpreter: Interpreter) -> bool:
    return interpreter.kind == "conda"


def _leave_out() -> tuple[Remedy, ...]:
    return environment("Leave the user's site folder out", PYTHONNOUSERSITE=1)[:1]
