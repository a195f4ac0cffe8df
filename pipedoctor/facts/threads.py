"""Thread counts that the environment asks numeric libraries for."""

from typing import ClassVar

from pipedoctor.facts.base import Fact


class Threads(Fact, frozen=True, kw_only=True):
    """
    `OMP_NUM_THREADS` and its like, as set for the job; only what is set.

    Values that are not positive integers are kept as text in `odd`.
    """

    section: ClassVar[str] = "threads"

    asked: dict[str, int] = {}
    odd: dict[str, str] = {}
