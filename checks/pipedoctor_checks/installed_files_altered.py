"""PDR866: are installed files still what their packages installed?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Altered, InstalledFiles, Interpreter
from pipedoctor_checks import _pip

_BESIDE = ("/tests/", "/test/", "/testing/", "/docs/", "/doc/", "/examples/")
_UNUSED = (".pyi", ".h", ".hpp", ".cuh", ".md", ".rst", ".txt", ".cmake", ".typed")
_SHOWN = 3


@check(
    "PDR866",
    "Installed files are not what their packages installed",
    after=("PDR841", "PDR842"),
)
def installed_files_altered(
    files: InstalledFiles, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare every installed file with the checksum in its package's RECORD.

    Only with `--verify-files`, since it reads the whole environment.

    ## Why it hurts

    A file that was edited by hand, cut off by a full disk or deleted to make an image
    smaller belongs to no release: what fails then fails here alone, and nobody else
    can reproduce it.

    ## How it is judged

    A changed or missing file of a package that data pipelines stand on is a risk,
    others are a note. Tests, headers, stubs and documentation do not count where they
    are missing, since slim images leave them out. Compiled `.pyc` files and what
    installers write beside a package have no checksum. Packages without checksums
    (of Debian, of old installers) are named in the evidence and not judged.

    ## Sources

    - https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    """
    if not files.compared:
        message = "no package recorded checksums of its files"
        raise CannotJudge(message)
    ill = sorted(
        (entry for entry in files.entries if entry.changed_count or _needed(entry)),
        key=lambda entry: (entry.name not in _pip.WEIGHTY, entry.name),
    )
    if not ill:
        return
    weighty = ill[0].name in _pip.WEIGHTY
    rest = f"; and {len(ill) - _SHOWN} more" if len(ill) > _SHOWN else ""
    names = [f"{entry.name}=={entry.version}" for entry in ill]
    yield Finding(
        severity=Severity.RISKS if weighty else Severity.NOTE,
        summary=f"not as installed: {'; '.join(map(_said, ill[:_SHOWN]))}{rest}",
        evidence={
            "changed": {e.name: list(e.changed) for e in ill if e.changed},
            "missing": {e.name: list(e.missing) for e in ill if e.missing},
            "compared": files.compared,
            "unread": files.unread,
            "without_checksums": list(files.unrecorded),
        },
        remedies=(
            _pip.reinstall(interpreter, "Install the same versions again", *names),
        ),
    )


def _needed(entry: Altered) -> tuple[str, ...]:
    """Missing files that the package could want when it runs."""
    return tuple(
        path
        for path in entry.missing
        if not path.endswith(_UNUSED) and not any(part in path for part in _BESIDE)
    )


def _said(entry: Altered) -> str:
    gone = _needed(entry)
    first = entry.changed[0] if entry.changed_count else gone[0]
    more = entry.changed_count + (entry.missing_count if gone else 0) - 1
    how = "changed" if entry.changed_count else "missing"
    others = f", and {more} more" if more else ""
    return f"{entry.name} {entry.version} ({first} is {how}{others})"
