"""Modules of tests are compiled once for all processes that run them, outside the checkout."""

import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).parents[1]
USUAL = sys.dont_write_bytecode, sys.pycache_prefix
GET_CODE = SourceFileLoader.get_code


def keep_in(folder: str) -> None:
    """From now on bytecode of modules in the checkout is kept in this folder."""
    sys.dont_write_bytecode, sys.pycache_prefix = False, folder
    SourceFileLoader.get_code = _get_code  # type: ignore[assignment,method-assign]


def keep_as_usual() -> None:
    """As the interpreter was started."""
    sys.dont_write_bytecode, sys.pycache_prefix = USUAL
    SourceFileLoader.get_code = GET_CODE  # type: ignore[method-assign]


def _get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
    """What is installed has its bytecode already, beside its source."""
    kept = sys.pycache_prefix
    if self.path.startswith(sys.prefix) or not self.path.startswith(str(ROOT)):
        sys.pycache_prefix = USUAL[1]
    try:
        return GET_CODE(self, fullname)
    finally:
        sys.pycache_prefix = kept
