"""Thread counts that the environment asks numeric libraries for."""

from collections.abc import Mapping
from typing import ClassVar

from pipedoctor.facts.base import Fact
from pipedoctor.units import parse_count

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
    "POLARS_MAX_THREADS",
)


class Threads(Fact, frozen=True, kw_only=True):
    """
    `OMP_NUM_THREADS` and its like, as set for the job; only what is set.

    Values that are not positive integers are kept as text in `odd`.
    """

    section: ClassVar[str] = "threads"

    asked: dict[str, int] = {}
    odd: dict[str, str] = {}

    @property
    def blas_setting(self) -> tuple[str, int] | None:
        """The variable that numpy's BLAS obeys, and its value; None: none is set."""
        names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
        return next(((n, self.asked[n]) for n in names if n in self.asked), None)


def parse_thread_variables(environ: Mapping[str, str]) -> Threads:
    """Read what these variables ask; of a list such as ``4,2`` the outermost level."""
    asked: dict[str, int] = {}
    odd: dict[str, str] = {}
    for name in THREAD_VARIABLES:
        value = environ.get(name)
        if value is None:
            continue
        first = value.split(",")[0].strip()
        if count := parse_count(first):
            asked[name] = count
        else:
            odd[name] = value[:100]
    return Threads(asked=asked, odd=odd)
