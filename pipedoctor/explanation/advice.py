"""The remedies of an illness that no check knows, as its log asks for them."""

import re
import shlex
from collections.abc import Iterator
from itertools import chain

from pipedoctor.check import Lasts, Place, Remedy, shell
from pipedoctor.check.typed_lines import is_read_by_shell
from pipedoctor.explanation.example_machine import fill_text
from pipedoctor.explanation.log_values import find_value
from pipedoctor.explanation.logged_versions import find_captured
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.log.signatures import Advice, FailureMode

_EVERY = re.compile(r"\{([a-z_]+)\*\}")
"""A hole for all values of a name: words of a line, or an enumeration in a sentence."""

_SYSTEMS = {"": {"", "posix"}, "windows": {"", "windows"}, "macos": {"", "posix", "macos"}}
"""Whose advice a log of each system takes."""


def choose_advice(failure: FailureMode, log: Log | None, *, leads: bool) -> Iterator[Remedy]:
    """Those that lead, or all others, whose conditions hold, filled from the log."""
    log = log or Log()
    for advice in _select_advice(failure, log):
        if advice.leads is leads:
            yield from _fill_advice(advice, failure.cause, log)


def stands_alone(failure: FailureMode, log: Log | None) -> bool:
    """Is there one that leads, and stands in place of those of the check?"""
    log = log or Log()
    chosen = (one for one in _select_advice(failure, log) if one.alone)
    return any(True for one in chosen for _ in _fill_advice(one, failure.cause, log))


def _select_advice(failure: FailureMode, log: Log) -> Iterator[Advice]:
    seen = _find_valid(failure, log)
    for advice in failure.remedies:
        fits = advice.system in _SYSTEMS[log.system] and _is_for_torch(advice, failure, log)
        if fits and seen.isdisjoint(advice.unless) and (not advice.when or seen & {*advice.when}):
            yield advice


def _find_valid(failure: FailureMode, log: Log) -> set[str]:
    """Its signatures that were seen, and whose own conditions hold in this log."""
    keys = {one.signature for one in log.seen}
    return {
        one.id
        for one in failure.signatures
        if f"{failure.cause}/{one.id}" in keys
        and keys.issuperset(one.when)
        and keys.isdisjoint(one.unless)
    }


def _is_for_torch(advice: Advice, failure: FailureMode, log: Log) -> bool:
    """Is it for the torch that the log tells of?"""
    version, build = (find_captured(log, failure.cause, name) for name in ("torch", "build"))
    told = f"{version}+{build}" if build else version
    return not advice.torch or re.fullmatch(advice.torch, told) is not None


def _fill_advice(advice: Advice, cause: str, log: Log) -> Iterator[Remedy]:
    """None where the log leaves a hole open."""

    def fill(text: str) -> str:
        joined = _EVERY.sub(lambda hole: " and ".join(log.find_values(cause, hole[1])), text)
        return fill_text(joined, lambda name: find_value(log, cause, name))

    def fill_word(word: str) -> list[str]:
        every = _EVERY.fullmatch(word)
        return log.find_values(cause, every[1]) if every else [fill(word)]

    def fill_line(line: str) -> str:
        if advice.place == "code" or not is_read_by_shell(line):
            return fill(line)
        return fill_text(line, lambda name: find_value(log, cause, name), write)

    def write(name: str, value: str, before: str) -> str:
        return quote_value(name, value, before, windows=log.system == "windows")

    as_root = advice.argv[:1] == ("sudo",)
    try:
        yield Remedy(
            title=fill(advice.title),
            argv=tuple(chain.from_iterable(map(fill_word, advice.argv[as_root:]))),
            root=as_root,
            snippet="\n".join(map(fill_line, advice.snippet.split("\n"))),
            lasts=Lasts.ALWAYS,
            place=Place[advice.place.upper()],
            fits=tuple(Launcher[name.upper()] for name in advice.fits),
            advice=True,
        )
    except LookupError:
        return


_WORDS = frozenset({"asked", "packages", "rest", "wanted"})
"""Names that stand for several words."""
_COMMANDS = frozenset({"command", "command_on_mps", "interactive", "run_older_image", "starter"})
"""Names that stand for what was typed there."""
_PLAIN_FOR_CMD = re.compile(r"[^\s\"%&|<>^()=;,!']+")
_UNSAFE_QUOTED = re.compile(r"[\"'`$\n]")
"""What ends a quotation, or is read within it."""


def quote_value(name: str, value: str, before: str, *, windows: bool = False) -> str:
    """
    The value of the hole `name` of a line that a shell reads, `before` being what precedes it.

    Raises LookupError where it cannot be written so that it stays a value.
    """
    if name in _COMMANDS:
        return value
    if _is_open(before):
        if _UNSAFE_QUOTED.search(value) or ("\\" in value and not windows):
            raise LookupError(name)
        return value
    if windows:
        return _quote_for_cmd(name, value)
    return shell(_split(value) if name in _WORDS else (value,))


def _split(words: str) -> list[str]:
    try:
        return shlex.split(words)
    except ValueError:
        return words.split()


def _quote_for_cmd(name: str, value: str) -> str:
    if name in _WORDS or _PLAIN_FOR_CMD.fullmatch(value):
        return value
    if _UNSAFE_QUOTED.search(value) or "%" in value:
        raise LookupError(name)
    return f'"{value}"'


def _is_open(text: str) -> bool:
    """Does a quotation begin here that does not end?"""
    quote = ""
    for sign in re.sub(r"\\.", "", text):
        if sign in {quote, *(() if quote else "\"'")}:
            quote = "" if quote else sign
    return bool(quote)
