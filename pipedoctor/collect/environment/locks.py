"""Read lock files: exact versions of whatever a project may need."""

import json
import platform
import sys
from collections.abc import Iterator, Mapping

from pipedoctor.collect.environment.packages import normalize_name
from pipedoctor.collect.environment.recorded_requirement import (
    RecordedRequirement,
    expect_list,
    expect_table,
)


def parse_pylock(text: str) -> Iterator[RecordedRequirement]:
    """PEP 751's format, whoever wrote it."""
    for package in _read_packages(text, "packages"):
        if version := package.get("version"):
            yield RecordedRequirement(
                name=normalize_name(str(package["name"])),
                versions=(str(version),),
                marker=str(package.get("marker", "")),
            )


def parse_uv_lock(text: str) -> Iterator[RecordedRequirement]:
    """
    Parse uv.lock; of several versions of one name (forks) any is right.

    Only what the project itself always depends on must be there; the rest may belong
    to another platform, an extra or a group.
    """
    versions: dict[str, list[str]] = {}
    direct: set[str] = set()
    for package in _read_packages(text, "package"):
        name, source = (
            normalize_name(str(package["name"])),
            expect_table(package.get("source", {})),
        )
        if source.keys() & {"virtual", "editable", "directory", "workspace"}:
            for raw in expect_list(package.get("dependencies", []), "dependencies"):
                needed = expect_table(raw)
                if "marker" not in needed:
                    direct.add(normalize_name(str(needed.get("name", ""))))
        elif "version" in package:
            versions.setdefault(name, []).append(str(package["version"]))
    for name, known in versions.items():
        yield RecordedRequirement(name=name, versions=tuple(known), needed=name in direct)


def parse_poetry_lock(text: str) -> Iterator[RecordedRequirement]:
    """Parse poetry.lock; only what no extra, group or marker asks for is needed."""
    for package in _read_packages(text, "package"):
        groups = package.get("groups", [package.get("category", "")])
        free = "markers" not in package and not package.get("optional", False)
        yield _to_requirement(package, needed=free and groups == ["main"])


def parse_pdm_lock(text: str) -> Iterator[RecordedRequirement]:
    """Parse pdm.lock; a package that an extra asks for is listed twice."""
    for package in _read_packages(text, "package"):
        groups = expect_list(package.get("groups", []), "groups")
        free = not package.keys() & {"marker", "extras"}
        yield _to_requirement(package, needed=free and "default" in groups)


def _to_requirement(package: Mapping[str, object], *, needed: bool) -> RecordedRequirement:
    version = str(package.get("version", ""))
    name = normalize_name(str(package["name"]))
    return RecordedRequirement(name=name, versions=(version,) if version else (), needed=needed)


def parse_pipfile_lock(text: str) -> Iterator[RecordedRequirement]:
    """Parse Pipfile.lock; development packages may be absent."""
    content = expect_table(json.loads(text))
    for key in ("default", "develop"):
        for name, raw in expect_table(content.get(key, {})).items():
            package = expect_table(raw)
            yield RecordedRequirement(
                name=normalize_name(name),
                versions=tuple(str(package.get("version", "")).split("==")[1:2]),
                marker=str(package.get("markers", "")),
                needed=key == "default",
            )


def parse_conda_lock(text: str) -> Iterator[RecordedRequirement]:
    """Parse conda-lock's file for several platforms; only this platform counts."""
    import yaml  # noqa: PLC0415  (only when one is read)

    try:
        content: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    for raw in expect_list(expect_table(content).get("package"), "package"):
        package = expect_table(raw)
        if package.get("platform") in (None, _get_conda_platform()):
            main = package.get("category", "main") == "main"
            yield RecordedRequirement(
                name=normalize_name(str(package.get("name", ""))),
                versions=(str(package.get("version", "")),),
                needed=main and not package.get("optional", False),
                conda=package.get("manager") == "conda",
            )


def _get_conda_platform() -> str:
    """As conda calls it: ``linux-64``, ``osx-arm64``."""
    system = {"linux": "linux", "darwin": "osx", "win32": "win"}
    machine = platform.machine().lower()
    part = {"x86_64": "64", "amd64": "64"}.get(machine, machine)
    return f"{system.get(sys.platform, sys.platform)}-{part}"


def _read_packages(text: str, key: str) -> Iterator[Mapping[str, object]]:
    if sys.version_info >= (3, 11):  # few files that are compared are such
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415

    content: Mapping[str, object] = tomllib.loads(text)
    for raw in expect_list(content.get(key), f"[[{key}]]"):
        package = expect_table(raw)
        if "name" not in package:
            message = f"a [[{key}]] without a name"
            raise ValueError(message)
        yield package
