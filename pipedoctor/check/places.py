"""Places in code: the file, and in a notebook the cell."""

import re

from pipedoctor.check.model import Location

_CELL_PATTERN = re.compile(r"(?s)(.+\.ipynb)#cell([0-9]{1,9})")


def get_cell_number(spot: Location) -> int:
    """The number of the cell in a notebook, or 0."""
    found = _CELL_PATTERN.fullmatch(spot.path)
    return int(found[2]) if found else 0


def get_file_path(spot: Location) -> str:
    """The file, without the cell."""
    found = _CELL_PATTERN.fullmatch(spot.path)
    return found[1] if found else spot.path
