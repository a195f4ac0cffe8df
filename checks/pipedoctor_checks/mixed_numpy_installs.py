"""PDR836: do pip's and conda's numpy differ?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Conda, Interpreter, Packages
from pipedoctor_checks import _pip

_RECORDS = ("numpy", "numpy-base")


@check("PDR836", "numpy of pip lies over another numpy of conda", after=("PDR841",))
def mixed_numpy_installs(
    packages: Packages, conda: Conda | None, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare the versions of numpy that pip and conda believe to have installed.

    ## Why it hurts

    Packages that conda built against its numpy run with pip's: at best a warning about
    the binary interface, at worst a crash in the first array operation. conda's next
    update then repairs its numpy and breaks pip's.

    ## How it is judged

    The numpy metadata on the import path and conda's record (`numpy`, and `numpy-base`
    of the defaults channel) name different versions.

    ## Sources

    - https://numpy.org/doc/stable/user/troubleshooting-importerror.html
    """
    by_pip = {
        entry.version
        for entry in packages.all("numpy")
        if entry.installer != "conda" or entry.channel == "pypi"
    }
    records = [conda.find(name) for name in _RECORDS] if conda is not None else []
    by_conda = {r.version for r in records if r is not None and r.channel != "pypi"} | {
        entry.version
        for name in _RECORDS
        for entry in packages.all(name)
        if entry.installer == "conda" and entry.channel != "pypi"
    }
    if not by_pip or not by_conda or by_pip & by_conda:
        return
    theirs, ours = ", ".join(sorted(by_pip)), ", ".join(sorted(by_conda))
    yield Finding(
        severity=Severity.RISKS,
        summary=f"numpy {theirs} of pip lies over numpy {ours} of conda",
        evidence={"pip": sorted(by_pip), "conda": sorted(by_conda)},
        remedies=(
            _pip.uninstall(
                interpreter,
                "Remove pip's copy, then `conda install --force-reinstall numpy`",
                "numpy",
            ),
        ),
    )
