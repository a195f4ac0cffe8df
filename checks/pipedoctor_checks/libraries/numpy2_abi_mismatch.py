"""PDR837: is numpy 2 used by a torch that was built for numpy 1?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Interpreter, Packages, Requirements, Site, TorchBuild, TorchImport
from pipedoctor.versions import get_major, is_at_least
from pipedoctor_checks._shared.fitting_versions import install_version

_MESSAGES = ("_ARRAY_API not found", "compiled using NumPy 1.x")
_NEWEST_NUMPY_1 = "1.26.4"


@check("PDR837", "numpy 2 with a torch that was built for numpy 1")
def numpy2_abi_mismatch(
    packages: Packages | None,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    site: Site | None,
    interpreter: Interpreter | None,
    requirements: Requirements | None = None,
    /,
) -> Findings:
    """
    Look for numpy 2 under a torch, or another module, compiled for numpy 1.

    ## Why it hurts

    `A module that was compiled using NumPy 1.x cannot be run in NumPy 2`: torch still
    imports, but every `tensor.numpy()` and every collated array fails with
    `Numpy is not available`.

    ## How it is judged

    numpy 2 or newer is installed and torch is older than 2.3 (2.4.1 on Windows), or
    importing torch reported it.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/107302
    - https://numpy.org/doc/stable/numpy_2_0_migration_guide.html
    """
    numpy = packages.find("numpy") if packages is not None else None
    messages = [
        line
        for line in (torch_import.warnings if torch_import is not None else ())
        if any(sign in line for sign in _MESSAGES)
    ]
    version = numpy.version if numpy is not None else ""
    windows = site is not None and site.system == "windows"
    least = "2.4.1" if windows else "2.3"
    old = (
        torch is not None
        and (get_major(version) or 0) > 1
        and bool(get_major(torch.version))
        and not is_at_least(torch.version, least)
    )
    if not messages and not old:
        if torch is None or numpy is None:
            message = "the installed versions of torch and numpy are not known"
            raise CannotJudge(message)
        return
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"numpy {version or '2'} is installed, but torch"
        f" {torch.version if torch else ''} was built for numpy 1".replace("  ", " "),
        evidence={"numpy": version, "said": messages},
        remedies=_install_either(interpreter, requirements),
    )


def _install_either(
    place: Interpreter | None, requirements: Requirements | None
) -> tuple[Remedy, ...]:
    numpy, torch = "Install the newest numpy 1", "install a torch that supports numpy 2"
    return (
        install_version(place, numpy, requirements, "numpy<2", _NEWEST_NUMPY_1),
        install_version(place, f"Alternatively {torch}", requirements, "torch>=2.4.1", "2.4.1"),
    )
