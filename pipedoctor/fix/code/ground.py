"""The code that is judged: read once, then judged with changes that are only tried."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from pipedoctor.check import Check, Finding, Verdict
from pipedoctor.collect.source import minimums, shown, wanted
from pipedoctor.facts import Facts, Source
from pipedoctor.facts.source import Minimum, Skipped
from pipedoctor.fix.named import Examination
from pipedoctor.judge import judge
from pipedoctor.narrow.narrow import Changed, narrow
from pipedoctor.silence import UNUSED
from pipedoctor.source import files
from pipedoctor.source.assemble import apart, together
from pipedoctor.source.merge import merge
from pipedoctor.source.parse import NotPythonError, parse
from pipedoctor.source.pen import Pen
from pipedoctor.source.scope import Module

CODE = "123456"
"""The digit after PDR that hazards in code have."""


@dataclass(frozen=True)
class Found:
    """A finding of a check in code."""

    check: Check[Any]
    finding: Finding
    line: bytes = b""
    """What stands there, to tell two of one key apart."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is known by when lines have moved."""
        spot = self.finding.location
        path = spot.path.partition("#")[0] if spot else ""
        return self.check.code, path, self.finding.summary

    @property
    def place(self) -> str:
        """``train.py:12``."""
        spot = self.finding.location
        return f"{spot.path}:{spot.line}" if spot else ""


@dataclass
class Ground:
    """Files by the paths that findings name them by, and what is known around them."""

    paths: tuple[str, ...]
    examination: Examination
    facts: Facts
    raws: dict[str, bytes] = field(default_factory=dict[str, bytes])
    real: dict[str, str] = field(default_factory=dict[str, str])
    """How to open them."""
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    kept: bool = True
    """It is in files, which edits are written to."""
    unread: dict[str, str] = field(default_factory=dict[str, str])
    """Files that are no Python, and why."""
    groups: list[list[str]] = field(default_factory=list[list[str]])
    """Files of one project: those of another do not know of them."""
    changed: Changed | None = None
    """The only lines whose findings are cured; all are judged."""
    _modules: dict[tuple[str, bytes], Module | None] = field(
        default_factory=dict[tuple[str, bytes], Module | None]
    )
    """Files that are taken apart, as they are and as they were tried."""
    _pens: dict[int, Pen] = field(default_factory=dict[int, Pen])
    _parts: dict[tuple[bytes, ...], Source] = field(
        default_factory=dict[tuple[bytes, ...], Source]
    )

    @classmethod
    def read(
        cls, paths: tuple[str, ...], examination: Examination, facts: Facts
    ) -> "Ground":
        """Read every file that `check` would; raises Unreadable."""
        skipped: list[Skipped] = []
        ground = cls(paths, examination, facts, skipped=skipped)
        for project in wanted(paths, skipped, examination.inquiry.reading):
            group: list[str] = []
            for file in project:
                # As facts have it: text that can be encoded, whatever it stands for.
                name = shown(file.path, paths)
                name = name.encode("utf-8", "backslashreplace").decode()
                ground.raws[name] = file.text
                ground.real[name] = file.path
                group.append(name)
            ground.groups.append(group)
        return ground

    @classmethod
    def typed(
        cls, file: files.Source, examination: Examination, facts: Facts
    ) -> "Ground":
        """Code that is in no file; raises NotPythonError."""
        name = file.path
        try:
            parse(file)
        except NotPythonError as error:
            message = f"{name}: {error}"
            raise NotPythonError(message) from None
        raws, real = {name: file.text}, {name: name}
        return cls(
            (), examination, facts, raws=raws, real=real, groups=[[name]], kept=False
        )

    def again(self) -> "Ground":
        """The same files, read anew."""
        return Ground.read(self.paths, self.examination, self.facts)

    def source(self, changed: Mapping[str, bytes]) -> Source:
        """The facts with some files changed; raises NotPythonError for these."""
        torch, python = self._minimums
        whole = merge(self._part(group, changed) for group in self.groups)
        return replace(whole, torch=torch, python=python)

    @cached_property
    def _minimums(self) -> tuple[Minimum | None, Minimum | None]:
        return minimums(self.paths)

    def _part(self, group: Sequence[str], changed: Mapping[str, bytes]) -> Source:
        """One project; what has not changed is not taken apart again."""
        raws = tuple(changed.get(name, self.raws[name]) for name in group)
        key = (*(name.encode() for name in group), *raws)
        known = self._parts.get(key)
        if known is not None:
            return known
        modules: list[Module] = []
        for name, raw in zip(group, raws, strict=True):
            module = self._apart(name, raw)
            if module is not None:
                modules.append(module)
            elif name in changed:
                message = f"{name} would be no valid Python any more"
                raise NotPythonError(message)
        self._parts[key] = together(modules, forget=False, pens=self._pens)
        return self._parts[key]

    def edited(self, changed: Mapping[str, bytes]) -> "Ground":
        """The same ground with these files as they would be."""
        raws = {**self.raws, **changed}
        return dataclasses.replace(self, raws=raws)

    def _apart(self, name: str, raw: bytes) -> Module | None:
        key = name, raw
        if key not in self._modules:
            try:
                text = parse(files.Source(self.real[name], raw))
                self._modules[key] = apart(dataclasses.replace(text, path=name))
            except NotPythonError as error:
                self._modules[key] = None
                if raw is self.raws.get(name):
                    self.unread[name] = str(error)
        return self._modules[key]

    def judge(self, changed: Mapping[str, bytes] | None = None) -> list[Found]:
        """What the checks of code say, with some files changed."""
        facts = self.facts.plus(self.source(changed or {}))
        return list(self._found(facts, {**self.raws, **(changed or {})}))

    def _found(self, facts: Facts, raws: Mapping[str, bytes]) -> Iterator[Found]:
        catalogue = self.examination.catalogue
        verdicts = judge(
            catalogue,
            facts,
            chosen=_of_code,
            settings=self.examination.standards.settings,
        )
        left = narrow(
            catalogue,
            facts,
            verdicts,
            self.examination.standards.narrowing,
            chosen=_of_code,
            redact=str,
        )
        for verdict in left:
            yield from self._of(verdict, raws)

    def _of(self, verdict: Verdict, raws: Mapping[str, bytes]) -> Iterator[Found]:
        standards = self.examination.standards
        if verdict.skipped or verdict.code in standards.accepted:
            return
        check = self.examination.catalogue.checks[verdict.code]
        for finding in verdict.findings:
            yield Found(check, finding, _line(finding, raws))


def _line(finding: Finding, raws: Mapping[str, bytes]) -> bytes:
    spot = finding.location
    lines = raws.get(spot.path, b"").splitlines() if spot else []
    return lines[spot.line - 1] if spot and spot.line <= len(lines) else b""


def _of_code(check: Check[Any]) -> bool:
    """Hazards in code; what comments silence is judged with them all."""
    return check.code[3:4] in CODE and check.code != UNUSED
