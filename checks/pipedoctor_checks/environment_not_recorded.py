"""PDR863: does any file say which versions this environment has?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, ProjectRecord
from pipedoctor.remedy import Lasts, Remedy

_LOCKS = frozenset(
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


@check("PDR863", "No file records the versions of this environment")
def environment_not_recorded(
    record: ProjectRecord, interpreter: Interpreter | None, /, *, pinned: float = 0.5
) -> Findings:
    """
    Look for a lock file, or for lists of packages that name versions.

    ## Why it hurts

    A run that worked cannot be repeated on the next machine, and "it broke over night"
    cannot be answered: nobody knows which versions there were.

    ## How it is judged

    Only where there is a project: code was given, or the working directory holds a
    `pyproject.toml`, requirements or a repository. Lock files count; so do
    `requirements*.txt` and `environment.yml` when at least half of the packages in them
    (setting `pinned`) have exact versions. It is a note: the environment works.

    ## Sources

    - https://packaging.python.org/en/latest/specifications/pylock-toml/
    - https://pip.pypa.io/en/stable/topics/repeatable-installs/
    - https://docs.conda.io/projects/conda/en/latest/user-guide/tasks/manage-environments.html
    """
    if not record.project:
        message = "no project here: no code was given"
        raise CannotJudge(message)
    if any(file.kind in _LOCKS for file in record.files):
        return
    for file in record.files:
        named = file.pins + file.loose
        if named and file.pins / named >= pinned:
            return
    loose = [file.path for file in record.files]
    said, evidence = "", {"looked_in": list(record.looked_in)}
    if loose:
        evidence["without_versions"] = loose
        name = loose[0].rpartition("/")[2]
        said = f"; {name} leaves most of them open"
    yield Finding(
        severity=Severity.NOTE,
        summary=f"no file records the versions of this environment{said}",
        evidence=evidence,
        remedies=(_write(record, interpreter),),
    )


def _write(record: ProjectRecord, place: Interpreter | None) -> Remedy:
    """The line of the tool that owns the environment; its output goes into a file."""
    python = (place.executable if place else "") or "python"
    manager = place.manager if place else ""
    owner = record.owner if record.owner in {"poetry", "pdm", "pipenv"} else manager
    lines = {
        "poetry": ("poetry", "lock"),
        "pdm": ("pdm", "lock"),
        "pipenv": ("pipenv", "lock"),
        "conda": (
            *("conda", "env", "export", "--prefix", place.prefix if place else ""),
            *("--file", "environment.yml"),
        ),
        "uv": ("uv", "pip", "freeze", "--python", python),
    }
    line = lines.get(owner, (python, "-m", "pip", "freeze"))
    if owner == "uv" and record.owner == "uv":
        line = ("uv", "lock")
    prints = "freeze" in line
    return Remedy(
        title="Print the versions, to be kept as requirements.txt"
        if prints
        else "Write the versions into a file, to be kept with the code",
        argv=line,
        lasts=Lasts.ALWAYS,
        advice=True,
    )
