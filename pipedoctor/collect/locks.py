"""Read lock files: exact versions of whatever a project may need."""

import json
import platform
import sys
from collections.abc import Iterator, Mapping

from pipedoctor.collect.packages import normal
from pipedoctor.collect.recorded import Recorded, listed, table


def pylock(text: str) -> Iterator[Recorded]:
    """PEP 751's format, whoever wrote it."""
    for package in _packages(text, "packages"):
        if version := package.get("version"):
            yield Recorded(
                name=normal(str(package["name"])),
                versions=(str(version),),
                marker=str(package.get("marker", "")),
            )


def uv(text: str) -> Iterator[Recorded]:
    """
    Versions of one name are those of its forks: any of them is right.

    Only what the project itself always depends on must be there; the rest may belong
    to another platform, an extra or a group.
    """
    versions: dict[str, list[str]] = {}
    direct: set[str] = set()
    for package in _packages(text, "package"):
        name, source = normal(str(package["name"])), table(package.get("source", {}))
        if source.keys() & {"virtual", "editable", "directory", "workspace"}:
            for raw in listed(package.get("dependencies", []), "dependencies"):
                needed = table(raw)
                if "marker" not in needed:
                    direct.add(normal(str(needed.get("name", ""))))
        elif "version" in package:
            versions.setdefault(name, []).append(str(package["version"]))
    for name, known in versions.items():
        yield Recorded(name=name, versions=tuple(known), needed=name in direct)


def poetry(text: str) -> Iterator[Recorded]:
    """Only what no extra, no group and no marker asks for must be there."""
    for package in _packages(text, "package"):
        groups = package.get("groups", [package.get("category", "")])
        free = "markers" not in package and not package.get("optional", False)
        yield _locked(package, needed=free and groups == ["main"])


def pdm(text: str) -> Iterator[Recorded]:
    """The same in PDM's words; what an extra asks for has its name twice."""
    for package in _packages(text, "package"):
        groups = listed(package.get("groups", []), "groups")
        free = not package.keys() & {"marker", "extras"}
        yield _locked(package, needed=free and "default" in groups)


def _locked(package: Mapping[str, object], *, needed: bool) -> Recorded:
    version = str(package.get("version", ""))
    name = normal(str(package["name"]))
    return Recorded(name=name, versions=(version,) if version else (), needed=needed)


def pipfile(text: str) -> Iterator[Recorded]:
    """Pipenv's JSON; what is for developers may be absent."""
    content = table(json.loads(text))
    for key in ("default", "develop"):
        for name, raw in table(content.get(key, {})).items():
            package = table(raw)
            yield Recorded(
                name=normal(name),
                versions=tuple(str(package.get("version", "")).split("==")[1:2]),
                marker=str(package.get("markers", "")),
                needed=key == "default",
            )


def conda_lock(text: str) -> Iterator[Recorded]:
    """What conda-lock writes for several platforms; only ours counts."""
    import yaml  # noqa: PLC0415  (only when one is read)

    try:
        content: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    for raw in listed(table(content).get("package"), "package"):
        package = table(raw)
        if package.get("platform") in (None, _platform()):
            main = package.get("category", "main") == "main"
            yield Recorded(
                name=normal(str(package.get("name", ""))),
                versions=(str(package.get("version", "")),),
                needed=main and not package.get("optional", False),
                conda=package.get("manager") == "conda",
            )


def _platform() -> str:
    """As conda calls it: ``linux-64``, ``osx-arm64``."""
    system = {"linux": "linux", "darwin": "osx", "win32": "win"}
    machine = platform.machine().lower()
    part = {"x86_64": "64", "amd64": "64"}.get(machine, machine)
    return f"{system.get(sys.platform, sys.platform)}-{part}"


def _packages(text: str, key: str) -> Iterator[Mapping[str, object]]:
    if sys.version_info >= (3, 11):  # few files that are compared are such
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415

    content: Mapping[str, object] = tomllib.loads(text)
    for raw in listed(content.get(key), f"[[{key}]]"):
        package = table(raw)
        if "name" not in package:
            message = f"a [[{key}]] without a name"
            raise ValueError(message)
        yield package
