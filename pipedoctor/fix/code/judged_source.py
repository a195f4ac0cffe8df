"""The code that is judged: read once, then judged with changes that are only tried."""

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from pipedoctor.check import Check, Finding, Verdict
from pipedoctor.collect.code.code_path import format_path
from pipedoctor.collect.code.source import find_minimums, group_sources
from pipedoctor.engine.runner import run_checks
from pipedoctor.facts import Facts, Source
from pipedoctor.facts.source import Skipped
from pipedoctor.facts.source_marks import Minimum
from pipedoctor.fix.request.named_checks import Examination
from pipedoctor.runtime.files import run_with_timeout
from pipedoctor.runtime.probe import Announce
from pipedoctor.source.assemble import build_facts_of_modules, index_file
from pipedoctor.source.discover import files
from pipedoctor.source.discover.merge import merge_sources
from pipedoctor.source.discover.projects import group_by_project
from pipedoctor.source.syntax.parse import NotPythonError, parse_file
from pipedoctor.source.syntax.scope import Module
from pipedoctor.source.syntax.source_text import SourceText
from pipedoctor.suppress.comments import UNUSED_IGNORE_CODE
from pipedoctor.suppress.suppress import ChangedLines, filter_findings

CODE_CHECK_DIGITS = "123456"
"""The digit after PDR that hazards in code have."""
_READING_SECONDS = 15.0
"""As long as an examination has: what takes longer does not answer."""


def _require_reading(paths: tuple[str, ...], examination: Examination, patience: float) -> None:
    """Read all of it in a child first: a folder that hangs there hangs only the child."""
    reading = examination.inquiry.reading

    def read_all(announce: Announce) -> bool:
        announce(f"reading {', '.join(paths)}")
        every = files.find_source_files(paths, gitignore=reading.gitignore, exclude=reading.exclude)
        group_by_project([one for one in every if isinstance(one, files.SourceFile)], paths)
        return True

    run_with_timeout("the code", read_all, timeout=patience)


