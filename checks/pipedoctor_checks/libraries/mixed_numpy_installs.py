"""PDR836: do pip's and conda's numpy differ?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Conda, Distribution, Interpreter, Packages
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.conda_command import reinstall_by_conda

_RECORD_NAMES = ("numpy", "numpy-base")


@check("PDR836", "pip's numpy has overwritten conda's numpy", after=("PDR841",))
def mixed_numpy_installs(
    packages: Packages, conda: Conda | None, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare the versions of numpy recorded by pip and by conda.

    ## Why it hurts

    Packages that conda built against its numpy run with pip's: at best a warning about
    the binary interface, at worst a crash in the first array operation. conda's next
    update then repairs its numpy and breaks pip's.

    ## How it is judged

    The numpy metadata on the import path and conda's record (`numpy`, and `numpy-base`
    of the defaults channel) name different versions. A copy in the user's site folder or
    in a folder of PYTHONPATH only hides conda's: see `user-site-leak`.

    ## Sources

    - https://numpy.org/doc/stable/user/troubleshooting-importerror.html
    """
    by_pip = {
        entry.version
        for entry in packages.find_all("numpy")
        if (entry.installer != "conda" or entry.channel == "pypi")
        and not _is_outside(entry, interpreter)
    }
    listed = [entry for name in _RECORD_NAMES for entry in packages.find_all(name)]
    records = [conda.find(name) for name in _RECORD_NAMES] if conda is not None else []
    known = {r.name: r.version for r in records if r is not None and r.channel != "pypi"} | {
        entry.name: entry.version
        for entry in listed
        if entry.installer == "conda" and entry.channel != "pypi"
    }
    by_conda = set(known.values())
    if not by_pip or not by_conda or by_pip & by_conda:
        return
    theirs, ours = ", ".join(sorted(by_pip)), ", ".join(sorted(by_conda))
    yield Finding(
        severity=Severity.RISKS,
        summary=f"pip's numpy {theirs} has overwritten conda's numpy {ours}",
        evidence={"pip": sorted(by_pip), "conda": sorted(by_conda)},
        remedies=(
            pip_command.uninstall(interpreter, "Remove pip's copy", "numpy"),
            reinstall_by_conda(
                conda.prefix if conda is not None else "",
                "Then reinstall conda's own files",
                known,
            ),
        ),
    )


def _is_outside(entry: Distribution, place: Interpreter | None) -> bool:
    """Is it in a folder that a variable adds, so that conda's files are whole?"""
    return place is not None and entry.location in {*place.pythonpath, place.user_site} - {""}
