"""PDR861: does PYTHONPATH bring packages of another environment?"""

import re

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages
from pipedoctor.remedy import Lasts, Place, Remedy
from pipedoctor.versions import series
from pipedoctor_checks import _pip, _shadowing

_OTHER = re.compile(r"/python(3\.\d+)/")


@check("PDR861", "PYTHONPATH brings packages of another environment")
def pythonpath_leak(interpreter: Interpreter, packages: Packages, /) -> Findings:
    """
    Look for installed packages in the folders that PYTHONPATH names.

    ## Why it hurts

    PYTHONPATH comes before everything else, in every interpreter that this shell
    starts, also in one of another version: a torch found there hides the environment's
    own, or its compiled parts do not load at all.

    ## How it is judged

    A folder of PYTHONPATH belongs to another Python version, or holds installed
    packages that hide the environment's: a risk when a pipeline stands on them,
    otherwise a note. Folders with nothing but source code are what PYTHONPATH is for.

    ## Sources

    - https://docs.python.org/3/using/cmdline.html#envvar-PYTHONPATH
    """
    own = series(interpreter.version)
    for folder in interpreter.pythonpath:
        found = _shadowing.of(packages, (folder,))
        match = _OTHER.search(f"{folder}/")
        other = match[1] if match and own and match[1] != own else ""
        if not found.hidden and not (other and found.added):
            continue
        weighty = [n for n in (*found.hidden, *found.added) if n in _pip.WEIGHTY]
        of_another = f" of Python {other}" if other else ""
        yield Finding(
            severity=Severity.RISKS if weighty else Severity.NOTE,
            summary=f"PYTHONPATH names {folder}{of_another}, which "
            f"{found.words(weighty)}",
            evidence={"folder": folder, "hidden": found.hidden, "python": other},
            remedies=(
                Remedy(
                    title="Start the job without it",
                    argv=("unset", "PYTHONPATH"),
                    lasts=Lasts.PROCESS,
                    place=Place.LAUNCHER,
                    advice=True,
                ),
            ),
        )
