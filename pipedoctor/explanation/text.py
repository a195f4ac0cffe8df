"""The explanation for a terminal: first what to type, then why."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from pipedoctor.check.placeholders import describe_hidden_names
from pipedoctor.check.remedy_steps import take_first_way
from pipedoctor.explanation.model import (
    Explanation,
    LoggedException,
    QuotedLine,
    RepeatedLine,
    SuggestedRemedy,
    SuspectedCause,
)
from pipedoctor.report.sentences import clean_text

_BOLD, _DIM, _GREEN, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[0m"
_MAX_QUOTE, _MAX_ECHOES = 160, 8
_MAX_CODE_ROWS = 2
"""Lines of code that still fit into one."""
LOG_MACHINE = "on the machine that wrote the log"
"""Where remedies belong whose cause is ruled out here."""
LOCAL_SOURCES = ("run", "exception")
"""Sources that are of this machine, a moment ago."""
_PLACE_TITLES = {
    "bare": "bare metal",
    "docker": "Docker",
    "kubernetes": "Kubernetes",
    "slurm": "Slurm",
}


def render(
    explanation: Explanation,
    *,
    width: int = 100,
    color: bool = False,
    all_places: bool = False,
    ascii_only: bool = False,
) -> str:
    """Write it for a terminal of this width; remedies of other places on demand."""
    page = _ExplanationWriter(max(width, 60), color=color, all_places=all_places)
    text = "\n".join(page.write_lines(explanation)) + "\n"
    if ascii_only:
        text = text.replace("→", "->").encode("ascii", "replace").decode()
    return text


def choose_command(suspect: SuspectedCause) -> str:
    """
    What to type first, or the title of what to do, for the place we are in.

    That is the first remedy, with the steps that belong after it: where the first
    alone does harm, they are typed together.
    """
    steps = take_first_way(one for one in suspect.remedies if one.for_here)
    if all(step.shell for step in steps):
        return " && ".join(line for step in steps for line in step.shell.splitlines())
    if all(step.snippet.startswith("RUN ") for step in steps):
        return "RUN " + " && ".join(step.snippet.removeprefix("RUN ") for step in steps)
    return _format_command(steps[0])


def _format_command(remedy: SuggestedRemedy) -> str:
    """Its command, or its code where that fits into a line; else its title."""
    rows = remedy.snippet.splitlines()
    plain = not any(row[:1].isspace() or row.endswith(":") for row in rows)
    code = "; ".join(rows) if plain and len(rows) <= _MAX_CODE_ROWS else ""
    return remedy.shell.replace("\n", " && ") or code or remedy.title


def write_first_line(explanation: Explanation) -> str:
    """Everything in one line."""
    if not explanation.causes:
        return _describe_no_cause(explanation)
    first = explanation.causes[0]
    if first.by_words and first.here != "confirmed":
        return clean_text(
            f"No known error line; the wording resembles {_list_candidates(explanation)}"
        )
    todo = choose_command(first)
    if not todo:
        decide = f": to confirm: {first.decide}" if first.decide else ""
        return clean_text(f"{first.name}{decide}")
    return clean_text(f"{first.name}: {todo}{_write_caveat(first, todo)}")


def describe_target(explanation: Explanation) -> str:
    """Where the first line is meant to be typed, where that is not here; else empty."""
    first = explanation.causes[0] if explanation.causes else None
    if first is None or first.here != "ruled-out" or not first.remedies:
        return ""
    if explanation.source in LOCAL_SOURCES:
        return "This machine does not show the cause any more: keep the line for the next time."
    return "Type it on the machine that wrote the log: this machine does not have the problem."


def _write_caveat(first: SuspectedCause, todo: str) -> str:
    """What is to be known before it is typed, as a comment."""
    hidden = describe_hidden_names(todo)
    notes = [hidden.replace("`", "")] if hidden and hidden not in todo else []
    if first.here == "unknown" and first.confidence == "possible":
        notes.append("only possible")
        notes += [f"to confirm: {first.decide}"] if first.decide else []
    return f"  # {'; '.join(notes)}" if notes else ""


def choose_heading(suspect: SuspectedCause, explanation: Explanation) -> str:
    """What stands over remedies that are not simply to be applied here."""
    if suspect.remedies and suspect.by_words and suspect.here != "confirmed":
        return "Remedy if this is the cause:"
    if suspect.remedies and suspect.here == "ruled-out":
        where = (
            "if it happens again"
            if explanation.source in LOCAL_SOURCES
            else f"{LOG_MACHINE}, not here"
        )
        return f"Remedy {where}:"
    return ""


def format_line_number(quote: QuotedLine | LoggedException) -> str:
    """``line 12 (rank 3)``."""
    whose = f"rank {quote.rank}" if quote.rank.isdecimal() else clean_text(quote.rank)
    return f"line {quote.number}" + (f" ({whose})" if whose else "")


def describe_exception(fault: LoggedException) -> str:
    """Where in the log it is, and what to look at."""
    hint = f"{fault.hint[:1].upper()}{fault.hint[1:]}"
    return f"L{format_line_number(fault)[1:]} of the log. {hint}."


def describe_confidence(suspect: SuspectedCause) -> str:
    """How sure it is, and whether only by its words."""
    return f"{suspect.confidence}{', by wording only' if suspect.by_words else ''}"


def _list_candidates(explanation: Explanation) -> str:
    names = " or ".join(suspect.name for suspect in explanation.causes)
    decide = explanation.causes[0].decide
    return f"{names}; to confirm: {decide}" if decide else names


def _describe_no_cause(explanation: Explanation) -> str:
    fault = explanation.fault
    unread = "; ".join(explanation.unread)
    if fault is None and not explanation.lines:
        empty = "The log is empty: there is nothing to explain."
        return f"No line of text was read: {unread}." if unread else empty
    if fault is None and unread:
        return f"No known error was found in what was read. Not read: {unread}."
    if fault is None:
        return "No known error was found."
    at = f"{fault.path}:{fault.line}" if fault.line else fault.path
    if fault.kind == "KeyboardInterrupt":
        where = f" in {at}" if at else ""
        return clean_text(f"Interrupted{where}; no known error was found.")
    what = ": ".join(filter(None, (fault.kind, fault.message)))
    where = f"{at} raised " if at else ""
    return clean_text(f"Not an environment or pipeline problem as far as known: {where}{what}")


def _describe_repeats(echoes: Sequence[RepeatedLine]) -> str:
    name = echoes[0].of.replace("_", "-")
    rows = ", ".join(str(echo.line) for echo in echoes[:_MAX_ECHOES])
    left = len(echoes) - _MAX_ECHOES
    more = f" and {left} more" if left > 0 else ""
    verb = "Line {} only repeats" if len(echoes) == 1 else "Lines {} only repeat"
    return f"{verb.format(rows + more)} {name}."


class _ExplanationWriter:
    def __init__(self, width: int, *, color: bool, all_places: bool) -> None:
        self._width = width
        self._color = color
        self._all = all_places

    def write_lines(self, explanation: Explanation) -> Iterator[str]:
        yield self._style_text(write_first_line(explanation), _BOLD)
        for place in explanation.unresponsive:
            yield from self._wrap_text(clean_text(place), 0)
        if target := describe_target(explanation):
            yield from self._wrap_text(target, 0)
        if explanation.fault is not None:
            yield from self._wrap_text(describe_exception(explanation.fault), 2)
        for suspect in explanation.causes:
            yield ""
            yield from self._write_cause(suspect, explanation)
        if explanation.echoes:
            yield ""
            yield from self._wrap_text(_describe_repeats(explanation.echoes), 0)

    def _write_cause(self, suspect: SuspectedCause, explanation: Explanation) -> Iterator[str]:
        head = f"{suspect.rank}  {suspect.name} ({describe_confidence(suspect)})"
        yield self._style_text(head, _BOLD)
        yield from self._wrap_text(f"{suspect.summary[:1].upper()}{suspect.summary[1:]}.", 3)
        for quote in suspect.lines[:3]:
            text = clean_text(quote.text)
            text = text if len(text) <= _MAX_QUOTE else f"{text[: _MAX_QUOTE - 3]}..."
            yield self._style_text(f"   {format_line_number(quote)}: {text}", _DIM)
        if suspect.versions:
            yield from self._wrap_text(f"Wording of {', '.join(suspect.versions)}.", 3)
        yield from self._wrap_text(f"Here: {suspect.here}; {clean_text(suspect.why_here)}.", 3)
        if suspect.decide and suspect.here == "unknown":
            yield f"   To confirm: {self._style_text(f'$ {clean_text(suspect.decide)}', _GREEN)}"
        if over := choose_heading(suspect, explanation):
            yield f"   {over}"
        if suspect.assumed and suspect.remedies:
            yield from self._wrap_text(f"Assuming {suspect.assumed}.", 3)
        for remedy in self._select_remedies(suspect.remedies):
            yield from self._write_remedy(remedy)
        others = sum(not t.for_here for t in suspect.remedies)
        if others and not self._all:
            yield self._style_text(f"   --all-places shows {others} more remedies", _DIM)
        for source in suspect.sources[:2]:
            yield self._style_text(f"   {clean_text(source)}", _DIM)

    def _select_remedies(self, remedies: Iterable[SuggestedRemedy]) -> Iterator[SuggestedRemedy]:
        return (t for t in remedies if t.for_here or self._all)

    def _write_remedy(self, remedy: SuggestedRemedy) -> Iterator[str]:
        where = " or ".join(_PLACE_TITLES[place] for place in remedy.fits)
        title = clean_text(remedy.title)
        yield from self._wrap_text(f"→ {where}: {title}" if where else f"→ {title}", 3, hang=2)
        for line in remedy.shell.splitlines():
            yield "     " + self._style_text(f"$ {clean_text(line)}", _GREEN)
        for line in remedy.listing.rstrip("\n").split("\n"):
            if line:
                yield "     " + self._style_text(clean_text(line), _GREEN)

    def _wrap_text(self, text: str, indent: int, hang: int = 0) -> list[str]:
        return textwrap.wrap(
            clean_text(text),
            self._width,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hang),
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _style_text(self, text: str, style: str) -> str:
        return f"{style}{text}{_PLAIN}" if self._color else text
