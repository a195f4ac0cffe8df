"""What a command printed into a log, a number or nothing, in one line with the command."""

from msgspec.structs import replace

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.log.line_prefixes import LogLine

_ASKS = compile_lazily(
    r"(?:^|[$#%>] |\+ |-- )(?P<command>ulimit -[SH]?[a-z]{1,2}|nproc(?: --all)?"
    r"|sysctl -n [\w.]{3,60}|cat /(?:sys/fs/cgroup|proc/sys)/[\w./-]{3,80}"
    r"|ls (?:-\w{1,6} )?/[\w./-]{1,200})\s*$"
)
_ANSWER = compile_lazily(r"^\s{0,4}(?P<answer>\d{1,18}|unlimited|max)(?: \d{1,9})?\s*$")
_PROMPT = compile_lazily(r"^(?:\([\w.-]{1,40}\) ?)?[\w.@:~/\[\]-]{0,80} ?[$#](?: |$)")


class AnswerReader:
    """Joins such a command with the line below it."""

    def __init__(self) -> None:
        self._asked = ""
        self._next = 0

    def join(self, line: LogLine, text: str, number: int) -> LogLine:
        """
        The same line as ``ulimit -Hn = 4096`` where `text` is the answer; else empty.

        A prompt right below the command answers ``nothing``.
        """
        return replace(line, text=self._read(text, number))

    def _read(self, text: str, number: int) -> str:
        asked = self._asked if number == self._next else ""
        self._asked = ""
        if asked and (answer := _ANSWER.match(text)):
            return f"{asked} = {answer['answer']}"
        if command := _ASKS.search(text):
            self._asked, self._next = command["command"], number + 1
        return f"{asked} = nothing" if asked and _PROMPT.match(text) else ""
