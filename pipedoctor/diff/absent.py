"""Why one side of a comparison has no value."""

import enum


class Absent(enum.Enum):
    """
    Why a side has no value.

    Only a missing value is a difference; an unknown one is not.
    """

    UNKNOWN = "unknown"
    MISSING = "missing"


UNKNOWN, MISSING = Absent.UNKNOWN, Absent.MISSING
