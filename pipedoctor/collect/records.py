"""Read files that record an environment: which packages, at which versions."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from pipedoctor.collect import locks
from pipedoctor.collect.packages import normal
from pipedoctor.collect.recorded import Recorded, listed, table
from pipedoctor.facts import Unreadable

__all__ = ["Recorded", "count", "kind_of", "parse"]

LARGEST = 32 << 20


def kind_of(name: str) -> str:
    """``uv.lock``, ``requirements`` ... by the file's name; empty: none of them."""
    for kind, pattern in _KINDS.items():
        if re.fullmatch(pattern, name, flags=re.IGNORECASE):
            return kind
    return ""


_KINDS = {
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


def parse(kind: str, data: bytes) -> tuple[Recorded, ...]:
    """Every package that the file names; raises Unreadable: what is wrong with it."""
    try:
        text = data.decode("utf-8-sig")
        return tuple(_READERS[kind](text))
    except UnicodeDecodeError as error:
        message = f"no UTF-8 at byte {error.start}"
        raise Unreadable(message) from error
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        message = f"no {kind} file: {reason}"
        raise Unreadable(message) from error


def _requirements(text: str) -> Iterator[Recorded]:
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
            message = f"line {number} is no requirement: {plain[:60]}"
            raise ValueError(message) from None
        yield Recorded(
            name=normal(wanted.name),
            spec=str(wanted.specifier),
            marker=str(wanted.marker or ""),
        )


def _environment(text: str) -> Iterator[Recorded]:
    import yaml  # noqa: PLC0415  (only when one is read)

    try:
        content: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    for entry in listed(table(content).get("dependencies"), "dependencies"):
        if isinstance(entry, str):
            yield _conda(entry)
        elif isinstance(entry, dict):
            pip = listed(cast("dict[str, object]", entry).get("pip", []), "pip")
            yield from _requirements("\n".join(str(line) for line in pip))


def _conda(entry: str) -> Recorded:
    """``numpy=1.26``, ``conda-forge::numpy=1.26.4=py311h``, ``python >=3.10``."""
    plain = entry.rpartition("::")[2].strip()
    match = re.fullmatch(r"([\w.-]+)\s*(.*)", plain)
    if match is None:
        message = f"no package: {entry[:60]}"
        raise ValueError(message)
    spec = match[2].partition("[")[0].strip()
    if fuzzy := re.fullmatch(
        r"=\s*([\w.!+*]+)(?:=.*)?|([\d][\w.!+*]*)(?:\s+\S+)?", spec
    ):
        version = (fuzzy[1] or fuzzy[2]).rstrip("*").rstrip(".")
        exact = spec.count("=") > 1 or fuzzy[2] is not None
        spec = f"=={version}" if exact else f"=={version}.*"
    elif re.fullmatch(r"==\s*[\w.!+]+(=.*)?", spec):
        spec = "==" + spec.lstrip("= ").partition("=")[0]
    return Recorded(name=normal(match[1]), spec=spec, conda=True)


_READERS: Mapping[str, Callable[[str], Iterator[Recorded]]] = {
    "requirements": _requirements,
    "environment.yml": _environment,
    "pylock": locks.pylock,
    "uv.lock": locks.uv,
    "poetry.lock": locks.poetry,
    "pdm.lock": locks.pdm,
    "Pipfile.lock": locks.pipfile,
    "conda-lock": locks.conda_lock,
}

READABLE = tuple(_READERS)
"""Kinds that an environment can be compared with."""


def count(kind: str, text: str) -> tuple[int, int]:
    """How many packages a file pins and how many it leaves loose, at a glance."""
    if kind in {"uv.lock", "poetry.lock", "pdm.lock", "pylock"}:
        return len(re.findall(r"^\[\[packages?\]\]", text, flags=re.MULTILINE)), 0
    if kind == "conda-lock":
        return len(re.findall(r"^- name:", text, flags=re.MULTILINE)), 0
    if kind == "pixi.lock":
        return len(re.findall(r"^- (?:conda|pypi):", text, flags=re.MULTILINE)), 0
    if kind == "Pipfile.lock":
        return _pipfile(text), 0
    if "@EXPLICIT" in text:
        return len(re.findall(r"^https?://", text, flags=re.MULTILINE)), 0
    lines = re.findall(_LISTED[kind], text, flags=re.MULTILINE)
    pinned = sum(bool(re.match(_PINNED[kind], line)) for line in lines)
    return pinned, len(lines) - pinned


_LISTED = {
    "requirements": r"^[ \t]*(?![\w+]+://)([A-Za-z0-9][\w.-]*(?:\[[^]]*\])?[^\r\n#]*)",
    "environment.yml": r"^[ \t]*-[ \t]+[\"']?([\w./-]+(?:::[\w.-]+)?"
    r"[ \t]*(?:[=<>!~][^\r\n#\"']*)?)$",
}
_PINNED = {
    "requirements": r"[\w.-]+(\[[^]]*\])?\s*(===?\s*[^*,]+(;|--|\s|\\|$)|@\s)",
    "environment.yml": r"[\w.:-]+\s*==?\s*\d[^*,<>]*$",
}


def _pipfile(text: str) -> int:
    try:
        content: Any = json.loads(text)
        return sum(len(content.get(key, {})) for key in ("default", "develop"))
    except (ValueError, AttributeError, TypeError, RecursionError):
        return 0