@dataclass(frozen=True)
class CodeFinding:
    """A finding of a check in code."""

    check: Check[Any]
    finding: Finding
    line: bytes = b""
    """What stands there, to tell two of one key apart."""

    @property
    def identity(self) -> tuple[str, str, str]:
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
class CodeWorkspace:
    """Files by the paths that findings name them by, and what is known around them."""

    paths: tuple[str, ...]
    examination: Examination
    facts: Facts
    contents: dict[str, bytes] = field(default_factory=dict[str, bytes])
    real_paths: dict[str, str] = field(default_factory=dict[str, str])
    """How to open them."""
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    real_roots: tuple[str, ...] = ()
    """What `paths` led to when the code was read."""
    is_on_disk: bool = True
    """It is in files, which edits are written to."""
    unread: dict[str, str] = field(default_factory=dict[str, str])
    """Files that are no Python, and why."""
    projects: list[list[str]] = field(default_factory=list[list[str]])
    """Files of one project: those of another do not know of them."""
    changed_lines: ChangedLines | None = None
    """The only lines whose findings are cured; all are judged."""
    _modules: dict[tuple[str, bytes], Module | None] = field(
        default_factory=dict[tuple[str, bytes], Module | None]
    )
    """Files that are taken apart, as they are and as they were tried."""
    _source_texts: dict[int, SourceText] = field(default_factory=dict[int, SourceText])
    _parts: dict[tuple[bytes, ...], Source] = field(default_factory=dict[tuple[bytes, ...], Source])

    @classmethod
    def read(
        cls,
        paths: tuple[str, ...],
        examination: Examination,
        facts: Facts,
        patience: float = _READING_SECONDS,
    ) -> "CodeWorkspace":
        """Read every file that `check` would; raises UnreadableError, also of what hangs."""
        _require_reading(paths, examination, patience)
        skipped: list[Skipped] = []
        roots = tuple(os.path.realpath(path) for path in paths)
        ground = cls(paths, examination, facts, skipped=skipped, real_roots=roots)
        for project in group_sources(paths, skipped, examination.inquiry.reading):
            group: list[str] = []
            for file in project:
                # As facts have it: text that can be encoded, whatever it stands for.
                name = format_path(file.path, paths)
                name = name.encode("utf-8", "backslashreplace").decode()
                ground.contents[name] = file.text
                ground.real_paths[name] = file.path
                group.append(name)
            ground.projects.append(group)
        return ground

    @classmethod
    def from_text(
        cls, file: files.SourceFile, examination: Examination, facts: Facts
    ) -> "CodeWorkspace":
        """Code that is in no file; raises NotPythonError."""
        name = file.path
        try:
            parse_file(file)
        except NotPythonError as error:
            message = f"{name}: {error}"
            raise NotPythonError(message) from None
        raws, real = {name: file.text}, {name: name}
        return cls(
            (),
            examination,
            facts,
            contents=raws,
            real_paths=real,
            projects=[[name]],
            is_on_disk=False,
        )

    def reread(self) -> "CodeWorkspace":
        """The same files, read again."""
        return CodeWorkspace.read(self.paths, self.examination, self.facts)

    def build_source(self, contents: Mapping[str, bytes]) -> Source:
        """The facts with some files changed; raises NotPythonError for these."""
        torch, python = self._minimum_versions
        whole = merge_sources(self._build_project(group, contents) for group in self.projects)
        return replace(whole, torch=torch, python=python)

    @cached_property
    def _minimum_versions(self) -> tuple[Minimum | None, Minimum | None]:
        return find_minimums(self.paths)

    def _build_project(self, group: Sequence[str], contents: Mapping[str, bytes]) -> Source:
        """One project; what has not changed is not taken apart again."""
        raws = tuple(contents.get(name, self.contents[name]) for name in group)
        key = (*(name.encode() for name in group), *raws)
        known = self._parts.get(key)
        if known is not None:
            return known
        modules: list[Module] = []
        for name, raw in zip(group, raws, strict=True):
            module = self._parse_module(name, raw)
            if module is not None:
                modules.append(module)
            elif name in contents:
                message = f"{name} would no longer be valid Python"
                raise NotPythonError(message)
        self._parts[key] = build_facts_of_modules(
            modules, discard_trees=False, source_texts=self._source_texts
        )
        return self._parts[key]

    def with_edits(self, contents: Mapping[str, bytes]) -> "CodeWorkspace":
        """The same ground with these files as they would be."""
        raws = {**self.contents, **contents}
        return dataclasses.replace(self, contents=raws)

    def _parse_module(self, name: str, raw: bytes) -> Module | None:
        key = name, raw
        if key not in self._modules:
            try:
                text = parse_file(files.SourceFile(self.real_paths[name], raw))
                self._modules[key] = index_file(dataclasses.replace(text, path=name))
            except NotPythonError as error:
                self._modules[key] = None
                if raw is self.contents.get(name):
                    self.unread[name] = str(error)
        return self._modules[key]

    def judge(self, contents: Mapping[str, bytes] | None = None) -> list[CodeFinding]:
        """What the checks of code say, with some files changed."""
        facts = self.facts.merge(self.build_source(contents or {}))
        return list(self._judge_facts(facts, {**self.contents, **(contents or {})}))

    def _judge_facts(self, facts: Facts, raws: Mapping[str, bytes]) -> Iterator[CodeFinding]:
        catalogue = self.examination.catalogue
        verdicts = run_checks(
            catalogue,
            facts,
            check_filter=_is_code_check,
            settings=self.examination.policy.settings,
        )
        left = filter_findings(
            catalogue,
            facts,
            verdicts,
            self.examination.policy.finding_filter,
            check_filter=_is_code_check,
            redact=str,
        )
        for verdict in left:
            yield from self._list_findings(verdict, raws)

    def _list_findings(self, verdict: Verdict, raws: Mapping[str, bytes]) -> Iterator[CodeFinding]:
        standards = self.examination.policy
        if verdict.skipped or verdict.code in standards.accepted:
            return
        check = self.examination.catalogue.checks[verdict.code]
        for finding in verdict.findings:
            yield CodeFinding(check, finding, _read_line(finding, raws))


def _read_line(finding: Finding, contents: Mapping[str, bytes]) -> bytes:
    spot = finding.location
    lines = contents.get(spot.path, b"").splitlines() if spot else []
    return lines[spot.line - 1] if spot and spot.line <= len(lines) else b""


def _is_code_check(check: Check[Any]) -> bool:
    """Hazards in code; what comments silence is judged with them all."""
    return check.code[3:4] in CODE_CHECK_DIGITS and check.code != UNUSED_IGNORE_CODE
