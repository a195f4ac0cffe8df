"""PDR861: does PYTHONPATH bring packages of another environment?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, Site
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import get_series
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.path_variables import unset_pythonpath
from pipedoctor_checks.environment import _shadowing

_OTHER_PYTHON = compile_lazily(r"/python(3\.\d+)/")


@check("PDR861", "PYTHONPATH adds packages of another environment")
def pythonpath_leak(
    interpreter: Interpreter, packages: Packages, site: Site | None = None, /
) -> Findings:
    """
    Look for installed packages in the folders listed in PYTHONPATH.

    ## Why it hurts

    PYTHONPATH takes precedence over everything else, in every interpreter started from
    this shell, including other versions: a torch found there hides the environment's
    own, or its compiled parts do not load at all.

    ## How it is judged

    A folder in PYTHONPATH belongs to another Python version, or contains installed
    packages that hide the environment's: a risk if a pipeline depends on them,
    otherwise a note. Folders with only source code are the intended use of PYTHONPATH.

    ## Sources

    - https://docs.python.org/3/using/cmdline.html#envvar-PYTHONPATH
    """
    leaks = {
        folder: found
        for folder in interpreter.pythonpath
        if (found := _find_leak(folder, interpreter, packages)) is not None
    }
    kept = [folder for folder in interpreter.pythonpath if folder not in leaks]
    for folder, found in leaks.items():
        other = _find_other_python(folder, interpreter)
        weighty = [n for n in (*found.hidden, *found.added) if n in pip_command.CORE_PACKAGES]
        of_another = f" of Python {other}" if other else ""
        yield Finding(
            severity=Severity.RISKS if weighty else Severity.NOTE,
            summary=f"PYTHONPATH contains {folder}{of_another}, which {found.describe(weighty)}",
            evidence={"folder": folder, "hidden": found.hidden, "python": other},
            remedies=unset_pythonpath(site, kept),
        )


def _find_leak(
    folder: str, interpreter: Interpreter, packages: Packages
) -> _shadowing.ShadowedPackages | None:
    found = _shadowing.find_shadowed(packages, (folder,))
    foreign = found.added and _find_other_python(folder, interpreter)
    return found if found.hidden or foreign else None


def _find_other_python(folder: str, interpreter: Interpreter) -> str:
    """The version that a folder belongs to, if it is another one."""
    own = get_series(interpreter.version)
    match = _OTHER_PYTHON.search(f"{folder}/")
    return match[1] if match and own and match[1] != own else ""
