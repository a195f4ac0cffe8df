"""The part of a text that describes one environment, cut into its fields."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pipedoctor.facts.threads import VARIABLES as THREADS
from pipedoctor.facts.variables import ALLOWED
from pipedoctor.text import labels, said

MOST = 400
"""Lines of one kind that are kept."""

_BEGIN = re.compile(r"collecting environment information", re.IGNORECASE)
_PACKAGE = re.compile(r"\[(pip3?|conda|uv)\]\s*(.*)")
_ENV = re.compile(r"(?:export\s+)?([A-Z][A-Z0-9_]+)=(.*)")
_GPU = re.compile(r"GPU \d+(?:\s*,\s*\d+)*\s*(?::|\s{2,})|GPU \d+(?:,\d+)*\s{2,}")
_DICT = re.compile(r"\('([^']{1,80})', '?((?:[^'\\]|\\.){0,4000})'?\)")
_NEWLINE = re.compile(r"(?<!\\)\\n")
_FIRST = frozenset(("torch", "sys_platform", "available"))
"""A second one of these begins a second environment."""
_ENOUGH = 2
_KEPT = frozenset((*ALLOWED, *THREADS))
"""Variables that are read: nothing else of the environment reaches a report."""


@dataclass(kw_only=True)
class Block:
    """Fields by key, each with the lines that belong to it."""

    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    gpus: list[str] = field(default_factory=list[str])
    packages: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    cpu: list[str] = field(default_factory=list[str])
    variables: dict[str, str] = field(default_factory=dict[str, str])
    warnings: list[str] = field(default_factory=list[str])
    early: set[str] = field(default_factory=set[str])
    """Keys that stood before anything only a collector writes: perhaps prose."""
    sure: bool = False
    """Has anything come that only a collector writes?"""

    @property
    def score(self) -> int:
        """How much it tells."""
        return len(self.fields) + 2 * bool(self.packages)

    @property
    def told(self) -> bool:
        """Is it an environment at all, rather than a sentence with a colon?"""
        torch = any("torch" in line for _, line in self.packages)
        return (self.sure or torch) and self.score >= _ENOUGH

    def said(self, key: str) -> str | None:
        """The value of a field on its own line; None: it is not in the text."""
        values = self.fields.get(key)
        return values[0] if values else None


def first(lines: Iterable[str]) -> tuple[Block, int] | None:
    """The first whole environment, and how many there are; None: there is none."""
    told = [block for block in _blocks(lines) if block.told]
    if not told:
        return None
    most = max(block.score for block in told)
    whole = [block for block in told if 2 * block.score > most]
    return whole[0], len(whole)


def _blocks(lines: Iterable[str]) -> Iterator[Block]:
    reader = _Reader()
    for line in lines:
        if _BEGIN.search(line) and reader.block.sure:
            yield reader.block
            reader = _Reader()
        for part in _parts(line):
            if reader.begins_another(part):
                yield reader.block
                reader = _Reader()
            reader.take(part)
    yield reader.block


def _parts(line: str) -> Iterable[str]:
    """One line; or those of an OrderedDict that was printed as it is."""
    if not line.startswith("OrderedDict("):
        return (line,)
    pairs = _DICT.findall(line)
    shown = (part for k, v in pairs for part in _NEWLINE.split(f"{k}: {v}"))
    return (part.replace("\\\\", "\\") for part in shown)


class _Reader:
    """Takes line after line; `key` is the field that a further line belongs to."""

    def __init__(self) -> None:
        self.block = Block()
        self.key = ""
        self.last = ""

    def begins_another(self, line: str) -> bool:
        found = labels.field(line)
        block = self.block
        if found is None or found[0] not in _FIRST or not block.sure:
            return False
        return found[0] in block.fields and found[0] not in block.early

    def take(self, line: str) -> None:
        block = self.block
        self._listen(line)
        package, gpu = _PACKAGE.match(line), _GPU.match(line)
        if package:
            self.key = ""
            _add(block.packages, (package[1], package[2]))
        elif gpu and self.key != "intel":
            _add(block.gpus, line)
        elif self.key == "cpu" and not labels.strong(line):
            _add(block.cpu, line)
        elif found := labels.field(line):
            self._field(line, *found)
        elif self._variable(line):
            return
        elif self.key in block.fields:
            _add(block.fields[self.key], line)

    def _field(self, line: str, key: str, value: str) -> None:
        block = self.block
        if value.startswith(("{", "<your", "%")):
            return  # the collector's own source, or a form nobody filled in
        block.sure = block.sure or labels.strong(line)
        if key == "CUDA_HOME":
            block.variables.setdefault(key, value)
        elif key not in block.fields or (key in block.early and block.sure):
            block.fields[key] = [value]
            block.early.discard(key)
            if not block.sure:
                block.early.add(key)
        else:
            key = ""
        self.key = key

    def _variable(self, line: str) -> bool:
        match = _ENV.fullmatch(line)
        if match and self.block.sure and match[1] in _KEPT:
            self.block.variables.setdefault(match[1], match[2])
        return bool(match)

    def _listen(self, line: str) -> None:
        warning = said.warning(line)
        if not warning and not said.warning(self.last):
            warning = said.warning(f"{self.last} {line}")  # it was wrapped
        self.last = line
        if warning and warning not in self.block.warnings:
            _add(self.block.warnings, warning)


def _add(kept: list[str] | list[tuple[str, str]], line: object) -> None:
    if len(kept) < MOST:
        kept.append(line)  # type: ignore[arg-type]
