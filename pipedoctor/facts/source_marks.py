"""What stands on lines of code, and the versions that a project says it works with."""

from pipedoctor.facts.base import Part


class Mark(Part, frozen=True, kw_only=True):
    """What stands on a line where a finding may be, so that it is known if it moves."""

    path: str
    line: int
    cell: int = 0
    print: str
    """A hash of the file's name in its repository and of the code on the line."""


class Minimum(Part, frozen=True, kw_only=True):
    """The least version that a project says it works with."""

    version: str
    told: str
    """``pyproject.toml``."""
