"""Tracebacks: which exception was raised, and in which line of the user's own code."""

import re

from msgspec.structs import replace

from pipedoctor.facts.log import Frame, Raised
from pipedoctor.log.raising import Promise, promised
from pipedoctor.log.wrapping import Line

MOST = 200
"""Exceptions that are kept, and ranks that are followed."""
_CODE = re.compile(
    r"File \"(?P<path>[^\"\n]{1,400})\", line (?P<line>\d{1,7})"
    r"(?:, in (?P<name>[^\s]{1,200}))?"
)
_CELL = re.compile(
    r"^(?:File )?"
    r"(?P<path>(?:~|/|\.|[A-Za-z]:|<ipython-input-|\w)[^\s:()]{0,300}(?:\.py|>))"
    r"(?::(?P<line>\d{1,7})(?:, in| in|$)| in )\s?(?P<name>[\w.<>]{0,100})"
)
_INPUT = re.compile(
    r"^(?:Input |File )?(?P<path>(?:Cell )?In ?\[\d{1,5}\]),?"
    r" (?:line |in )(?P<line>\d{1,7})?"
)
_ARROW = re.compile(r"^-{2,6}> ?(?P<line>\d{1,7})\b")
_RAISED = re.compile(
    r"^\s{0,4}(?:E {2,12})?(?P<kind>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Za-z_]\w{0,80}"
    r"(?:Error|Exception|Interrupt|Exit|Iteration|Warning|Abort|Empty|Full|Timeout|error)"
    r"|(?:[A-Za-z_]\w{0,60}\.){1,8}[eE]rror)"
    r"(?::\s?(?P<message>.*)|\s*$)"
)
_ANY = re.compile(
    r"^(?P<kind>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,80}): (?P<message>.*)"
)
_BOXED = re.compile(r"^\s{0,8}│\s{0,8}(?:❱\s{0,4})?\d{1,6} │")
"""Code between frames, as rich prints it."""
_LIBRARY = re.compile(
    r"(?:site|dist)-packages|[/\\]lib(?:64)?[/\\]python\d|<frozen|[/\\]Lib[/\\](?!site)"
    r"|<string>|<stdin>"
    r"|^(?:\.\.\.|…)[/\\]"
    r"|[/\\](?:torch|torchvision|PIL|numpy|multiprocessing|cv2|h5py|transformers)[/\\]"
    r"|\.pyx$|<__array_function__|<decorator|python\d\.\d{1,2}[/\\]|conda\S{0,40}[/\\]lib[/\\]"
    r"|^(?:threading|multiprocessing|importlib|runpy)\b",
)

_PYTEST = re.compile(
    r"^(?P<path>[^\s:]{1,300}\.py):(?P<line>\d{1,7}): (?P<kind>\w{1,80})\s*$"
)
"""Where it was raised, as pytest says it behind the message."""
_POINTED = re.compile(r"^\W{0,12}(?:-{2,6}>|❱)")
_NATIVE = (".c", ".cc", ".cpp")
"""Frames of libraries that print their own stack: a message follows, no code."""


def is_library(path: str) -> bool:
    """Is this somebody else's code?"""
    return _LIBRARY.search(path) is not None


class Tracebacks:
    """Follows the traceback of every rank, however they are interleaved."""

    def __init__(self) -> None:
        self.raised: list[Raised] = []
        self._own: dict[str, Frame] = {}
        self._open: dict[str, bool] = {}
        self._after: set[str] = set()
        self._promised: dict[str, tuple[Promise, Line, int]] = {}
        self._cut: list[tuple[Promise, Line, int]] = []

    def read(self, line: Line, number: int) -> bool:
        """Take the next line of a log; is it a line of code that a frame quotes?"""
        quoted = line.rank in self._after and line.text[:1] in {" ", "\t"}
        self._after.discard(line.rank)
        self._hear(line, number, quoted=quoted)
        if _BOXED.match(line.text):
            return True
        if quoted and not _CODE.search(line.text):
            return True
        self._take(line, number)
        return False

    def cut(self) -> list[tuple[Promise, Line, int]]:
        """Lines of code that raise, whose traceback ends before what they raised."""
        found = [*self._cut, *self._promised.values()]
        for promise, line, number in found:
            self._add(promise.kind, promise.message, line, number)
        return found

    def _hear(self, line: Line, number: int, *, quoted: bool) -> None:
        """Note the code that raises; forget it as soon as it was heard, or called."""
        before = self._promised.get(line.rank)
        if before and before[0].name in line.text:
            del self._promised[line.rank]
        if not quoted and not _POINTED.match(line.text):
            return
        promise = promised(line.text)
        if promise and (len(self._promised) < MOST or line.rank in self._promised):
            self._promised[line.rank] = (promise, line, number)

    def _take(self, line: Line, number: int) -> None:
        text = line.text.strip("│|╭╮ \t\n")
        match = _CODE.search(text) or _CELL.match(text) or _INPUT.match(text)
        if match is not None:
            self._frame(line.rank, match)
            return
        if text.startswith(("Traceback (most", "Original Traceback")):
            self._own.pop(line.rank, None)
            self._open[line.rank] = True
            unheard = self._promised.pop(line.rank, None)
            if unheard and len(self._cut) < MOST:
                self._cut.append(unheard)
            return
        if (spot := _PYTEST.match(text)) and self._spot(line.rank, spot):
            return
        arrow = _ARROW.match(text)
        own = self._own.get(line.rank)
        if arrow and own and not own.line:
            self._own[line.rank] = Frame(
                path=own.path, line=int(arrow["line"]), function=own.function
            )
            return
        self._raise(line, text, number)

    def _spot(self, rank: str, spot: re.Match[str]) -> bool:
        """Say of what was just raised where that was; False: it is not the same."""
        last = self.raised[-1] if self.raised else None
        same = last is not None and last.rank == rank
        if last is None or not same or last.kind.rpartition(".")[2] != spot["kind"]:
            return False
        if last.own is None and not is_library(spot["path"]):
            own = Frame(path=spot["path"], line=int(spot["line"]))
            self.raised[-1] = replace(last, own=own)
        return True

    def _frame(self, rank: str, match: re.Match[str]) -> None:
        self._promised.pop(rank, None)
        quotes = match.re is _CODE and not match["path"].endswith(_NATIVE)
        if quotes and len(self._after) < MOST:
            self._after.add(rank)
        if len(self._open) < MOST or rank in self._open:
            self._open[rank] = True
        if not is_library(match["path"]) and (
            len(self._own) < MOST or rank in self._own
        ):
            found = match.groupdict()
            self._own[rank] = Frame(
                path=found["path"],
                line=int(found["line"] or 0),
                function=found.get("name") or "",
            )

    def _raise(self, line: Line, text: str, number: int) -> None:
        match = _RAISED.match(text)
        if match is None and self._open.get(line.rank) and line.text[:1].strip():
            match = _ANY.match(text)
        if match is None or (
            "Warning" in match["kind"] and not self._open.get(line.rank)
        ):
            return
        self._promised.pop(line.rank, None)
        self._add(match["kind"], match["message"] or "", line, number)
        self._open[line.rank] = False

    def _add(self, kind: str, message: str, line: Line, number: int) -> None:
        if len(self.raised) >= MOST:
            del self.raised[MOST // 2]
        self.raised.append(
            Raised(
                kind=kind,
                message=message[:400],
                line=number,
                rank=line.rank,
                time=line.time,
                own=self._own.pop(line.rank, None),
            )
        )
