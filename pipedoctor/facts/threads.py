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

    @property
    def blas(self) -> tuple[str, int] | None:
        """The variable that numpy's BLAS obeys, and its value; None: none is set."""
        names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
        return next(((n, self.asked[n]) for n in names if n in self.asked), None)
