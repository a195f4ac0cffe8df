"""Which file is not whole, and how the log says that it was made."""

import posixpath
import shlex

from pipedoctor.facts.log import MAX_SIGHTINGS, Log
from pipedoctor.lazy_pattern import compile_lazily

_CAUSE = "corrupt_download_or_checkpoint"
_EVIDENCE = {f"{_CAUSE}/load-frame", f"{_CAUSE}/cloned-in-image"}
_OUTPUT_OPTION = compile_lazily(r"-[oO]|--(?:out|output|dest|target|save|to)[\w-]{0,30}")
_COPIES = frozenset({"cp", "scp", "rsync", "aws", "gsutil", "rclone"})
"""Programs whose last word is what they write."""
_DATA_FILE = compile_lazily(
    r"(?:[\w.@%+,~-]{0,200}/){0,20}[\w.@%+,~-]{1,200}"
    r"\.(?:h5|hdf5|tar|tgz|zip|npz|npy|parquet|arrow|lmdb|pkl|pickle|tfrecord)"
)


def find_damaged(log: Log) -> str:
    """The file that an error names; empty: none does."""
    return find_named(log) or log.find_value(_CAUSE, "file") or _find_last_opened(log)


def find_argument(log: Log) -> str:
    """The only file of data that the command of the job was given."""
    command = log.names.get("python", "") or log.names.get("torchrun", "")
    words = {word.rpartition("=")[2] for word in _split(command)}
    files = [word for word in words if _DATA_FILE.fullmatch(word)]
    return files[0] if len(files) == 1 else ""


def find_maker(log: Log, path: str) -> str:
    """The command of the log that wrote this file, or fetches it from where it came from."""
    name = posixpath.basename(path)
    makers = [one for one in log.find_values(_CAUSE, "maker") if _is_output(one, name)]
    if makers:
        return makers[-1]
    urls = [one for one in log.find_values(_CAUSE, "url") if posixpath.basename(one) == name]
    return shlex.join(["curl", "-fL", "-o", path, urls[-1]]) if urls else ""


def _is_output(command: str, name: str) -> bool:
    """Is a file of this name what the command writes?"""
    words = _split(command)
    if words[:1] and words[0] in {*_COPIES, "wget"} and posixpath.basename(words[-1]) == name:
        return True
    for option, value in zip(words, [*words[1:], ""], strict=True):
        left, sign, right = option.partition("=")
        given = right if sign else value
        if _OUTPUT_OPTION.fullmatch(left) and posixpath.basename(given) == name:
            return True
    return False


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def find_named(log: Log) -> str:
    """Of the files that lines call damaged, the one that is nearest to what ended the job."""
    named = [one for one in log.find_seen(_CAUSE) if "damaged" in one.values]
    errors = _list_errors(log)
    ended = [one for one in named if not one.minor]
    if not errors:  # what the job went on without counts where nothing else failed
        ended = ended or named
        errors = [one.line for one in ended]
    best = min(
        ended,
        key=lambda one: (min(abs(one.line - line) for line in errors), one.line),
        default=None,
    )
    return best.values["damaged"] if best else ""


def _list_errors(log: Log) -> list[int]:
    seen = log.find_seen(_CAUSE)
    return [
        one.line
        for one in seen
        if not one.values and one.signature not in _EVIDENCE and not one.minor
    ]


def _find_last_opened(log: Log) -> str:
    """What the log said last that it opens, before the first error of this cause."""
    opened = [one for one in log.find_seen(_CAUSE) if "opened" in one.values]
    errors = _list_errors(log)
    if len(opened) >= MAX_SIGHTINGS or not errors:  # the last may not have been kept
        return ""
    before = [one.values["opened"] for one in opened if one.line <= min(errors)]
    return before[-1] if before else ""
