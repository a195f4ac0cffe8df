"""The file that records an environment, as `--against` names it."""

import re
from pathlib import Path

import click

from pipedoctor.collect import files
from pipedoctor.facts import Unreadable

_INCLUDED = re.compile(r"^[ \t]*(?:-r|--requirement)[ \t=]*(\S+)", flags=re.MULTILINE)
_MOST_FILES = 50


def record_of(path: str) -> tuple[str, str, bytes]:
    """The record to compare with; raises UsageError where nobody can read it."""
    from pipedoctor.collect import records

    kind = records.kind_of(Path(path).name)
    if kind not in records.READABLE:
        message = (
            f"--against {path}: expected requirements*.txt, environment.yml,"
            " pylock.toml, uv.lock, poetry.lock, pdm.lock, Pipfile.lock or"
            " conda-lock.yml"
        )
        raise click.UsageError(message)
    try:
        data = _content(path)
        if kind == "requirements":
            data = _with_included(path, data)
        files.patiently(path, lambda _: len(records.parse(kind, data)))
    except Unreadable as error:
        message = f"--against {path}: cannot be read: {error}"
        raise click.UsageError(message) from None
    return path, kind, data


def _content(path: str) -> bytes:
    from pipedoctor.collect import records

    data = files.load(path, records.LARGEST + 1)
    if len(data) > records.LARGEST:
        reason = f"larger than {records.LARGEST >> 20} MiB"
        raise Unreadable(reason)
    return data


def _with_included(path: str, data: bytes) -> bytes:
    """The file and those that it names by `-r`, each once; addresses are not read."""
    whole = [data]
    seen = {Path(path).resolve()}
    waiting = [(Path(path), data)]
    while waiting:
        file, text = waiting.pop(0)
        for name in _INCLUDED.findall(text.decode("utf-8", errors="replace")):
            other = file.parent / name
            if "://" in name or other.resolve() in seen:
                continue
            seen.add(other.resolve())
            if len(seen) > _MOST_FILES:
                reason = f"it leads to more than {_MOST_FILES} files"
                raise Unreadable(reason)
            try:
                content = _content(str(other))
            except Unreadable as error:
                reason = f"its line -r {name}: {error}"
                raise Unreadable(reason) from None
            whole.append(content)
            waiting.append((other, content))
    return b"\n".join(whole)
