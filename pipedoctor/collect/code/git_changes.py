"""
Which lines of code changed since a revision; git is asked for objects alone.

The work tree is compared here, and not by git: for that it would run what the
repository's configuration names (filters, fsmonitor, text converters).
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipedoctor.collect.code.changed_lines import find_changed_lines
from pipedoctor.collect.code.code_path import format_path
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.captured_process import LateProcessError, run_captured
from pipedoctor.runtime.lanes import Announce
from pipedoctor.source.discover.files import SourceFile, find_source_files

GIT_TIMEOUT = 10.0
_ALL_LINES = [0]
"""In a file that is new every line is."""
_GIT_OPTIONS = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat")
_GIT_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""No network, not even for objects that a partial clone lacks; and no questions."""
_REMOVED_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE")
"""A hook sets them for its own repository; ours is the one that the code is in."""


def list_changed_lines(
    code: Sequence[str],
    since: str,
    announce: Announce,
    *,
    gitignore: bool = True,
    stdin_source: SourceFile | None = None,
) -> dict[str, list[int]]:
    """
    Numbers of changed lines, by file as it is shown; ``[0]`` means all of them.

    `since` is a revision, or ``REV...`` for where the work on top of it began.
    Raises UnreadableError with git's own words.
    """
    announce(f"git, for what changed since {escape_path(since)}")
    given = [stdin_source] if stdin_source else []
    walked = find_source_files(code, gitignore=gitignore)
    code = (*code, *(file.path for file in given))
    top = _run_git(_find_existing_folder(code[0]), "rev-parse", "--show-toplevel").removesuffix(
        b"\n"
    )
    tree = _list_tree(os.fsdecode(top), _resolve_commit(os.fsdecode(top), since))
    files = [file for file in (*given, *walked) if isinstance(file, SourceFile)]
    names = {file.path: _to_repository_path(os.fsdecode(top), file.path) for file in files}
    differ = [
        file
        for file in files
        if names[file.path] in tree and _hash_blob(file, tree) != tree[names[file.path]]
    ]
    old = _read_blobs(os.fsdecode(top), [tree[names[file.path]] for file in differ])
    lines = {
        escape_path(format_path(file.path, code)): _ALL_LINES
        for file in files
        if names[file.path] not in tree
    }
    for file in differ:
        before = old[tree[names[file.path]]]
        lines[escape_path(format_path(file.path, code))] = find_changed_lines(before, file.text)
    return lines


def _find_existing_folder(path: str) -> str:
    """The nearest folder that is there: code from stdin may name one that is not."""
    while path and not os.path.isdir(path):  # noqa: PTH112
        path = os.path.dirname(path)  # noqa: PTH120
    return path or "."


def _resolve_commit(top: str, since: str) -> str:
    base = since.removesuffix("...")
    if base.startswith(("-", "^")) or "\0" in base or not base:
        message = f"{escape_path(since)!r} is not a revision"
        raise UnreadableError(message)
    named = f"{base}^{{commit}}"
    try:
        found = _run_git(top, "rev-parse", "--verify", "--end-of-options", named)
    except UnreadableError as error:
        message = f"revision {escape_path(base)!r} not found: {error}"
        raise UnreadableError(message) from None
    commit = found.decode().strip()
    if base != since:
        commit = _run_git(top, "merge-base", commit, "HEAD").decode().strip()
    return commit


def _list_tree(top: str, commit: str) -> dict[bytes, str]:
    """Every file of a revision: its name and the name of its content."""
    rows = _run_git(top, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    tree: dict[bytes, str] = {}
    for row in rows:
        about, _, name = row.partition(b"\t")
        words = about.split()
        if len(words) == 3 and words[1] == b"blob":  # noqa: PLR2004  (mode, type, name)
            tree[name] = words[2].decode()
    return tree


def _to_repository_path(top: str, path: str) -> bytes:
    full = os.path.realpath(path)
    name = os.path.relpath(full, os.path.realpath(top))
    if name.startswith(os.pardir + os.sep):
        message = f"{escape_path(path)} is not in the repository {escape_path(top)}"
        raise UnreadableError(message)
    return os.fsencode(name.replace(os.sep, "/"))


def _hash_blob(file: SourceFile, tree: Mapping[bytes, str]) -> str:
    """What git would call this content in this repository."""
    long = len(next(iter(tree.values()))) > len(hashlib.sha1().hexdigest())  # noqa: S324
    name = "sha256" if long else "sha1"
    head = b"blob %d\0" % len(file.text)
    return hashlib.new(name, head + file.text, usedforsecurity=False).hexdigest()


def _read_blobs(top: str, names: Iterable[str]) -> dict[str, bytes]:
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    given = "".join(f"{name}\n" for name in wanted).encode()
    return dict(_parse_blobs(wanted, _run_git(top, "cat-file", "--batch", stdin=given)))


def _parse_blobs(names: Iterable[str], answer: bytes) -> Iterator[tuple[str, bytes]]:
    for name in names:
        head, _, rest = answer.partition(b"\n")
        if not head.startswith(name.encode()) or head.endswith(b" missing"):
            message = f"git has no content of {name} in this clone (a partial clone?)"
            raise UnreadableError(message)
        size = int(head.split()[-1])
        yield name, rest[:size]
        answer = rest[size + 1 :]


def _run_git(folder: str, *words: str, stdin: bytes = b"") -> bytes:
    argv = ["git", "-C", folder, "--no-pager"]
    for option in _GIT_OPTIONS:
        argv += ["-c", option]
    kept = {key: value for key, value in os.environ.items() if key not in _REMOVED_VARIABLES}
    try:
        done = run_captured(
            [*argv, *words], stdin=stdin, environ=kept | _GIT_ENVIRONMENT, timeout=GIT_TIMEOUT
        )
    except (OSError, ValueError) as error:
        message = f"git cannot be started: {error}"
        raise UnreadableError(message) from None
    except LateProcessError as error:
        message = f"git {words[0]} {error}"
        raise UnreadableError(message) from None
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["failed"]
        raise UnreadableError(errors[0].removeprefix("fatal: "))
    return done.stdout
