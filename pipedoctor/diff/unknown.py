"""What a side does not say, and what it says is not there."""

import enum


class Absent(enum.Enum):
    """Two kinds of nothing; only one of them is a difference."""

    UNKNOWN = "unknown there"
    MISSING = "not there"


UNKNOWN, MISSING = Absent.UNKNOWN, Absent.MISSING
