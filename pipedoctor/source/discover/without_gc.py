"""Time without the garbage collector: trees of code are large, and none is garbage."""

import contextlib
import gc
from collections.abc import Generator


@contextlib.contextmanager
def pause_gc() -> Generator[None, None, None]:
    """Do not look through millions of nodes again and again while they are needed."""
    working = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if working:
            gc.enable()
