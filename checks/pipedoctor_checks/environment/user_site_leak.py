"""PDR860: do packages of ~/.local mix into this environment?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, Site
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.path_variables import exclude_user_site
from pipedoctor_checks.environment import _shadowing


@check("PDR860", "Packages in the user's site folder leak into the environment")
def user_site_leak(
    interpreter: Interpreter, packages: Packages, site: Site | None = None, /
) -> Findings:
    """
    Look for packages in `~/.local` that take precedence over the environment's own.

    ## Why it hurts

    "It works for me": another user, a container or a batch job does not have these
    packages, and the environment file does not list them. An old torch there hides the
    one that was installed on purpose.

    ## How it is judged

    The user's site folder is on the import path before the environment's. Virtual
    environments exclude it; conda environments do not. A package there that hides
    another version in the environment is a risk if a pipeline depends on it, and so is
    such a package in a conda environment. Nothing else is reported for the system's
    Python, because pip installs to `~/.local` there.

    ## Sources

    - https://docs.python.org/3/library/site.html
    """
    if not interpreter.user_site:
        return
    found = _shadowing.find_shadowed(packages, (interpreter.user_site,))
    weighty = sorted({*found.hidden, *(found.added if _is_conda(interpreter) else ())})
    weighty = [name for name in weighty if name in pip_command.CORE_PACKAGES]
    if not weighty and not (found.hidden or (found.added and _is_conda(interpreter))):
        return
    yield Finding(
        severity=Severity.RISKS if weighty else Severity.NOTE,
        summary=f"{interpreter.user_site} {found.describe(weighty)}",
        evidence={"hidden": found.hidden, "added": len(found.added)},
        remedies=exclude_user_site(site),
    )


def _is_conda(interpreter: Interpreter) -> bool:
    return interpreter.kind == "conda"
