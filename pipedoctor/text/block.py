"""The part of a text that describes one environment, cut into its fields."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pipedoctor.facts.threads import THREAD_VARIABLES as THREADS
from pipedoctor.facts.variables import COLLECTED_VARIABLES
from pipedoctor.text import labels, torch_warnings

MAX_LINES = 400
"""Lines of one kind that are kept."""

_COLLECTOR_START = re.compile(r"collecting environment information", re.IGNORECASE)
_PACKAGE_LINE = re.compile(r"\[(pip3?|conda|uv)\]\s*(.*)")
_VARIABLE_LINE = re.compile(r"(?:export\s+)?([A-Z][A-Z0-9_]+)=(.*)")
_GPU_LINE = re.compile(r"GPU \d+(?:\s*,\s*\d+)*\s*(?::|\s{2,})|GPU \d+(?:,\d+)*\s{2,}")
_DICT_ITEM = re.compile(r"\('([^']{1,80})', '?((?:[^'\\]|\\.){0,4000})'?\)")
_NEWLINE = re.compile(r"(?<!\\)\\n")
_FIRST_KEYS = frozenset(("torch", "sys_platform", "available"))
"""A second one of these begins a second environment."""
_MIN_SCORE = 2
_READ_VARIABLES = frozenset((*COLLECTED_VARIABLES, *THREADS))
"""Variables that are read: nothing else of the environment reaches a report."""


@dataclass(kw_only=True)
class EnvironmentBlock:
    """Fields by key, each with the lines that belong to it."""

    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    gpus: list[str] = field(default_factory=list[str])
    packages: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    cpu: list[str] = field(default_factory=list[str])
    variables: dict[str, str] = field(default_factory=dict[str, str])
    warnings: list[str] = field(default_factory=list[str])
    uncertain_keys: set[str] = field(default_factory=set[str])
    """Keys that stood before anything only a collector writes: perhaps prose."""
    is_certain: bool = False
    """Has anything come that only a collector writes?"""

    @property
    def score(self) -> int:
        """How much it tells."""
        return len(self.fields) + 2 * bool(self.packages)

    @property
    def is_environment(self) -> bool:
        """Is it an environment at all, rather than a sentence with a colon?"""
        torch = any("torch" in line for _, line in self.packages)
        return (self.is_certain or torch) and self.score >= _MIN_SCORE

    def get_value(self, key: str) -> str | None:
        """The value of a field on its own line; None: it is not in the text."""
        values = self.fields.get(key)
        return values[0] if values else None


def find_first_block(lines: Iterable[str]) -> tuple[EnvironmentBlock, int] | None:
    """The first whole environment, and how many there are; None: there is none."""
    told = [block for block in _split_blocks(lines) if block.is_environment]
    if not told:
        return None
    most = max(block.score for block in told)
    whole = [block for block in told if 2 * block.score > most]
    return whole[0], len(whole)


def _split_blocks(lines: Iterable[str]) -> Iterator[EnvironmentBlock]:
    reader = _BlockReader()
    for line in lines:
        if _COLLECTOR_START.search(line) and reader.block.is_certain:
            yield reader.block
            reader = _BlockReader()
        for part in _split_line(line):
            if reader.is_new_block(part):
                yield reader.block
                reader = _BlockReader()
            reader.read_line(part)
    yield reader.block


def _split_line(line: str) -> Iterable[str]:
    """One line; or those of an OrderedDict that was printed as it is."""
    if not line.startswith("OrderedDict("):
        return (line,)
    pairs = _DICT_ITEM.findall(line)
    shown = (part for k, v in pairs for part in _NEWLINE.split(f"{k}: {v}"))
    return (part.replace("\\\\", "\\") for part in shown)


class _BlockReader:
    """Takes line after line; `key` is the field that a further line belongs to."""

    def __init__(self) -> None:
        self.block = EnvironmentBlock()
        self.key = ""
        self.last = ""

    def is_new_block(self, line: str) -> bool:
        found = labels.parse_field(line)
        block = self.block
        if found is None or found[0] not in _FIRST_KEYS or not block.is_certain:
            return False
        return found[0] in block.fields and found[0] not in block.uncertain_keys

    def read_line(self, line: str) -> None:
        block = self.block
        self._read_warning(line)
        package, gpu = _PACKAGE_LINE.match(line), _GPU_LINE.match(line)
        if package:
            self.key = ""
            _append_bounded(block.packages, (package[1], package[2]))
        elif gpu and self.key != "intel":
            _append_bounded(block.gpus, line)
        elif self.key == "cpu" and not labels.is_collector_label(line):
            _append_bounded(block.cpu, line)
        elif found := labels.parse_field(line):
            self._read_field(line, *found)
        elif self._read_variable(line):
            return
        elif self.key in block.fields:
            _append_bounded(block.fields[self.key], line)

    def _read_field(self, line: str, key: str, value: str) -> None:
        block = self.block
        if value.startswith(("{", "<your", "%")):
            return  # the collector's own source, or a form nobody filled in
        block.is_certain = block.is_certain or labels.is_collector_label(line)
        if key == "CUDA_HOME":
            block.variables.setdefault(key, value)
        elif key not in block.fields or (key in block.uncertain_keys and block.is_certain):
            block.fields[key] = [value]
            block.uncertain_keys.discard(key)
            if not block.is_certain:
                block.uncertain_keys.add(key)
        else:
            key = ""
        self.key = key

    def _read_variable(self, line: str) -> bool:
        match = _VARIABLE_LINE.fullmatch(line)
        if match and self.block.is_certain and match[1] in _READ_VARIABLES:
            self.block.variables.setdefault(match[1], match[2])
        return bool(match)

    def _read_warning(self, line: str) -> None:
        warning = torch_warnings.find_warning(line)
        if not warning and not torch_warnings.find_warning(self.last):
            warning = torch_warnings.find_warning(f"{self.last} {line}")  # it was wrapped
        self.last = line
        if warning and warning not in self.block.warnings:
            _append_bounded(self.block.warnings, warning)


def _append_bounded(lines: list[str] | list[tuple[str, str]], line: object) -> None:
    if len(lines) < MAX_LINES:
        lines.append(line)  # type: ignore[arg-type]
