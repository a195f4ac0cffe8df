"""PDR835: is there more than one torch?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Conda, Interpreter, Packages, TorchBuild, TorchImport
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks import _pip

_FROM_PIP = ("pypi", "<pip>")


@check(
    "PDR835", "Copies of torch with different versions are installed", after=("PDR841",)
)
def mixed_torch_installs(
    packages: Packages,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    conda: Conda | None,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Compare the torch that is imported with every other copy that is installed.

    ## Why it hurts

    Files of two versions are mixed, or one part of the program sees another torch than
    the next: symbols are missing inside torch itself, extensions do not load, and a
    reinstalled package seems to change nothing.

    ## How it is judged

    The version that is imported, the ones that pip's metadata on the import path names,
    and conda's own record must agree, leaving out what names a packaging (`+cu126`,
    `.post2`). A conda line that only repeats pip's package (`pypi`) is no second copy.
    Conda's copy is only to be removed where another has been written over it.

    ## Sources

    - https://docs.conda.io/projects/conda/en/latest/user-guide/tasks/manage-environments.html
    """
    seen: dict[str, str] = {}
    if torch_import is not None and torch_import.version:
        seen[torch_import.file or "imported"] = torch_import.version
    elif torch is not None:
        seen[torch.location or "imported"] = torch.version
    for entry in (*packages.all("torch"), *packages.all("pytorch")):
        if entry.channel not in _FROM_PIP:
            seen[f"{entry.installer or 'pip'} {entry.location}".strip()] = entry.version
    listed = {_release(version) for version in seen.values()}
    record = conda.find("pytorch") if conda is not None else None
    if record is not None and record.channel not in _FROM_PIP:
        seen[f"conda-meta ({record.channel})"] = record.version
    versions = {_release(version) for version in seen.values() if version}
    if len(versions) < 2:  # noqa: PLR2004  (one is as it should be)
        return
    over = record is not None and _release(record.version) not in listed
    kinds = " and ".join(sorted(versions))
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"torch is installed in {len(versions)} versions: {kinds}",
        evidence={"copies": seen},
        remedies=(
            *([_without_conda(interpreter)] if over else []),
            _pip.uninstall(
                interpreter,
                "Remove every copy (again until none is found), then install one",
                "torch",
            ),
        ),
    )


def _release(version: str) -> str:
    """Without what only names another packaging of the same: ``+cu126``, ``.post2``."""
    return version.partition("+")[0].partition(".post")[0]


def _without_conda(place: Interpreter | None) -> Remedy:
    prefix = ("--prefix", place.prefix) if place and place.prefix else ()
    return Remedy(
        title="Remove conda's copy as well",
        argv=("conda", "remove", "--yes", *prefix, "pytorch", "libtorch"),
        lasts=Lasts.ALWAYS,
        advice=True,
    )
