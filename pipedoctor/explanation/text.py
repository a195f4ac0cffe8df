"""The explanation for a terminal: first what to type, then why."""

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from pipedoctor.explanation.model import (
    Explanation,
    Fault,
    Quote,
    Repeat,
    Suspect,
    Treatment,
)
from pipedoctor.report.words import clean

_BOLD, _DIM, _GREEN, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[0m"
_QUOTED, _ECHOES = 160, 8
_ROWS = 2
"""Lines of code that still fit into one."""
ELSEWHERE = "on the machine of the log"
"""Where remedies belong whose cause is ruled out here."""
OWN = ("run", "exception")
"""Sources that are of this machine, a moment ago."""
_SPOKEN = {
    "bare": "bare metal",
    "docker": "Docker",
    "kubernetes": "Kubernetes",
    "slurm": "Slurm",
}


def render(
    said: Explanation,
    *,
    width: int = 100,
    colour: bool = False,
    all_places: bool = False,
    ascii_only: bool = False,
) -> str:
    """Write it for a terminal of this width; remedies of other places on demand."""
    page = _Page(max(width, 60), colour=colour, all_places=all_places)
    text = "\n".join(page.lines(said)) + "\n"
    if ascii_only:
        text = text.replace("→", "->").encode("ascii", "replace").decode()
    return text


def command(suspect: Suspect) -> str:
    """
    What to type first, or the title of what to do, for the place we are in.

    That is the first remedy; what only goes into a file for later comes behind the
    others, and a change of code behind a command for just this kind of place. Steps
    of which the first alone does harm are typed together.
    """
    here = [t for t in suspect.remedies if t.for_here]
    here.sort(key=lambda t: t.snippet.startswith("#"))
    if here and here[0].place == "code":
        here.sort(key=lambda t: not (t.shell and t.fits))
    steps = here[:1]
    steps += itertools.takewhile(lambda t: t.title.startswith("Then "), here[1:])
    if all(step.shell for step in steps):
        return " && ".join(step.shell for step in steps)
    return _typed(steps[0])


def _typed(treatment: Treatment) -> str:
    """Its command, or its code where that fits into a line; else its title."""
    rows = treatment.snippet.splitlines()
    plain = not any(row[:1].isspace() or row.endswith(":") for row in rows)
    code = "; ".join(rows) if plain and len(rows) <= _ROWS else ""
    return treatment.shell or code or treatment.title


def first_line(said: Explanation) -> str:
    """Everything in one line."""
    if not said.causes:
        return _nothing(said)
    first = said.causes[0]
    if first.by_words and first.here != "confirmed":
        return clean(f"No line of it is known; its words are about {_perhaps(said)}")
    todo = command(first)
    if not todo:
        decide = f": to decide: {first.decide}" if first.decide else ""
        return clean(f"{first.name}{decide}")
    return clean(f"{first.name}: {todo}{_reserve(first, said.source)}")


def _reserve(first: Suspect, source: str) -> str:
    """What is to be known before it is typed, as a comment."""
    if first.here == "ruled-out":
        now = "ruled out here, now"
        return f"  # {now if source in OWN else f'{ELSEWHERE}: ruled out here'}"
    if first.here == "unknown" and first.confidence == "possible":
        decide = f"; to decide: {first.decide}" if first.decide else ""
        return f"  # only possible{decide}"
    return ""


def heading(suspect: Suspect, said: Explanation) -> str:
    """What stands over remedies that are not simply to be applied here."""
    if suspect.remedies and suspect.by_words and suspect.here != "confirmed":
        return "What would help if it is so:"
    if suspect.remedies and suspect.here == "ruled-out":
        where = "if it comes again" if said.source in OWN else f"{ELSEWHERE}, not here"
        return f"What would help {where}:"
    return ""


def spot(quote: Quote | Fault) -> str:
    """``line 12 (rank 3)``."""
    whose = f"rank {quote.rank}" if quote.rank.isdecimal() else clean(quote.rank)
    return f"line {quote.number}" + (f" ({whose})" if whose else "")


def looked_at(fault: Fault) -> str:
    """Where in the log it is, and what to look at."""
    hint = f"{fault.hint[:1].upper()}{fault.hint[1:]}"
    return f"L{spot(fault)[1:]} of the log. {hint}."


def sureness(suspect: Suspect) -> str:
    """How sure it is, and whether only by its words."""
    return f"{suspect.confidence}{', by its words alone' if suspect.by_words else ''}"


def _perhaps(said: Explanation) -> str:
    names = " or ".join(suspect.name for suspect in said.causes)
    decide = said.causes[0].decide
    return f"{names}; to decide: {decide}" if decide else names


def _nothing(said: Explanation) -> str:
    fault = said.fault
    if fault is None and not said.lines:
        return "The log is empty: there is nothing to explain."
    if fault is None:
        return "No error that is known was found."
    at = f"{fault.path}:{fault.line}" if fault.line else fault.path
    if fault.kind == "KeyboardInterrupt":
        where = f" in {at}" if at else ""
        return clean(f"It was interrupted{where}; no error that is known was found.")
    what = ": ".join(filter(None, (fault.kind, fault.message)))
    where = f"{at} raised " if at else ""
    return clean(
        f"Not an environment or pipeline problem as far as known: {where}{what}"
    )


def _repeats(echoes: Sequence[Repeat]) -> str:
    name = echoes[0].of.replace("_", "-")
    rows = ", ".join(str(echo.line) for echo in echoes[:_ECHOES])
    left = len(echoes) - _ECHOES
    more = f" and {left} more" if left > 0 else ""
    verb = "Line {} only repeats" if len(echoes) == 1 else "Lines {} only repeat"
    return f"{verb.format(rows + more)} {name}."


class _Page:
    def __init__(self, width: int, *, colour: bool, all_places: bool) -> None:
        self._width = width
        self._colour = colour
        self._all = all_places

    def lines(self, said: Explanation) -> Iterator[str]:
        yield self._dress(first_line(said), _BOLD)
        if said.fault is not None:
            yield from self._wrapped(looked_at(said.fault), 2)
        for suspect in said.causes:
            yield ""
            yield from self._suspect(suspect, said)
        if said.echoes:
            yield ""
            yield from self._wrapped(_repeats(said.echoes), 0)

    def _suspect(self, suspect: Suspect, said: Explanation) -> Iterator[str]:
        head = f"{suspect.rank}  {suspect.name} ({sureness(suspect)})"
        yield self._dress(head, _BOLD)
        yield from self._wrapped(
            f"{suspect.summary[:1].upper()}{suspect.summary[1:]}.", 3
        )
        for quote in suspect.lines[:3]:
            text = clean(quote.text)
            text = text if len(text) <= _QUOTED else f"{text[: _QUOTED - 3]}..."
            yield self._dress(f"   {spot(quote)}: {text}", _DIM)
        if suspect.versions:
            yield from self._wrapped(f"Worded as by {', '.join(suspect.versions)}.", 3)
        yield from self._wrapped(f"Here: {suspect.here}; {clean(suspect.why_here)}.", 3)
        if suspect.decide and suspect.here == "unknown":
            yield f"   To decide: {self._dress(f'$ {clean(suspect.decide)}', _GREEN)}"
        if over := heading(suspect, said):
            yield f"   {over}"
        for treatment in self._shown(suspect.remedies):
            yield from self._treatment(treatment)
        others = sum(not t.for_here for t in suspect.remedies)
        if others and not self._all:
            yield self._dress(f"   --all-places shows {others} more remedies", _DIM)
        for source in suspect.sources[:2]:
            yield self._dress(f"   {clean(source)}", _DIM)

    def _shown(self, remedies: Iterable[Treatment]) -> Iterator[Treatment]:
        return (t for t in remedies if t.for_here or self._all)

    def _treatment(self, treatment: Treatment) -> Iterator[str]:
        where = " or ".join(_SPOKEN[place] for place in treatment.fits)
        title = clean(treatment.title)
        yield from self._wrapped(f"→ {where}: {title}" if where else f"→ {title}", 3)
        if treatment.shell:
            yield "     " + self._dress(f"$ {clean(treatment.shell)}", _GREEN)
        for line in treatment.snippet.rstrip("\n").split("\n"):
            if line:
                yield "     " + self._dress(clean(line), _GREEN)

    def _wrapped(self, text: str, indent: int) -> list[str]:
        return textwrap.wrap(
            clean(text),
            self._width,
            initial_indent=" " * indent,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _dress(self, text: str, style: str) -> str:
        return f"{style}{text}{_PLAIN}" if self._colour else text
