"""Fewer workers, in the command that a log shows, or in the loader."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily

_WORKERS = compile_lazily(
    r"((?<!\S)(?:-j|-{0,2}(?:[\w-]+\.){0,4}(?:\w+[-_])?(?:(?:num|n)[-_]?)?workers)[ =])"
    r"(\d{1,3})(?!\S)"
)
"""``--workers 8``, ``--dataloader_num_workers=8``, ``-j 8``, ``data.num_workers=8``."""
_COMMANDS = ("docker_run", "torchrun", "accelerate", "trainer", "python")
_USUAL = 2
_SETTING = "jobworkers"


def use_fewer_workers(log: Log, title: str, parts: int, *options: str) -> Remedy:
    """Of the workers that the log shows one part, at least one; `options` are of the loader."""
    for kind in _COMMANDS:
        command = log.names.get(kind, "")
        match = _WORKERS.search(command)
        if match and (fewer := _divide(match[2], parts)):
            return in_code(
                _name_both(title, fewer, match[2]),
                f"{command[: match.start()]}{match[1]}{fewer}{command[match.end() :]}",
            )
    told = next((one.values[_SETTING] for one in log.seen if _SETTING in one.values), "")
    fewer = _divide(told, parts)
    title = _name_both(title, fewer, told) if fewer else title
    words = (f"num_workers={fewer or _USUAL}", *options)
    return in_code(title, f"DataLoader(..., {', '.join(words)})")


def _name_both(title: str, fewer: int, told: str) -> str:
    return title.replace("fewer workers", f"fewer workers ({fewer} in place of {told})", 1)


def _divide(told: str, parts: int) -> int:
    """0: not known, or not to be divided."""
    number = int(told) if told.isdecimal() else 0
    return max(number // parts, 1) if number > 1 else 0
