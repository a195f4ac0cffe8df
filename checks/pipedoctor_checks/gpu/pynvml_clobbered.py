"""PDR855: does the old pynvml hide nvidia-ml-py?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages
from pipedoctor.versions import get_major
from pipedoctor_checks._shared import pip_command

_FIRST_WITHOUT_PYNVML = 12
"""From this version on, pynvml only depends on nvidia-ml-py."""


@check("PDR855", "The old pynvml hides nvidia-ml-py's module")
def pynvml_clobbered(packages: Packages, interpreter: Interpreter | None, /) -> Findings:
    """
    Look for two distributions that both install the module `pynvml`.

    ## Why it hurts

    The old package installs a folder `pynvml/`, nvidia-ml-py a module `pynvml.py` next
    to it: the folder is imported, or, if both are modules, one file overwrites the
    other. With pynvml's copy of 2023, calls for newer GPUs and drivers are missing.

    ## How it is judged

    `nvidia-ml-py` is installed together with a `pynvml` older than 12, which still
    contained its own copy of the module. The project is deprecated; from 12 on it only
    depends on `nvidia-ml-py`, which does no harm.

    ## Sources

    - https://github.com/gpuopenanalytics/pynvml
    """
    old, real = packages.find("pynvml"), packages.find("nvidia-ml-py")
    if old is None or real is None or (get_major(old.version) or 0) >= _FIRST_WITHOUT_PYNVML:
        return
    yield Finding(
        severity=Severity.RISKS,
        summary=f"pynvml {old.version} hides the module of nvidia-ml-py {real.version}",
        evidence={"pynvml": old.version, "nvidia-ml-py": real.version},
        remedies=(
            pip_command.uninstall(interpreter, "Remove the deprecated package", "pynvml"),
            pip_command.reinstall(
                interpreter,
                "Then restore the module",
                pip_command.pin_version(packages, "nvidia-ml-py"),
            ),
        ),
    )
