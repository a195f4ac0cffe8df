"""PDR866: do installed files still match their packages?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import InstalledFiles, Interpreter, ModifiedDistribution
from pipedoctor_checks._shared import pip_command

_OPTIONAL_FOLDERS = ("/tests/", "/test/", "/testing/", "/docs/", "/doc/", "/examples/")
_OPTIONAL_SUFFIXES = (
    ".pyi",
    ".h",
    ".hpp",
    ".cuh",
    ".md",
    ".rst",
    ".txt",
    ".cmake",
    ".typed",
)
_MAX_NAMES = 3


@check(
    "PDR866",
    "Installed files differ from their packages",
    after=("PDR841", "PDR842"),
)
def installed_files_altered(files: InstalledFiles, interpreter: Interpreter | None, /) -> Findings:
    """
    Compare every installed file with the checksum in its package's RECORD.

    Only with `--verify-files`, since it reads the whole environment.

    ## Why it hurts

    A file that was edited by hand, truncated by a full disk or deleted to make an image
    smaller belongs to no release: it then fails only here, and the failure cannot be
    reproduced elsewhere.

    ## How it is judged

    A changed or missing file of a package that data pipelines depend on is a risk,
    others are a note. Missing tests, headers, stubs and documentation do not count,
    since slim images leave them out. Compiled `.pyc` files and files that installers
    write next to a package have no checksum. Packages without checksums (from Debian,
    from old installers) are listed in the evidence and not judged.

    ## Sources

    - https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    """
    if not files.compared:
        message = "no package recorded checksums of its files"
        raise CannotJudge(message)
    ill = sorted(
        (entry for entry in files.entries if entry.changed_count or _needed_files(entry)),
        key=lambda entry: (entry.name not in pip_command.CORE_PACKAGES, entry.name),
    )
    if not ill:
        return
    weighty = ill[0].name in pip_command.CORE_PACKAGES
    rest = f"; and {len(ill) - _MAX_NAMES} more" if len(ill) > _MAX_NAMES else ""
    names = [f"{entry.name}=={entry.version}" for entry in ill]
    yield Finding(
        severity=Severity.RISKS if weighty else Severity.NOTE,
        summary="changed since installation:"
        f" {'; '.join(map(_describe_package, ill[:_MAX_NAMES]))}{rest}",
        evidence={
            "changed": {e.name: list(e.changed) for e in ill if e.changed},
            "missing": {e.name: list(e.missing) for e in ill if e.missing},
            "compared": files.compared,
            "unread": files.unread,
            "without_checksums": list(files.unrecorded),
        },
        remedies=(pip_command.reinstall(interpreter, "Install the same versions again", *names),),
    )


def _needed_files(entry: ModifiedDistribution) -> tuple[str, ...]:
    """Missing files that the package may need at run time."""
    return tuple(
        path
        for path in entry.missing
        if not path.endswith(_OPTIONAL_SUFFIXES)
        and not any(part in path for part in _OPTIONAL_FOLDERS)
    )


def _describe_package(entry: ModifiedDistribution) -> str:
    gone = _needed_files(entry)
    first = entry.changed[0] if entry.changed_count else gone[0]
    more = entry.changed_count + (entry.missing_count if gone else 0) - 1
    how = "changed" if entry.changed_count else "missing"
    others = f", and {more} more" if more else ""
    return f"{entry.name} {entry.version} ({first} is {how}{others})"
