"""PDR865: is the environment still what its record says?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Drifted, Interpreter, RecordDrift
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks import _pip

_NAMED = 4
_FIRST = frozenset(("torch", "pytorch", "python"))
_ALSO = frozenset(("pytorch", "python", "opencv", "py-opencv"))
"""What conda calls the packages that a pipeline stands on."""


_SYNC = {
    "uv.lock": ("uv", "sync", "--frozen", "--inexact", "--project"),
    "poetry.lock": ("poetry", "install", "--directory"),
    "pdm.lock": ("pdm", "sync", "--project"),
}
"""How the owner of a lock installs it; the project's folder comes last."""


@check("PDR865", "The environment differs from the file that records it")
def environment_drifted(
    drift: RecordDrift, interpreter: Interpreter | None, /
) -> Findings:
    """
    Compare the environment with the file that `--against` names.

    ## Why it hurts

    What was tested is not what runs. A torch, numpy or decoder of another version
    changes results and speed, and a later error cannot be reproduced elsewhere.

    ## How it is judged

    Package by package: requirements and environment files by their ranges, lock files
    by their versions. Markers are evaluated for the examined Python. In a lock, a
    package that may belong to an extra, a group or another platform may be absent. It
    is a risk when a package that a data pipeline stands on differs, otherwise a note;
    torch and Python come first, then those. Files that a requirements file names by
    `-r` belong to it.

    ## Sources

    - https://packaging.python.org/en/latest/specifications/pylock-toml/
    - https://pip.pypa.io/en/stable/reference/requirements-file-format/
    """
    if not drift.judged:
        message = f"{drift.path} names no package that could be compared"
        raise CannotJudge(message)
    ranked = sorted(drift.drifted, key=_weight)
    if not ranked:
        return
    shown = ", ".join(map(_said, ranked[:_NAMED]))
    rest = len(ranked) - _NAMED
    more = f" and {rest} more" if rest > 0 else ""
    name = drift.path.rpartition("/")[2]
    yield Finding(
        severity=Severity.RISKS if _weighty(ranked[0]) else Severity.NOTE,
        summary=f"{len(ranked)} of {drift.judged} packages are not as {name} says: "
        f"{shown}{more}",
        evidence={
            "differs": {
                d.name: f"{d.wanted or 'any'}: {d.found or '-'}" for d in ranked
            }
        },
        remedies=(_back(drift, interpreter),),
    )


def _weight(drifted: Drifted) -> tuple[bool, bool, str]:
    """What comes first: torch and Python, what pipelines stand on, the rest."""
    return drifted.name not in _FIRST, not _weighty(drifted), drifted.name


def _weighty(drifted: Drifted) -> bool:
    return drifted.name in _pip.WEIGHTY or drifted.name in _ALSO


def _said(drifted: Drifted) -> str:
    wanted = drifted.wanted.removeprefix("==") or "any version"
    return f"{drifted.name} {drifted.found or 'absent'} for {wanted}"


def _back(drift: RecordDrift, place: Interpreter | None) -> Remedy:
    """Make the environment as the file says; what it does not name stays."""
    if drift.kind == "environment.yml":
        prefix = ("--prefix", place.prefix) if place and place.prefix else ()
        line = ("conda", "env", "update", *prefix, "--file", drift.path)
    elif drift.kind in _SYNC:
        folder = drift.path.rpartition("/")[0] or "."
        line = (*_SYNC[drift.kind], folder)
    elif drift.kind == "Pipfile.lock":
        line = ("pipenv", "sync")
    elif drift.kind == "conda-lock":
        prefix = ("--prefix", place.prefix) if place and place.prefix else ()
        line = ("conda-lock", "install", *prefix, drift.path)
    elif drift.kind == "pylock":
        python = (place.executable if place else "") or "python"
        line = ("uv", "pip", "install", "--python", python, "-r", drift.path)
    else:
        line = _pip.argv(place, "install", "-r", drift.path)
    return Remedy(
        title="Install what the file says", argv=line, lasts=Lasts.ALWAYS, advice=True
    )
