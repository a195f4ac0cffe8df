"""Tracebacks: which exception was raised, and in which line of the user's own code."""

import re

import msgspec
from msgspec.structs import replace

from pipedoctor.facts.log import Raised, TracebackFrame
from pipedoctor.log.line_prefixes import LogLine
from pipedoctor.log.progress import is_minor

_RAISE = re.compile(
    r"(?:^|[>❱])[ \d│]{0,120}raise (?P<kind>[A-Za-z_][\w.]{0,120})"
    r"\((?:(?P<code>errno\.\w{2,16}), ?)?[A-Za-z]{0,2}(?P<quote>['\"])"
    r"(?P<text>(?:\\.|(?!(?P=quote))[^\\]){4,400})(?P=quote)"
)
_PLACEHOLDER = re.compile(r"\{[^{}]{0,80}\}|%[-+#0-9.]{0,6}[diufgsrx]")
_ESCAPE = re.compile(r"\\[nrt]")

MAX_EXCEPTIONS = 200
"""Exceptions that are kept, and ranks that are followed."""
_PYTHON_FRAME = re.compile(
    r"File \"(?P<path>[^\"\n]{1,400})\", line (?P<line>\d{1,7})"
    r"(?:, in (?P<name>[^\s]{1,200}))?"
)
_CELL_FRAME = re.compile(
    r"^(?:File )?"
    r"(?P<path>(?:~|/|\.|[A-Za-z]:|<ipython-input-|\w)[^\s:()]{0,300}(?:\.py|>))"
    r"(?::(?P<line>\d{1,7})(?:, in| in|$)| in )\s?(?P<name>[\w.<>]{0,100})"
)
_INPUT_FRAME = re.compile(
    r"^(?:Input |File )?(?P<path>(?:Cell )?In ?\[\d{1,5}\]),?"
    r" (?:line |in )(?P<line>\d{1,7})?"
)
_ARROW_LINE = re.compile(r"^-{2,6}> ?(?P<line>\d{1,7})\b")
_EXCEPTION_LINE = re.compile(
    r"^\s{0,4}(?:E {2,12})?(?P<kind>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Za-z_]\w{0,80}"
    r"(?:Error|Exception|Interrupt|Exit|Iteration|Warning|Abort|Empty|Full|Timeout|error)"
    r"|(?:[A-Za-z_]\w{0,60}\.){1,8}[eE]rror)"
    r"(?::\s?(?P<message>.*)|\s*$)"
)
_ANY_EXCEPTION = re.compile(
    r"^(?P<kind>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,80}): (?P<message>.*)"
)
_BOXED_CODE = re.compile(r"^\s{0,8}│\s{0,8}(?:❱\s{0,4})?\d{1,6} │")
"""Code between frames, as rich prints it."""
_LIBRARY_PATH = re.compile(
    r"(?:site|dist)-packages|[/\\]lib(?:64)?[/\\]python\d|<frozen|[/\\]Lib[/\\](?!site)"
    r"|<string>|<stdin>"
    r"|^(?:\.\.\.|…)[/\\]"
    r"|[/\\](?:torch|torchvision|PIL|numpy|multiprocessing|cv2|h5py|transformers)[/\\]"
    r"|\.p(?:yx|xi|xd)$|<__array_function__|<decorator|python\d\.\d{1,2}[/\\]|conda\S{0,40}[/\\]lib[/\\]"
    r"|^(?:threading|multiprocessing|importlib|runpy)\b",
)
_PACKAGE_PATH = re.compile(
    r"(?:site|dist)-packages[/\\](?P<top>\w{1,60})"
    r"|^(?:\.\.\.|…)[/\\](?P<named>\w{1,60})[/\\]"
)

_PYTEST_LOCATION = re.compile(
    r"^(?P<path>[^\s:]{1,300}\.py):(?P<line>\d{1,7}): (?P<kind>\w{1,80})\s*$"
)
"""Where it was raised, as pytest says it behind the message."""
_POINTED_CODE = re.compile(r"^\W{0,12}(?:-{2,6}>|❱)")
_OF_IMPORTS = frozenset({"ImportError", "ModuleNotFoundError"})
_NATIVE_SUFFIXES = (".c", ".cc", ".cpp")
"""Frames of libraries that print their own stack: a message follows, no code."""


class RaiseStatement(msgspec.Struct, frozen=True):
    """The message of a line of code, where nobody has seen it printed yet."""

    kind: str
    message: str
    code: str
    """The line as it stands."""

    @property
    def short_name(self) -> str:
        """The exception without its module."""
        return self.kind.rpartition(".")[2]


def is_library(path: str) -> bool:
    """Is this somebody else's code?"""
    return _LIBRARY_PATH.search(path) is not None


def find_package(path: str) -> str:
    """The installed package that a file belongs to; empty: none, or it does not say."""
    match = _PACKAGE_PATH.search(path)
    return (match["top"] or match["named"] or "") if match else ""


