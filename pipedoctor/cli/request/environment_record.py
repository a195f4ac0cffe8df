"""The file that records an environment, as `--against` names it."""

import re
from pathlib import Path

import click

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files

_INCLUDE_PATTERN = re.compile(r"^[ \t]*(?:-r|--requirement)[ \t=]*(\S+)", flags=re.MULTILINE)
_MAX_INCLUDED_FILES = 50


def read_environment_record(path: str) -> tuple[str, str, bytes]:
    """The record to compare with; raises UsageError where nobody can read it."""
    from pipedoctor.collect.environment import environment_records

    kind = environment_records.detect_kind(Path(path).name)
    if kind not in environment_records.COMPARABLE_KINDS:
        message = (
            f"--against {path}: expected requirements*.txt, environment.yml,"
            " pylock.toml, uv.lock, poetry.lock, pdm.lock, Pipfile.lock or"
            " conda-lock.yml"
        )
        raise click.UsageError(message)
    try:
        data = _read_content(path)
        if kind == "requirements":
            data = _append_included(path, data)
        files.run_with_timeout(path, lambda _: len(environment_records.parse_record(kind, data)))
    except UnreadableError as error:
        message = f"--against {path}: cannot be read: {error}"
        raise click.UsageError(message) from None
    return path, kind, data


def _read_content(path: str) -> bytes:
    from pipedoctor.collect.environment import environment_records

    data = files.load_file(path, environment_records.MAX_RECORD_BYTES + 1)
    if len(data) > environment_records.MAX_RECORD_BYTES:
        reason = f"larger than {environment_records.MAX_RECORD_BYTES >> 20} MiB"
        raise UnreadableError(reason)
    return data


def _append_included(path: str, data: bytes) -> bytes:
    """The file and those that it names by `-r`, each once; addresses are not read."""
    from pipedoctor.collect.environment import environment_records

    whole = [data]
    seen = {Path(path).resolve()}
    waiting = [(Path(path), data)]
    while waiting:
        file, text = waiting.pop(0)
        for name in _INCLUDE_PATTERN.findall(text.decode("utf-8", errors="replace")):
            other = file.parent / name
            if "://" in name or other.resolve() in seen:
                continue
            seen.add(other.resolve())
            if len(seen) > _MAX_INCLUDED_FILES:
                reason = f"it includes more than {_MAX_INCLUDED_FILES} files"
                raise UnreadableError(reason)
            try:
                content = files.load_regular_file(str(other), environment_records.MAX_RECORD_BYTES)
            except UnreadableError as error:
                reason = f"its line -r {name}: {error}"
                raise UnreadableError(reason) from None
            whole.append(content)
            waiting.append((other, content))
    return b"\n".join(whole)
