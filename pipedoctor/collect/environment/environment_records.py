"""Read files that record an environment: which packages, at which versions."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from pipedoctor.collect.environment import locks
from pipedoctor.collect.environment.packages import normalize_name
from pipedoctor.collect.environment.recorded_requirement import (
    RecordedRequirement,
    expect_list,
    expect_table,
)
from pipedoctor.facts import UnreadableError

__all__ = ["RecordedRequirement", "count_packages", "detect_kind", "parse_record"]

MAX_RECORD_BYTES = 32 << 20


def detect_kind(name: str) -> str:
    """``uv.lock``, ``requirements`` ... by the file's name; empty: none of them."""
    for kind, pattern in _FILENAME_PATTERNS.items():
        if re.fullmatch(pattern, name, flags=re.IGNORECASE):
            return kind
    return ""


_FILENAME_PATTERNS = {
    "uv.lock": r"uv\.lock",
    "poetry.lock": r"poetry\.lock",
    "pdm.lock": r"pdm\.lock",
    "Pipfile.lock": r"Pipfile\.lock",
    "pixi.lock": r"pixi\.lock",
    "pylock": r"pylock(\.[^.]+)?\.toml",
    "conda-lock": r"(.+\.)?conda-lock\.ya?ml",
    "environment.yml": r"(conda[-_.]?)?env(ironment)?([-_.].+)?\.ya?ml",
    "requirements": r"(.*[-_.])?(requirements|constraints)([-_.].*)?\.txt",
}


def parse_record(kind: str, data: bytes) -> tuple[RecordedRequirement, ...]:
    """Every package that the file names; raises UnreadableError: what is wrong with it."""
    try:
        text = data.decode("utf-8-sig")
        return tuple(_PARSERS[kind](text))
    except UnicodeDecodeError as error:
        message = f"not UTF-8 at byte {error.start}"
        raise UnreadableError(message) from error
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        message = f"no {kind} file: {reason}"
        raise UnreadableError(message) from error


def _parse_requirements(text: str) -> Iterator[RecordedRequirement]:
    """The format of pip; options, other files and bare addresses name nothing here."""
    from packaging.requirements import (  # noqa: PLC0415  (only when one is read)
        InvalidRequirement,
        Requirement,
    )

    joined = re.sub(r"\\\r?\n", " ", text)
    if "\0" in joined:
        message = "it holds binary data"
        raise ValueError(message)
    for number, line in enumerate(joined.splitlines(), 1):
        plain = re.sub(r"(^|\s)#.*", "", line)
        plain = re.sub(r"\s--?[a-z][\w-]*[= ].*", "", plain).strip()
        if not plain or plain.startswith("-") or re.match(r"[a-z+]+://|[./]", plain):
            continue
        try:
            wanted = Requirement(plain)
        except InvalidRequirement:
            message = f"line {number} is not a requirement: {plain[:60]}"
            raise ValueError(message) from None
        yield RecordedRequirement(
            name=normalize_name(wanted.name),
            spec=str(wanted.specifier),
            marker=str(wanted.marker or ""),
        )


def _parse_environment(text: str) -> Iterator[RecordedRequirement]:
    import yaml  # noqa: PLC0415  (only when one is read)

    try:
        content: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    for entry in expect_list(expect_table(content).get("dependencies"), "dependencies"):
        if isinstance(entry, str):
            yield _parse_conda_entry(entry)
        elif isinstance(entry, dict):
            pip = expect_list(cast("dict[str, object]", entry).get("pip", []), "pip")
            yield from _parse_requirements("\n".join(str(line) for line in pip))


def _parse_conda_entry(entry: str) -> RecordedRequirement:
    """``numpy=1.26``, ``conda-forge::numpy=1.26.4=py311h``, ``python >=3.10``."""
    plain = entry.rpartition("::")[2].strip()
    match = re.fullmatch(r"([\w.-]+)\s*(.*)", plain)
    if match is None:
        message = f"no package: {entry[:60]}"
        raise ValueError(message)
    spec = match[2].partition("[")[0].strip()
    if fuzzy := re.fullmatch(r"=\s*([\w.!+*]+)(?:=.*)?|([\d][\w.!+*]*)(?:\s+\S+)?", spec):
        version = (fuzzy[1] or fuzzy[2]).rstrip("*").rstrip(".")
        exact = spec.count("=") > 1 or fuzzy[2] is not None
        spec = f"=={version}" if exact else f"=={version}.*"
    elif re.fullmatch(r"==\s*[\w.!+]+(=.*)?", spec):
        spec = "==" + spec.lstrip("= ").partition("=")[0]
    return RecordedRequirement(name=normalize_name(match[1]), spec=spec, conda=True)


_PARSERS: Mapping[str, Callable[[str], Iterator[RecordedRequirement]]] = {
    "requirements": _parse_requirements,
    "environment.yml": _parse_environment,
    "pylock": locks.parse_pylock,
    "uv.lock": locks.parse_uv_lock,
    "poetry.lock": locks.parse_poetry_lock,
    "pdm.lock": locks.parse_pdm_lock,
    "Pipfile.lock": locks.parse_pipfile_lock,
    "conda-lock": locks.parse_conda_lock,
}

COMPARABLE_KINDS = tuple(_PARSERS)
"""Kinds that an environment can be compared with."""


def count_packages(kind: str, text: str) -> tuple[int, int]:
    """How many packages a file pins and how many it leaves loose, at a glance."""
    if kind in {"uv.lock", "poetry.lock", "pdm.lock", "pylock"}:
        return len(re.findall(r"^\[\[packages?\]\]", text, flags=re.MULTILINE)), 0
    if kind == "conda-lock":
        return len(re.findall(r"^- name:", text, flags=re.MULTILINE)), 0
    if kind == "pixi.lock":
        return len(re.findall(r"^- (?:conda|pypi):", text, flags=re.MULTILINE)), 0
    if kind == "Pipfile.lock":
        return _count_pipfile(text), 0
    if "@EXPLICIT" in text:
        return len(re.findall(r"^https?://", text, flags=re.MULTILINE)), 0
    lines = re.findall(_ENTRY_PATTERNS[kind], text, flags=re.MULTILINE)
    pinned = sum(bool(re.match(_PINNED_PATTERNS[kind], line)) for line in lines)
    return pinned, len(lines) - pinned


_ENTRY_PATTERNS = {
    "requirements": r"^[ \t]*(?![\w+]+://)([A-Za-z0-9][\w.-]*(?:\[[^]]*\])?[^\r\n#]*)",
    "environment.yml": r"^[ \t]*-[ \t]+[\"']?([\w./-]+(?:::[\w.-]+)?"
    r"[ \t]*(?:[=<>!~][^\r\n#\"']*)?)$",
}
_PINNED_PATTERNS = {
    "requirements": r"[\w.-]+(\[[^]]*\])?\s*(===?\s*[^*,]+(;|--|\s|\\|$)|@\s)",
    "environment.yml": r"[\w.:-]+\s*==?\s*\d[^*,<>]*$",
}


def _count_pipfile(text: str) -> int:
    try:
        content: Any = json.loads(text)
        return sum(len(content.get(key, {})) for key in ("default", "develop"))
    except (ValueError, AttributeError, TypeError, RecursionError):
        return 0
