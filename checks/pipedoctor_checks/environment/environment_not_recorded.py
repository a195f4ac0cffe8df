"""PDR863: does any file say which versions this environment has?"""

from pipedoctor.check import (
    Finding,
    Findings,
    NotApplicable,
    Remedy,
    Severity,
    check,
    shell,
)
from pipedoctor.facts import Interpreter, ProjectRecord
from pipedoctor_checks._shared.advice import advise_user

_LOCK_KINDS = frozenset(
    (
        "conda-lock",
        "pdm.lock",
        "Pipfile.lock",
        "pixi.lock",
        "poetry.lock",
        "pylock",
        "uv.lock",
    )
)

_LIST_NAME = "requirements-lock.txt"
"""A name of its own: what the user keeps by hand is never overwritten."""


@check("PDR863", "No file records the versions of this environment", background=True)
def environment_not_recorded(
    record: ProjectRecord, interpreter: Interpreter | None, /, *, pinned: float = 0.5
) -> Findings:
    """
    Look for a lock file, or for package lists that specify versions.

    ## Why it hurts

    A run that worked cannot be repeated on the next machine, and "it broke overnight"
    cannot be investigated, because the former versions are unknown.

    ## How it is judged

    Only if there is a project: code was given, or the working directory contains a
    `pyproject.toml`, requirements or a repository. Lock files count; so do
    `requirements*.txt` and `environment.yml` if at least half of the packages in them
    (setting `pinned`) have exact versions. It is a note, because the environment works.

    ## Sources

    - https://packaging.python.org/en/latest/specifications/pylock-toml/
    - https://pip.pypa.io/en/stable/topics/repeatable-installs/
    - https://docs.conda.io/projects/conda/en/latest/user-guide/tasks/manage-environments.html
    """
    if not record.project:
        message = "no project here: no code was given"
        raise NotApplicable(message)
    if any(file.kind in _LOCK_KINDS for file in record.files):
        return
    for file in record.files:
        named = file.pins + file.loose
        if named and file.pins / named >= pinned:
            return
    loose = [file.path for file in record.files]
    unpinned, evidence = "", {"looked_in": list(record.looked_in)}
    if loose:
        evidence["without_versions"] = loose
        name = loose[0].rpartition("/")[2]
        unpinned = f"; {name} leaves most of them unpinned"
    yield Finding(
        severity=Severity.NOTE,
        summary=f"no file records the versions of this environment{unpinned}",
        evidence=evidence,
        remedies=(_record_versions(record, interpreter),),
    )


def _record_versions(record: ProjectRecord, place: Interpreter | None) -> Remedy:
    """The command of the tool that owns the environment; its output goes into a file."""
    python = (place.executable if place else "") or "python"
    manager = place.manager if place else ""
    owner = record.owner if record.owner in {"poetry", "pdm", "pipenv"} else manager
    lines = {
        "poetry": ("poetry", "lock"),
        "pdm": ("pdm", "lock"),
        "pipenv": ("pipenv", "lock"),
        "conda": (
            *("conda", "env", "export", "--prefix", place.prefix if place else ""),
            *("--file", ""),
        ),
        "uv": ("uv", "pip", "freeze", "--python", python),
    }
    line = lines.get(owner, (python, "-m", "pip", "freeze"))
    if owner == "uv" and record.owner == "uv":
        line = ("uv", "lock")
    title = "Write the versions to a file, to keep with the code"
    folder = f"{record.looked_in[0]}/" if record.looked_in else ""
    if "freeze" in line:
        target = shell((f"{folder}{_LIST_NAME}",))
        return advise_user(title, argv=("sh", "-c", f"{shell(line)} > {target}"))
    if owner == "conda":
        line = (*line[:-1], folder + _choose_conda_file(record))
    return advise_user(title, argv=line)


def _choose_conda_file(record: ProjectRecord) -> str:
    """What the user keeps by hand is never overwritten."""
    names = {file.path.rpartition("/")[2] for file in record.files}
    return "environment-lock.yml" if "environment.yml" in names else "environment.yml"