class TracebackReader:
    """Follows the traceback of every rank, however they are interleaved."""

    def __init__(self) -> None:
        self.raised: list[Raised] = []
        self.names: dict[str, str] = {}
        """The ``importing_file``, whose import failed first."""
        self._own: dict[str, TracebackFrame] = {}
        self._inner: dict[str, str] = {}
        """The path of the last frame."""
        self._open: dict[str, bool] = {}
        self._after: dict[str, int] = {}
        """How far a frame is indented, whose code follows farther in."""
        self._pending_raises: dict[str, tuple[RaiseStatement, LogLine, int]] = {}
        self._truncated: list[tuple[RaiseStatement, LogLine, int]] = []

    def read_line(self, line: LogLine, number: int) -> bool:
        """Take the next line of a log; is it a line of code that a frame quotes?"""
        before = self._after.pop(line.rank, None)
        quoted = before is not None and _measure_indent(line.text) > before
        self._track_raise(line, number, quoted=quoted)
        if _BOXED_CODE.match(line.text):
            return True
        if quoted and not _PYTHON_FRAME.search(line.text):
            return True
        self._read_text(line, number)
        return False

    def add_truncated(self) -> list[tuple[RaiseStatement, LogLine, int]]:
        """Lines of code that raise, whose traceback ends before what they raised."""
        found = [*self._truncated, *self._pending_raises.values()]
        for promise, line, number in found:
            self._add_exception(promise.kind, promise.message, line, number)
        return found

    def _track_raise(self, line: LogLine, number: int, *, quoted: bool) -> None:
        """Note the code that raises; forget it as soon as it was heard, or called."""
        before = self._pending_raises.get(line.rank)
        if before and before[0].short_name in line.text:
            del self._pending_raises[line.rank]
        if not quoted and not _POINTED_CODE.match(line.text):
            return
        promise = parse_raise(line.text)
        if promise and (
            len(self._pending_raises) < MAX_EXCEPTIONS or line.rank in self._pending_raises
        ):
            self._pending_raises[line.rank] = (promise, line, number)

    def _read_text(self, line: LogLine, number: int) -> None:
        text = line.text.strip("│|╭╮ \t\n")
        match = _PYTHON_FRAME.search(text) or _CELL_FRAME.match(text) or _INPUT_FRAME.match(text)
        if match is not None:
            self._read_frame(line, match)
            return
        if text.startswith(("Traceback (most", "Original Traceback")):
            self._own.pop(line.rank, None)
            self._inner.pop(line.rank, None)
            self._open[line.rank] = True
            unheard = self._pending_raises.pop(line.rank, None)
            if unheard and len(self._truncated) < MAX_EXCEPTIONS:
                self._truncated.append(unheard)
            return
        if (spot := _PYTEST_LOCATION.match(text)) and self._read_location(line.rank, spot):
            return
        arrow = _ARROW_LINE.match(text)
        own = self._own.get(line.rank)
        if arrow and own and not own.line:
            self._own[line.rank] = TracebackFrame(
                path=own.path, line=int(arrow["line"]), function=own.function
            )
            return
        self._read_exception(line, text, number)

    def _read_location(self, rank: str, spot: re.Match[str]) -> bool:
        """Say of what was just raised where that was; False: it is not the same."""
        last = self.raised[-1] if self.raised else None
        same = last is not None and last.rank == rank
        if last is None or not same or last.kind.rpartition(".")[2] != spot["kind"]:
            return False
        if last.own is None and not is_library(spot["path"]):
            own = TracebackFrame(path=spot["path"], line=int(spot["line"]))
            self.raised[-1] = replace(last, own=own)
        return True

    def _read_frame(self, line: LogLine, match: re.Match[str]) -> None:
        rank = line.rank
        self._pending_raises.pop(rank, None)
        quotes = match.re is _PYTHON_FRAME and not match["path"].endswith(_NATIVE_SUFFIXES)
        if quotes and len(self._after) < MAX_EXCEPTIONS:
            self._after[rank] = _measure_indent(line.text)
        if len(self._open) < MAX_EXCEPTIONS or rank in self._open:
            self._open[rank] = True
        if len(self._inner) < MAX_EXCEPTIONS or rank in self._inner:
            self._inner[rank] = match["path"]
        if not is_library(match["path"]) and (len(self._own) < MAX_EXCEPTIONS or rank in self._own):
            found = match.groupdict()
            self._own[rank] = TracebackFrame(
                path=found["path"],
                line=int(found["line"] or 0),
                function=found.get("name") or "",
            )

    def _read_exception(self, line: LogLine, text: str, number: int) -> None:
        match = _EXCEPTION_LINE.match(text)
        if match is None and self._open.get(line.rank) and line.text[:1].strip():
            match = _ANY_EXCEPTION.match(text)
        if match is None or ("Warning" in match["kind"] and not self._open.get(line.rank)):
            return
        self._pending_raises.pop(line.rank, None)
        self._add_exception(match["kind"], match["message"] or "", line, number)
        self._open[line.rank] = False

    def _add_exception(self, kind: str, message: str, line: LogLine, number: int) -> None:
        inner = self._inner.pop(line.rank, "")
        if kind in _OF_IMPORTS and inner.endswith(".py"):
            self.names.setdefault("importing_file", inner)
        if len(self.raised) >= MAX_EXCEPTIONS:
            del self.raised[MAX_EXCEPTIONS // 2]
        self.raised.append(
            Raised(
                kind=kind,
                message=message[:400],
                line=number,
                rank=line.rank,
                time=line.time,
                own=self._own.pop(line.rank, None),
                library=find_package(inner),
                minor=is_minor(line.raw.partition(kind)[0]),
            )
        )


def _measure_indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def parse_raise(text: str) -> RaiseStatement | None:
    """
    The exception that this line raises with a literal message.

    0 for every placeholder.
    """
    match = _RAISE.search(text) if "raise " in text else None
    if match is None:
        return None
    message = _ESCAPE.sub(" ", _PLACEHOLDER.sub("0", match["text"]))
    code = f"[{match['code']}] " if match["code"] else ""
    return RaiseStatement(match["kind"], f"{code}{message}".strip(), text.strip())
