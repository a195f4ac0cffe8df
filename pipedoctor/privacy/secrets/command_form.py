"""The form of a secret that stands where a command or a sentence names it."""

from typing import NamedTuple


class CommandForm(NamedTuple):
    """A command with a secret in it; the first group of its pattern stays."""

    marks: tuple[str, ...]
    pattern: str
    source: str
    has_option: bool = True
    """Does an option, which begins with ``-``, stand in every match?"""
