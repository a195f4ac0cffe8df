"""PDR855: does the old pynvml hide nvidia-ml-py?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages
from pipedoctor.versions import major
from pipedoctor_checks import _pip

_ONLY_TOOLS = 12
"""From this version on, pynvml is an empty shell around nvidia-ml-py."""


@check("PDR855", "The old pynvml hides nvidia-ml-py's module")
def pynvml_clobbered(
    packages: Packages, interpreter: Interpreter | None, /
) -> Findings:
    """
    Look for two distributions that both install the module `pynvml`.

    ## Why it hurts

    The old package brings a folder `pynvml/`, nvidia-ml-py a module `pynvml.py` beside
    it: the folder wins, or the file of the other does where both are modules. With
    pynvml's copy of 2023, calls for newer cards and drivers are missing.

    ## How it is judged

    `nvidia-ml-py` is there together with a `pynvml` older than 12, which still brought
    its own copy of the module. The project is deprecated; from 12 on it only depends on
    `nvidia-ml-py`, which does no harm.

    ## Sources

    - https://github.com/gpuopenanalytics/pynvml
    """
    old, real = packages.find("pynvml"), packages.find("nvidia-ml-py")
    if old is None or real is None or (major(old.version) or 0) >= _ONLY_TOOLS:
        return
    yield Finding(
        severity=Severity.RISKS,
        summary=f"pynvml {old.version} hides the module of nvidia-ml-py {real.version}",
        evidence={"pynvml": old.version, "nvidia-ml-py": real.version},
        remedies=(
            _pip.uninstall(interpreter, "Remove the deprecated package", "pynvml"),
            _pip.reinstall(interpreter, "Then put the module back", "nvidia-ml-py"),
        ),
    )
