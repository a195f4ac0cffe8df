"""The remedies of an illness that no check knows, as its log asks for them."""

import re
from collections.abc import Iterator
from itertools import chain

from pipedoctor.check import Lasts, Place, Remedy
from pipedoctor.check.typed_lines import is_read_by_shell
from pipedoctor.explanation.example_machine import fill_text
from pipedoctor.explanation.log_values import find_value
from pipedoctor.explanation.logged_versions import find_captured
from pipedoctor.explanation.quoted_values import quote_value
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
    seen = _find_valid(failure, log)
    for advice in failure.remedies:
        fits = advice.leads is leads and advice.system in _SYSTEMS[log.system]
        fits = fits and _is_for_torch(advice, failure, log)
        if fits and seen.isdisjoint(advice.unless) and (not advice.when or seen & {*advice.when}):
            yield from _fill_advice(advice, failure.cause, log)


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
