"""PDR841: has pip written over packages of conda?"""

from pipedoctor.check import Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Clobbered, Conda, Interpreter
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.conda_command import reinstall_by_conda

_MAX_NAMES = 4


@check("PDR841", "pip has overwritten conda packages")
def conda_pip_clobber(conda: Conda, interpreter: Interpreter | None, /) -> Findings:
    """
    Look for conda packages whose files pip has replaced or removed.

    ## Why it hurts

    conda still assumes the old files: its next update mixes both versions, and an
    exported environment describes something that does not exist. Using conda and pip
    together is not wrong in itself, because some projects ship only wheels. Overwriting
    each other's files is.

    ## How it is judged

    conda identifies a Python package by one metadata file, its anchor. Either the
    anchor is gone, or there is a second metadata folder of that name, or pip has
    replaced the file (judging by its checksum). For the packages that a pipeline
    depends on it is a risk, otherwise a note.

    ## Sources

    - https://docs.conda.io/projects/conda/en/latest/commands/doctor.html
    - https://github.com/pytorch/pytorch/issues/138506
    """
    if not conda.clobbered:
        return
    weighty = [entry for entry in conda.clobbered if entry.name in pip_command.CORE_PACKAGES]
    first = [*weighty, *(entry for entry in conda.clobbered if entry not in weighty)]
    rest = len(first) - _MAX_NAMES
    more = f" and {rest} more" if rest > 0 else ""
    names = ", ".join(map(_describe_package, first[:_MAX_NAMES]))
    yield Finding(
        severity=Severity.RISKS if weighty else Severity.NOTE,
        summary=f"pip has overwritten conda's {names}{more}",
        evidence={"clobbered": {entry.name: entry.how for entry in first}},
        remedies=_let_conda_manage(conda, first, interpreter),
    )


def _let_conda_manage(
    conda: Conda, entries: list[Clobbered], place: Interpreter | None
) -> tuple[Remedy, ...]:
    """
    First pip's copies, then conda's own files.

    conda removes only files that it has recorded: what pip added would stay among them.
    """
    by_pip = [one.name for one in entries if one.pip_version or one.how != "anchor missing"]
    wanted = {one.package or one.name: one.conda_version for one in entries}
    title = "Reinstall them with conda"
    if not by_pip:
        return (reinstall_by_conda(conda.prefix, title, wanted),)
    return (
        pip_command.uninstall(place, "Let one tool manage them: remove pip's copies", *by_pip),
        reinstall_by_conda(conda.prefix, f"Then r{title[1:]}", wanted),
    )


def _describe_package(entry: Clobbered) -> str:
    now = f", now {entry.pip_version}" if entry.pip_version else ""
    return f"{entry.name} ({entry.conda_version}{now})"
