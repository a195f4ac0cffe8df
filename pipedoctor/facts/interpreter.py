"""The Python environment that is examined, read from its files."""

from typing import ClassVar

from pipedoctor.facts.base import Fact


class Interpreter(Fact, frozen=True, kw_only=True):
    """
    One interpreter and its search path; empty or None = not known.

    `kind` is ``venv``, ``conda``, ``system`` or empty; `manager` is the tool that
    owns the environment: ``pip``, ``uv``, ``conda``, ``poetry`` or empty.
    """

    section: ClassVar[str] = "interpreter"

    version: str = ""
    """``3.11.7``."""
    implementation: str = "cpython"
    executable: str = ""
    prefix: str = ""
    base_prefix: str = ""
    kind: str = ""
    manager: str = ""
    externally_managed: bool = False
    """PEP 668: pip refuses to install outside a virtual environment."""
    path: tuple[str, ...] = ()
    """The import path in order, as far as files tell it."""
    user_site: str = ""
    """The user's site-packages, when this interpreter looks there and it exists."""
    pythonpath: tuple[str, ...] = ()
    glibc: str = ""
    """``2.36``; empty: not known or not glibc."""
    bits: int | None = None
    startup_error: str = ""
    """Why it cannot even start, when that was tried."""
