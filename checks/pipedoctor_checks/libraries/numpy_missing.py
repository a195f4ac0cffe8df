"""PDR838: is torch installed without numpy?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Packages, TorchBuild, TorchImport
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared import pip_command

_FIRST_WITH_NUMPY_2 = "2.4.1"
"""Wheels of torch for Windows before this one, and for Linux before 2.3, know numpy 1 only."""
_MESSAGE = "Failed to initialize NumPy: No module named"


@check("PDR838", "torch is installed without numpy")
def numpy_missing(
    torch: TorchBuild,
    packages: Packages | None,
    torch_import: TorchImport | None,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Look for a torch without numpy, which it needs to exchange arrays.

    ## Why it hurts

    torch imports with a warning, and the first `tensor.numpy()`, `torch.from_numpy()`
    or image transform fails with `Numpy is not available`, often in a worker.

    ## How it is judged

    No numpy is on the import path, or importing torch reported it. An incomplete list
    of packages (in text from another machine) is no proof that numpy is missing.

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
    """
    reported = torch_import is not None and any(_MESSAGE in line for line in torch_import.warnings)
    absent = packages is None or packages.find("numpy") is None
    if absent and not reported and (packages is None or not packages.complete):
        message = "whether numpy is installed is not known"
        raise CannotJudge(message)
    if not reported and not absent:
        return
    wanted = "numpy" if is_at_least(torch.version, _FIRST_WITH_NUMPY_2) else "numpy<2"
    yield Finding(
        severity=Severity.RISKS,
        summary=f"torch {torch.version} has no numpy: tensor.numpy() will fail",
        evidence={"torch.version": torch.version, "said": reported},
        remedies=(pip_command.install(interpreter, "Install numpy", wanted),),
    )
