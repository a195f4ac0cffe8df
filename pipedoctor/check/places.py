"""Places in code: the file, and in a notebook the cell."""

from pipedoctor.check.model import Location
from pipedoctor.facts.source import Spot
from pipedoctor.lazy_pattern import compile_lazily

_CELL_PATTERN = compile_lazily(r"(?s)(.+\.ipynb)#cell([0-9]{1,9})")


def join_cell(path: str, cell: int) -> str:
    """The path as findings name it: in a notebook the cell is in it."""
    return f"{path}#cell{cell}" if cell else path


def to_location(spot: Spot) -> Location:
    """A place of the source as findings name it."""
    return Location(
        path=join_cell(spot.path, spot.cell),
        line=spot.line,
        column=spot.column,
        end_line=spot.end_line,
        end_column=spot.end_column,
    )


def get_cell_number(spot: Location) -> int:
    """The number of the cell in a notebook, or 0."""
    found = _CELL_PATTERN.fullmatch(spot.path)
    return int(found[2]) if found else 0


def get_file_path(spot: Location) -> str:
    """The file, without the cell."""
    found = _CELL_PATTERN.fullmatch(spot.path)
    return found[1] if found else spot.path
