"""Read a Python environment from its files: version, kind, import path."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.environment.prefix import EnvironmentChoice, EnvironmentPrefix, find_prefix
from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.facts import Interpreter
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.path_kind import is_file, is_folder

_MAX_PTH_FILES = 200
_MAX_PTH_BYTES = 64 << 10


def interpreter(machine: Machine, choice: EnvironmentChoice, announce: Announce) -> Interpreter:
    """Describe the examined environment without starting its interpreter."""
    announce("finding the Python environment")
    prefix = find_prefix(choice, machine.environ)
    announce(f"reading {prefix.folder}")
    version = _find_version(prefix)
    user_site = _find_user_site(prefix, version, machine)
    pythonpath = tuple(
        entry for entry in machine.environ.get("PYTHONPATH", "").split(os.pathsep) if entry
    )
    own = list(list_site_folders(prefix, version))
    return Interpreter(
        version=version,
        executable=str(prefix.executable),
        prefix=str(prefix.folder),
        base_prefix=str(prefix.base),
        kind="conda" if prefix.is_conda else "venv" if prefix.is_virtual else "system",
        manager=_detect_manager(prefix),
        externally_managed=_is_externally_managed(prefix, version),
        path=_build_search_path(prefix, version, pythonpath, user_site, own),
        user_site=user_site,
        pythonpath=pythonpath,
        glibc=_read_glibc_version(),
    )


def _get_minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _find_version(prefix: EnvironmentPrefix) -> str:
    """``3.11.7``; only ``3.11`` where no file tells the patch release."""
    for key in ("version_info", "version"):
        if match := re.match(r"\d+\.\d+\.\d+", prefix.settings.get(key, "")):
            return match[0]
    for record in (prefix.folder / "conda-meta").glob("python-[0-9]*.json"):
        if match := re.match(r"python-(\d+\.\d+\.\d+)", record.name):
            return match[1]
    for header in prefix.base.glob("include/python[23].*/patchlevel.h"):
        if match := re.search(
            r'PY_VERSION\s+"(\d+\.\d+\.\d+)', read_or_default(header, max_bytes=_MAX_PTH_BYTES)
        ):
            return match[1]
    name = Path(os.path.realpath(prefix.executable)).name
    if match := re.search(r"(\d\.\d+)$", name):
        return match[1]
    libraries = sorted(prefix.base.glob("lib/python3.*/os.py"))
    return libraries[-1].parent.name.removeprefix("python") if libraries else ""


def list_site_folders(prefix: EnvironmentPrefix, version: str) -> Iterator[Path]:
    """The environment's own package folders that exist, in the path's order."""
    minor = _get_minor(version)
    names = [f"lib/python{minor}/site-packages", f"lib64/python{minor}/site-packages"]
    if not prefix.is_virtual:
        names += [f"local/lib/python{minor}/dist-packages", "lib/python3/dist-packages"]
    seen: set[Path] = set()
    for name in [*names, "Lib/site-packages"]:
        folder = prefix.folder / name
        real = Path(os.path.realpath(folder))
        if is_folder(folder) and real not in seen:
            seen.add(real)
            yield folder


def _find_user_site(prefix: EnvironmentPrefix, version: str, machine: Machine) -> str:
    """Where ``~/.local`` holds packages that it would import, or empty."""
    shared = prefix.settings.get("include-system-site-packages", "false") == "true"
    if (prefix.is_virtual and not shared) or machine.environ.get("PYTHONNOUSERSITE"):
        return ""
    base = machine.environ.get("PYTHONUSERBASE") or os.path.join(  # noqa: PTH118
        machine.environ.get("HOME", ""), ".local"
    )
    folder = Path(base) / f"lib/python{_get_minor(version)}/site-packages"
    return str(folder) if folder.is_absolute() and is_folder(folder) else ""


def _build_search_path(
    prefix: EnvironmentPrefix,
    version: str,
    pythonpath: tuple[str, ...],
    user_site: str,
    own: list[Path],
) -> tuple[str, ...]:
    """`sys.path` as `site` would build it; import hooks in .pth files are not run."""
    minor = _get_minor(version)
    standard = prefix.base / f"lib/python{minor}"
    folders = [*pythonpath, str(standard), str(standard / "lib-dynload")]
    sites = [Path(user_site)] if user_site else []
    sites += own
    if prefix.settings.get("include-system-site-packages", "false") == "true":
        base = EnvironmentPrefix(
            folder=prefix.base,
            executable=prefix.executable,
            base=prefix.base,
            settings={},
        )
        sites += list_site_folders(base, version)
    for site in sites:
        folders += [str(site), *_read_pth_folders(site)]
    return tuple(dict.fromkeys(folders))


def _read_pth_folders(site: Path) -> Iterator[str]:
    """The folders that .pth files add."""
    for file in sorted(site.glob("*.pth"))[:_MAX_PTH_FILES]:
        for line in read_or_default(file, max_bytes=_MAX_PTH_BYTES).splitlines():
            entry = line.strip()
            if entry and not entry.startswith(("#", "import ", "import\t")):
                folder = site / entry
                if is_folder(folder):
                    yield os.path.normpath(folder)


def _detect_manager(prefix: EnvironmentPrefix) -> str:
    if prefix.is_conda:
        return "conda"
    if "uv" in prefix.settings:
        return "uv"
    if "/pypoetry/virtualenvs/" in f"{prefix.folder}/":
        return "poetry"
    return "pip"


def _is_externally_managed(prefix: EnvironmentPrefix, version: str) -> bool:
    marker = prefix.base / f"lib/python{_get_minor(version)}" / "EXTERNALLY-MANAGED"
    return not prefix.is_virtual and is_file(marker)


def _read_glibc_version() -> str:
    """The C library's version; this process and the examined one share the system's."""
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return ""
    return name.removeprefix("glibc ")
