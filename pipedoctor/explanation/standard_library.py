"""What helps where a module of Python itself is missing: pip has none of these."""

import sys
from collections.abc import Mapping

_REMOVED: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(("asynchat", "asyncore", "smtpd"), (12, "asyncio")),
    "imp": (12, "importlib"),
    **dict.fromkeys(("aifc", "chunk", "sndhdr", "sunau"), (13, "soundfile")),
    "audioop": (13, "the package audioop-lts"),
    **dict.fromkeys(("cgi", "cgitb"), (13, "urllib.parse and email")),
    "crypt": (13, "hashlib"),
    "imghdr": (13, "the package filetype"),
    "pipes": (13, "subprocess and shlex"),
    **dict.fromkeys(
        (
            *("lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "spwd"),
            *("telnetlib", "uu", "xdrlib"),
        ),
        (13, ""),
    ),
}
"""Modules, the Python 3 that has them no longer, and what is used instead ("What's New")."""
_SINCE: Mapping[str, int] = {"graphlib": 9, "zoneinfo": 9, "tomllib": 11}
"""Modules, and the Python 3 that brought them."""
_ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(("_winapi", "msvcrt", "winreg", "winsound"), "Windows"),
    **dict.fromkeys(("fcntl", "grp", "posix", "pwd", "resource", "termios"), "Linux and macOS"),
}
"""Modules, and the only systems that have them."""
_IN_PACKAGE = frozenset({"ensurepip", "venv"})
"""Modules that Debian has in its package python3-venv."""


def describe_standard_module(module: str) -> str:
    """One sentence; empty: `module` is none of Python itself."""
    top = module.partition(".")[0]
    if told := _describe_removed(top) or _describe_limited(top):
        return told
    if top not in sys.stdlib_module_names:
        return _describe_private(top)
    if "." in module:
        return (
            f"{top} is a part of Python itself, and hides a folder of the project with the same"
            f" name: rename the folder; if it has none, a newer Python may have {module}"
        )
    return (
        f"{top} is a part of Python itself, which pip cannot install: this Python is incomplete."
        " Make the environment again with another one"
    )


def _describe_limited(top: str) -> str:
    """For a module that not every system, version and distribution has."""
    if top in _ELSEWHERE:
        return (
            f"Only Python on {_ELSEWHERE[top]} has {top}, and pip cannot install it: take a version"
            " of the package that imports it which knows this system"
        )
    if top in _SINCE:
        return (
            f"{top} is a part of Python since 3.{_SINCE[top]}: make the environment with that"
            " Python or a newer one"
        )
    if top in _IN_PACKAGE:
        return f"Debian and Ubuntu have {top} in a package: sudo apt-get install python3-venv"
    return ""


def _describe_removed(top: str) -> str:
    minor, instead = _REMOVED.get(top, (0, ""))
    if not minor:
        return ""
    use = f" (code of your own: use {instead})" if instead else ""
    return (
        f"Python 3.{minor} has no {top}: upgrade the package that imports it{use}, or make the"
        f" environment with Python 3.{minor - 1}"
    )


def _describe_private(top: str) -> str:
    if not top.startswith("_"):
        return ""
    return (
        f"{top} is the compiled part of the package that imports it: install that package again,"
        " or build it in its folder: python -m pip install -e ."
    )
