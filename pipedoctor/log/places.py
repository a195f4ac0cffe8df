"""In which kind of place a job ran, where its log gives it away."""

import re

_GIVEN_AWAY = re.compile(
    r"(?P<kubernetes>^\[pod/|\bOOMKilled\b|\bCrashLoopBackOff\b|\bkubelet\b"
    r"|\bkubectl (?:logs|exec|get|describe|apply)\b)"
    r"|(?P<slurm>\bslurmstepd(?:-\w{1,40})?: |\b(?:srun|sbatch|salloc): \w"
    r"|\bSLURM_\w{2,40} ?=)"
    r"|(?P<docker>\bdocker(?: container)? (?:run|exec)\b|Error response from daemon)"
)
_SUREST = ("kubernetes", "slurm", "docker")
"""A pod is a container, too."""


class Places:
    """Collects what lines give away."""

    def __init__(self) -> None:
        self._found: set[str] = set()

    def read(self, text: str) -> None:
        """Take the next line, as it stands in the log."""
        match = _GIVEN_AWAY.search(text)
        if match is not None:
            self._found.add(f"{match.lastgroup}")

    def place(self) -> str:
        """``kubernetes``, or empty: nothing was given away."""
        return next((place for place in _SUREST if place in self._found), "")
