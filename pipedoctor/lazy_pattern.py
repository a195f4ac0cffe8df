"""Regular expressions that are compiled when they are first used: most runs need few."""

import re
from typing import Any, cast


class _LazyPattern:
    """Compiles itself for its first method, and keeps each method that it was asked for."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)
        return found


def compile_lazily(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`; the result has its methods, but is no argument for `re.search`."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))
