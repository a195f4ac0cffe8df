"""PDR841: has pip written over packages of conda?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Clobbered, Conda
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks import _pip

_NAMED = 4


@check("PDR841", "pip has written over packages of conda")
def conda_pip_clobber(conda: Conda, /) -> Findings:
    """
    Look for conda packages whose files pip has replaced or removed.

    ## Why it hurts

    conda still believes in the old files: its next update mixes both versions, and an
    exported environment describes something that does not exist. Mixing conda and pip
    is not wrong as such; upstream ships wheels only. Writing over each other is.

    ## How it is judged

    conda knows a Python package by one metadata file, its anchor. It is gone, or there
    is a second metadata folder of that name, or pip has replaced it (by its checksum).
    For the packages that a pipeline stands on it is a risk, otherwise a note.

    ## Sources

    - https://docs.conda.io/projects/conda/en/latest/commands/doctor.html
    - https://github.com/pytorch/pytorch/issues/138506
    """
    if not conda.clobbered:
        return
    weighty = [entry for entry in conda.clobbered if entry.name in _pip.WEIGHTY]
    first = [*weighty, *(entry for entry in conda.clobbered if entry not in weighty)]
    rest = len(first) - _NAMED
    more = f" and {rest} more" if rest > 0 else ""
    yield Finding(
        severity=Severity.RISKS if weighty else Severity.NOTE,
        summary=f"pip has written over conda's {', '.join(map(_said, first[:_NAMED]))}"
        f"{more}",
        evidence={"clobbered": {entry.name: entry.how for entry in first}},
        remedies=(
            Remedy(
                title="Let one tool own them: give them back to conda",
                argv=(
                    *("conda", "install", "--prefix", conda.prefix or "PREFIX"),
                    *(
                        "--force-reinstall",
                        *(entry.package or entry.name for entry in first),
                    ),
                ),
                lasts=Lasts.ALWAYS,
                advice=True,
            ),
        ),
    )


def _said(entry: Clobbered) -> str:
    now = f", now {entry.pip_version}" if entry.pip_version else ""
    return f"{entry.name} ({entry.conda_version}{now})"
