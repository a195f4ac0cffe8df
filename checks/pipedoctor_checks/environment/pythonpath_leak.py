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
    own = get_series(interpreter.version)
    for folder in interpreter.pythonpath:
        found = _shadowing.find_shadowed(packages, (folder,))
        match = _OTHER_PYTHON.search(f"{folder}/")
        other = match[1] if match and own and match[1] != own else ""
        if not found.hidden and not (other and found.added):
            continue
        weighty = [n for n in (*found.hidden, *found.added) if n in pip_command.CORE_PACKAGES]
        of_another = f" of Python {other}" if other else ""
        yield Finding(
            severity=Severity.RISKS if weighty else Severity.NOTE,
            summary=f"PYTHONPATH contains {folder}{of_another}, which {found.describe(weighty)}",
            evidence={"folder": folder, "hidden": found.hidden, "python": other},
            remedies=unset_pythonpath(site),
        )
