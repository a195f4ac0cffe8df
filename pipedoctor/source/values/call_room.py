"""Room for functions that call each other deeper than Python allows on its own."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

_MORE_CALLS = 6000
"""For 500 questions within questions of 8 calls each, and more; 3 MB of the C stack at most."""


@contextmanager
def allow_more_calls() -> Generator[None, None, None]:
    """Let Python call deeper, until it is left."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + _MORE_CALLS)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
