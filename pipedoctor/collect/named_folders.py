"""Folders that variables name and every start of the job looks into: do they answer?"""

import errno
import os
import stat
from collections.abc import Iterator

import msgspec

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.regular_file import read_start
from pipedoctor.textsafe import escape_surrogates

_SEARCH_VARIABLES = (
    ("program-path", "PATH"),
    ("program-path", "LD_LIBRARY_PATH"),
    ("import-path", "PYTHONPATH"),
    ("config", "SSL_CERT_DIR"),
)
"""Lists of folders."""
_FOLDER_VARIABLES = (
    ("environment", "VIRTUAL_ENV"),
    ("environment", "CONDA_PREFIX"),
    ("environment", "PYTHONUSERBASE"),
    ("config", "XDG_CONFIG_HOME"),
    ("config", "XDG_DATA_HOME"),
    ("config", "XDG_STATE_HOME"),
    ("config", "XDG_RUNTIME_DIR"),
    ("config", "PYTHONSTARTUP"),
    ("config", "SSL_CERT_FILE"),
    ("config", "REQUESTS_CA_BUNDLE"),
    ("config", "CURL_CA_BUNDLE"),
    ("config", "CUDA_HOME"),
    ("config", "CUDA_PATH"),
    ("config", "NETRC"),
)
"""One folder or file each."""
_MAX_FOLDERS = 100
_DEAD_ERRNOS = frozenset(
    getattr(errno, name)
    for name in ("ENOTCONN", "ESTALE", "EIO", "ENODEV", "EHOSTDOWN", "ETIMEDOUT")
    if hasattr(errno, name)
)


class PathRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A path to examine, its role, and the variable or option that names it."""

    role: str
    path: str
    named_by: str


def list_named_folders(machine: Machine, environment: str = "") -> tuple[PathRequest, ...]:
    """
    List the folders by the variables alone: no I/O here.

    `environment` is what the user named as --env or --python.
    """
    if not machine.system.startswith("linux"):
        return ()
    named: dict[str, PathRequest] = {}
    for role, path, named_by in _iter_folders(machine, environment):
        named.setdefault(path, PathRequest(role=role, path=path, named_by=named_by))
    return tuple(named.values())[:_MAX_FOLDERS]


def look_into(machine: Machine, path: str, announce: Announce) -> tuple[str, str]:
    """
    Look into a folder or file; returns the system's text and code of the error of a dead server.

    Whatever else is wrong with it, it answers. Raises UnreadableError where nobody may
    ask.
    """
    name = str(machine.map_path(path)) if path.startswith("/") else path
    try:
        announce(f"stat {escape_path(path)}")
        mode = os.stat(name).st_mode  # noqa: PTH116  (Path would cost its import)
        if stat.S_ISREG(mode):
            announce(f"read {escape_path(path)}")
            read_start(name, 1)
        elif stat.S_ISDIR(mode):
            announce(f"listdir {escape_path(path)}")
            with os.scandir(name) as entries:
                next(entries, None)
    except OSError as error:
        if error.errno in _DEAD_ERRNOS:
            code = error.errno or 0
            return escape_surrogates(os.strerror(code)), errno.errorcode[code]
    except ValueError as error:
        raise UnreadableError(str(error)) from error
    return "", ""


def _iter_folders(machine: Machine, environment: str) -> Iterator[tuple[str, str, str]]:
    environ = machine.environ
    if environment.startswith("/"):
        yield "environment", environment, "the Python environment"
    for role, name in _SEARCH_VARIABLES:
        for entry in environ.get(name, "").split(os.pathsep):
            if entry.startswith("/"):
                yield role, entry, name
    for role, name in _FOLDER_VARIABLES:
        if environ.get(name, "").startswith("/"):
            yield role, environ[name], name
    yield "shm", "/dev/shm", "default"
