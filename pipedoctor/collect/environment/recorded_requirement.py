"""What a file that records an environment says of one package, and how it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast


@dataclass(frozen=True, kw_only=True)
class RecordedRequirement:
    """A package that a file names; `versions` are exact, `spec` is a PEP 440 range."""

    name: str
    versions: tuple[str, ...] = ()
    spec: str = ""
    marker: str = ""
    needed: bool = True
    """Is its absence a difference? Not where it may belong to an extra or a group."""
    conda: bool = False


def expect_table(value: object) -> Mapping[str, object]:
    """A table of a file; raises ValueError where something else stands there."""
    if not isinstance(value, dict):
        message = f"a table was expected, not {type(value).__name__}"
        raise ValueError(message)  # noqa: TRY004  (of a file, not of a call)
    return cast("dict[str, object]", value)


def expect_list(value: object, name: str) -> list[object]:
    """A list of a file; raises ValueError where something else stands there."""
    if not isinstance(value, list):
        message = f"it has no list {name}"
        raise ValueError(message)  # noqa: TRY004
    return cast("list[object]", value)
