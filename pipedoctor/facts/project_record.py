"""Whether anything records the environment: lock files, pins, environment files."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class RecordFile(Part, frozen=True, kw_only=True):
    """A file that names packages."""

    path: str
    kind: str
    """``environment.yml``, ``requirements``, ``pylock``, ``uv.lock`` ..."""
    pins: int
    """Packages that it names with an exact version."""
    loose: int
    """Packages that it names with a range, or with no version at all."""


class ProjectRecord(Fact, frozen=True, kw_only=True):
    """The record files found around the code and the working directory."""

    section: ClassVar[str] = "project_record"

    files: tuple[RecordFile, ...] = ()
    looked_in: tuple[str, ...] = ()
    project: str = ""
    """What shows that a project is there: ``pyproject.toml``; empty: nothing does."""
    owner: str = ""
    """The tool that its files belong to: ``poetry``, ``pdm``, ``uv`` ..., or empty."""
