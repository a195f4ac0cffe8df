"""Read files that record an environment: which packages, at which versions."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pipedoctor.collect.packages import normal
from pipedoctor.facts import Unreadable

LARGEST = 32 << 20


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A package that a file names; `versions` are exact, `spec` is a PEP 440 range."""

    name: str
    versions: tuple[str, ...] = ()
    spec: str = ""
    marker: str = ""
    needed: bool = True
    """Is its absence a difference? Not where it may belong to an extra or a group."""
    conda: bool = False


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
READABLE = ("requirements", "environment.yml", "pylock", "uv.lock")
"""Kinds that an environment can be compared with."""


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
    for entry in _list(_table(content).get("dependencies"), "dependencies"):
        if isinstance(entry, str):
            yield _conda(entry)
        elif isinstance(entry, dict):
            pip = _list(cast("dict[str, object]", entry).get("pip", []), "pip")
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


def _pylock(text: str) -> Iterator[Recorded]:
    for package in _packages(text, "packages"):
        if version := package.get("version"):
            yield Recorded(
                name=normal(str(package["name"])),
                versions=(str(version),),
                marker=str(package.get("marker", "")),
            )


def _uv(text: str) -> Iterator[Recorded]:
    """
    Versions of one name are those of its forks: any of them is right.

    Only what the project itself always depends on must be there; the rest may belong
    to another platform, an extra or a group.
    """
    versions: dict[str, list[str]] = {}
    direct: set[str] = set()
    for package in _packages(text, "package"):
        name, source = normal(str(package["name"])), _table(package.get("source", {}))
        if source.keys() & {"virtual", "editable", "directory", "workspace"}:
            for raw in _list(package.get("dependencies", []), "dependencies"):
                needed = _table(raw)
                if "marker" not in needed:
                    direct.add(normal(str(needed.get("name", ""))))
        elif "version" in package:
            versions.setdefault(name, []).append(str(package["version"]))
    for name, known in versions.items():
        yield Recorded(name=name, versions=tuple(known), needed=name in direct)


def _packages(text: str, key: str) -> Iterator[Mapping[str, object]]:
    if sys.version_info >= (3, 11):  # few files that are compared are such
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415

    content: Mapping[str, object] = tomllib.loads(text)
    for raw in _list(content.get(key), f"[[{key}]]"):
        package = _table(raw)
        if "name" not in package:
            message = f"a [[{key}]] without a name"
            raise ValueError(message)
        yield package


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        message = f"a table was expected, not {type(value).__name__}"
        raise ValueError(message)  # noqa: TRY004  (of a file, not of a call)
    return cast("dict[str, object]", value)


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        message = f"it has no list {name}"
        raise ValueError(message)  # noqa: TRY004
    return cast("list[object]", value)


_READERS: Mapping[str, Callable[[str], Iterator[Recorded]]] = {
    "requirements": _requirements,
    "environment.yml": _environment,
    "pylock": _pylock,
    "uv.lock": _uv,
}


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
