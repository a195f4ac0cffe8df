"""PDR865: does the environment still match its record?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Drifted, Interpreter, RecordDrift
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.advice import advise_user

_MAX_NAMES = 4
_LEADING_PACKAGES = frozenset(("torch", "pytorch", "python"))
_CORE_CONDA_PACKAGES = frozenset(("pytorch", "python", "opencv", "py-opencv"))
"""conda's names of the packages that a pipeline depends on."""


_SYNC_COMMANDS = {
    "uv.lock": ("uv", "sync", "--frozen", "--inexact", "--project"),
    "poetry.lock": ("poetry", "install", "--directory"),
    "pdm.lock": ("pdm", "sync", "--project"),
}
"""How the tool that owns a lock file installs it; the project's folder comes last."""


@check("PDR865", "The environment differs from the file that records it")
def environment_drifted(drift: RecordDrift, interpreter: Interpreter | None, /) -> Findings:
    """
    Compare the environment with the file given by `--against`.

    ## Why it hurts

    What runs is not what was tested. A different version of torch, numpy or a decoder
    changes results and speed, and an error cannot be reproduced elsewhere.

    ## How it is judged

    Package by package: requirements and environment files by their ranges, lock files
    by their versions. Markers are evaluated for the examined Python. In a lock file, a
    package that may belong to an extra, a group or another platform may be absent. It
    is a risk if a package that a data pipeline depends on differs, otherwise a note;
    torch and Python come first, then those packages. Files included by `-r` in a
    requirements file count as part of it.

    ## Sources

    - https://packaging.python.org/en/latest/specifications/pylock-toml/
    - https://pip.pypa.io/en/stable/reference/requirements-file-format/
    """
    if not drift.judged:
        message = f"{drift.path} names no package that could be compared"
        raise CannotJudge(message)
    ranked = sorted(drift.drifted, key=_sort_key)
    if not ranked:
        return
    shown = ", ".join(map(_describe_drift, ranked[:_MAX_NAMES]))
    rest = len(ranked) - _MAX_NAMES
    more = f" and {rest} more" if rest > 0 else ""
    name = drift.path.rpartition("/")[2]
    yield Finding(
        severity=Severity.RISKS if _is_core_package(ranked[0]) else Severity.NOTE,
        summary=f"{len(ranked)} of {drift.judged} packages differ from {name}: {shown}{more}",
        evidence={"differs": {d.name: f"{d.wanted or 'any'}: {d.found or '-'}" for d in ranked}},
        remedies=(_restore_environment(drift, interpreter),),
    )


def _sort_key(package: Drifted) -> tuple[bool, bool, str]:
    """Sort order: torch and Python first, then core packages, then the rest."""
    return (
        package.name not in _LEADING_PACKAGES,
        not _is_core_package(package),
        package.name,
    )


def _is_core_package(package: Drifted) -> bool:
    return package.name in pip_command.CORE_PACKAGES or package.name in _CORE_CONDA_PACKAGES


def _describe_drift(package: Drifted) -> str:
    wanted = package.wanted.removeprefix("==") or "any version"
    return f"{package.name} {package.found or 'absent'} instead of {wanted}"


def _restore_environment(drift: RecordDrift, place: Interpreter | None) -> Remedy:
    """Restore the environment from the file; packages not named there stay."""
    if drift.kind == "environment.yml":
        prefix = ("--prefix", place.prefix) if place and place.prefix else ()
        line = ("conda", "env", "update", *prefix, "--file", drift.path)
    elif drift.kind in _SYNC_COMMANDS:
        folder = drift.path.rpartition("/")[0] or "."
        line = (*_SYNC_COMMANDS[drift.kind], folder)
    elif drift.kind == "Pipfile.lock":
        line = ("pipenv", "sync")
    elif drift.kind == "conda-lock":
        prefix = ("--prefix", place.prefix) if place and place.prefix else ()
        line = ("conda-lock", "install", *prefix, drift.path)
    elif drift.kind == "pylock":
        python = (place.executable if place else "") or "python"
        line = ("uv", "pip", "install", "--python", python, "-r", drift.path)
    else:
        line = pip_command.pip_argv(place, "install", "-r", drift.path)
    return advise_user("Install the versions from the file", argv=line)
