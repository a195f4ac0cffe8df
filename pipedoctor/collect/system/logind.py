"""Find out whether systemd-logind would delete this user's shared memory."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.system import users
from pipedoctor.facts import Logind
from pipedoctor.runtime.lanes import Announce

_CONFIG_FOLDERS = (
    "etc/systemd",
    "run/systemd",
    "usr/local/lib/systemd",
    "usr/lib/systemd",
)
_SYS_UID_MAX = 999
_NOBODY_UID = 65534
_TRUE_WORDS = frozenset({"1", "yes", "y", "true", "t", "on"})
_FALSE_WORDS = frozenset({"0", "no", "n", "false", "f", "off"})
_SESSION_SCOPE = re.compile(r"/session-([^/]+)\.scope(?:/|$)", re.MULTILINE)
_RED_HAT_FAMILY = re.compile(r"^ID(?:_LIKE)?=.*\b(?:rhel|fedora|centos)\b", re.MULTILINE)


def logind(machine: Machine, announce: Announce) -> Logind:
    """RemoveIPC as it is in force, and what the session of the process is."""
    machine.require_linux()
    announce("read /run/systemd")
    uid = users.read_user(machine).uid
    setting, source = _read_remove_ipc(machine.root)
    session = _SESSION_SCOPE.search(read_or_default(machine.process / "cgroup"))
    return Logind(
        running=_is_running(machine.root),
        remove_ipc=setting,
        remove_ipc_source=source,
        uid=uid,
        system_user=uid is not None and _is_system_user(machine.root, uid),
        linger=_has_linger(machine.root, uid),
        in_session=session is not None,
        remote=_is_remote(machine.root, session[1]) if session else None,
    )


def _is_running(root: Path) -> bool:
    """Is systemd in charge, and has logind made its seat or its control group?"""
    booted = (root / "run/systemd/system").is_dir()
    unit = "system.slice/systemd-logind.service"
    cgroup = root / "sys/fs/cgroup"
    signs = (
        root / "run/systemd/seats/seat0",
        *(cgroup / part / unit for part in (".", "systemd", "unified")),
    )
    return booted and any(sign.exists() for sign in signs)


def _read_remove_ipc(root: Path) -> tuple[bool | None, str]:
    """
    The value in force and the file that sets it.

    Of main files the first one counts, of drop-ins with one name the first one;
    then all in the order of their names, and the last word wins. A main file
    lists in comments what this build takes by default.
    """
    main = next((f for f in _iter_config_paths(root, "logind.conf") if f.is_file()), None)
    value, source = _guess_default(root), "default"
    if main:
        for setting in _parse_remove_ipc(read_or_default(main).replace("#", "\n")):
            value, source = setting, f"default, as {_format_path(root, main)} says"
    for file in ([main] if main else []) + _list_drop_ins(root):
        for setting in _parse_remove_ipc(read_or_default(file)):
            value, source = setting, _format_path(root, file)
    return value, source


def _iter_config_paths(root: Path, name: str) -> Iterator[Path]:
    return (root / folder / name for folder in _CONFIG_FOLDERS)


def _list_drop_ins(root: Path) -> list[Path]:
    by_name: dict[str, Path] = {}
    for folder in _iter_config_paths(root, "logind.conf.d"):
        for file in _list_conf_files(folder):
            by_name.setdefault(file.name, file)
    return [by_name[name] for name in sorted(by_name)]


def _list_conf_files(folder: Path) -> list[Path]:
    try:
        return list(folder.glob("*.conf"))
    except OSError:
        return []


def _parse_remove_ipc(text: str) -> Iterator[bool]:
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line
        name, equals, value = line.partition("=")
        if section == "[Login]" and equals and name.strip() == "RemoveIPC":
            word = value.strip().lower()
            if word in _TRUE_WORDS | _FALSE_WORDS:
                yield word in _TRUE_WORDS


def _guess_default(root: Path) -> bool | None:
    """Systemd's own default is yes; Red Hat's family builds it otherwise."""
    release = read_or_default(root / "etc/os-release") or read_or_default(
        root / "usr/lib/os-release"
    )
    return None if _RED_HAT_FAMILY.search(release) else True


def _format_path(root: Path, file: Path) -> str:
    return f"/{file.relative_to(root)}"


def _is_system_user(root: Path, uid: int) -> bool:
    defs = read_or_default(root / "etc/login.defs")
    match = re.search(r"^SYS_UID_MAX\s+(\d+)", defs, re.MULTILINE)
    return uid <= (int(match[1]) if match else _SYS_UID_MAX) or uid == _NOBODY_UID


def _has_linger(root: Path, uid: int | None) -> bool | None:
    """By the file that `loginctl enable-linger` makes; it has the user's name."""
    state = _parse_assignments(read_or_default(root / f"run/systemd/users/{uid}"))
    name = state.get("NAME") or _find_user_name(root, uid)
    if not name or "/" in name:
        return None
    return (root / "var/lib/systemd/linger" / name).exists()


def _find_user_name(root: Path, uid: int | None) -> str:
    """From /etc/passwd alone: a directory service might not answer."""
    for line in read_or_default(root / "etc/passwd").splitlines():
        name, *rest = line.split(":")
        if rest[1:2] == [str(uid)]:
            return name
    return ""


def _is_remote(root: Path, session: str) -> bool | None:
    state = _parse_assignments(read_or_default(root / "run/systemd/sessions" / session))
    return {"1": True, "0": False}.get(state.get("REMOTE", ""))


def _parse_assignments(text: str) -> dict[str, str]:
    pairs: Iterable[tuple[str, str, str]]
    pairs = (line.partition("=") for line in text.splitlines())
    return {name: value for name, _, value in pairs}
