"""PDR835: is there more than one torch?"""

from pipedoctor.check import Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import (
    Conda,
    CondaPackage,
    Interpreter,
    Packages,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks._shared.path_variables import exclude_user_site, unset_pythonpath
from pipedoctor_checks.torch._wheel_tags import find_index_tag

_PIP_CHANNELS = ("pypi", "<pip>")


@check(
    "PDR835",
    "Copies of torch with different versions are installed",
    after=("PDR841", "PDR860", "PDR861"),
)
def mixed_torch_installs(
    packages: Packages,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    conda: Conda | None,
    interpreter: Interpreter | None,
    site: Site | None = None,
    /,
) -> Findings:
    """
    Compare the torch that is imported with every other installed copy.

    ## Why it hurts

    Files of two versions are mixed, or different parts of the program use different
    versions of torch: symbols are missing inside torch itself, extensions do not load,
    and reinstalling a package seems to change nothing.

    ## How it is judged

    The imported version, those that pip's metadata on the import path names, and
    conda's own record must agree, ignoring packaging suffixes (`+cu126`, `.post2`). A
    conda line that only repeats pip's package (`pypi`) is not a second copy. Conda's
    copy should be removed only if another has overwritten it.

    ## Sources

    - https://docs.conda.io/projects/conda/en/latest/user-guide/tasks/manage-environments.html
    """
    seen: dict[str, str] = {}
    if torch_import is not None and torch_import.version:
        seen[torch_import.file or "imported"] = torch_import.version
    elif torch is not None:
        seen[torch.location or "imported"] = torch.version
    for entry in (*packages.find_all("torch"), *packages.find_all("pytorch")):
        if entry.channel not in _PIP_CHANNELS:
            label = f"{entry.installer or 'pip'} {entry.location}".strip()
            twice = seen.get(label, entry.version) != entry.version
            seen[f"{label} ({entry.version})" if twice else label] = entry.version
    listed = {_strip_packaging(version) for version in seen.values()}
    record = conda.find("pytorch") if conda is not None else None
    if record is not None and record.channel not in _PIP_CHANNELS:
        seen[f"conda-meta ({record.channel})"] = record.version
    versions = {_strip_packaging(version) for version in seen.values() if version}
    if len(versions) < 2:  # noqa: PLR2004  (one is as it should be)
        return
    over = record is not None and _strip_packaging(record.version) not in listed
    kinds = " and ".join(sorted(versions))
    left = _leave_folder(packages, interpreter, site)
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"torch is installed in {len(versions)} versions: {kinds}",
        evidence={"copies": seen},
        remedies=(
            *left,
            *([_remove_conda_copy(conda, interpreter)] if conda and over else []),
            *([] if left else _install_once(packages, torch, interpreter, record)),
        ),
    )


def _leave_folder(
    packages: Packages, place: Interpreter | None, site: Site | None
) -> tuple[Remedy, ...]:
    """Start without the folder that brings the first copy; nothing in it is deleted."""
    first = packages.find("torch")
    if place is None or first is None or not first.location:
        return ()
    if first.location in place.pythonpath:
        with_torch = {entry.location for entry in packages.find_all("torch")}
        return unset_pythonpath(site, [one for one in place.pythonpath if one not in with_torch])
    return exclude_user_site(site) if first.location == place.user_site else ()


def _install_once(
    packages: Packages,
    torch: TorchBuild | None,
    place: Interpreter | None,
    record: CondaPackage | None,
) -> tuple[Remedy, ...]:
    """Replace pip's copies in the environment by the one that is imported now."""
    tag = find_index_tag(torch) if torch else ""
    index = ("--index-url", f"https://download.pytorch.org/whl/{tag}") if tag else ()
    version = f"=={torch.version}" if torch else ""
    condas = _strip_packaging(record.version) if record is not None else None
    copies = sum(
        entry.installer != "conda" and _strip_packaging(entry.version) != condas
        for entry in packages.find_all("torch")
    )
    return (
        *pip_command.uninstall_copies(place, "torch", copies),
        advise_user(
            "Then install it once",
            argv=(*pip_command.pip_argv(place, "install"), f"torch{version}", *index),
        ),
    )


def _strip_packaging(version: str) -> str:
    """Without suffixes for other packagings of the same version: ``+cu126``, ``.post2``."""
    return version.partition("+")[0].partition(".post")[0]


def _remove_conda_copy(conda: Conda, place: Interpreter | None) -> Remedy:
    """Only what is recorded: conda removes nothing if it lacks one of the names."""
    prefix = ("--prefix", place.prefix) if place and place.prefix else ()
    names = [name for name in ("pytorch", "libtorch") if conda.find(name)]
    return advise_user("Remove conda's copy", argv=("conda", "remove", "--yes", *prefix, *names))
