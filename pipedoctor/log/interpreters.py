"""The Python that a log shows somebody start, to which pip belongs, and the shell of Windows."""

import re

_PROMPT = r"^(?:(?:\([\w.-]{1,40}\) ?){0,2}(?:[\w.@:~/\\\[\] -]{0,80}(?:[$#%] {1,3}|> {0,3}))|\+ )?"
_VARIABLES = r"(?:[A-Z_][A-Z0-9_]{0,40}=[\w./:,-]{0,60} ){0,6}"
_STARTED = re.compile(
    rf"{_PROMPT}(?:& )?{_VARIABLES}(?P<folder>(?:[A-Za-z]:)?(?:[\w.+@~-]{{0,60}}[\\/]){{0,12}})"
    r"(?P<program>python(?:3(?:\.\d\d?)?)?(?:\.exe)?|py|torchrun|accelerate)"
    r" (?:-[a-ln-zA-Z] ){0,3}(?:-m (?!pip\b|venv\b|ensurepip\b|virtualenv\b)\w"
    r"|[\w.\\/~-]{1,200}\.py\b|--?\w.{0,200}\.py\b)"
)
_WORDS = ("py", "torchrun", "accelerate")
_LAUNCHERS = frozenset({"torchrun", "accelerate"})
_POWERSHELL = re.compile(r"^(?:\([\w.-]{1,40}\) )?(PS) (?:[A-Za-z]:|~|\\\\)[^>\n]{0,200}>")


def find_powershell(text: str) -> str:
    """``PS`` where the line begins with the prompt of PowerShell; else empty."""
    match = _POWERSHELL.match(text)
    return match[1] if match else ""


def find_interpreter(text: str) -> str:
    r"""
    The program that a prompt starts a script with: ``venv/bin/python``, ``python3``, ``py``.

    Empty: the line starts none. Beside ``torchrun`` stands the Python of its folder.
    """
    match = _STARTED.match(text) if any(word in text for word in _WORDS) else None
    if match is None:
        return ""
    folder, program = match["folder"], match["program"]
    if program in _LAUNCHERS:
        return f"{folder}python"
    return f"{folder}{program}"
