"""Room for functions that call each other deeper than Python allows on its own."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

_MORE_CALLS = 3000
"""For 150 questions within questions of up to 20 calls each; less than 2 MB of the C stack."""


@contextmanager
def allow_more_calls() -> Generator[None, None, None]:
    """Let Python call deeper, until it is left."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + _MORE_CALLS)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
