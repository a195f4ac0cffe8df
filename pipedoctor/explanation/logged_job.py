"""The loaders of the job that a log shows the start of: workers, ranks, size of batches."""

from msgspec.structs import replace

from pipedoctor.facts import Facts, Loader
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.units import GiB, MiB

_COMMANDS = ("python", "torchrun", "accelerate", "docker_run", "sbatch")
_COMMAND_ORIGIN, _SETTINGS_ORIGIN = "the command in the log", "the settings in the log"
_WORKERS = compile_lazily(
    r"(?<!\S)(?:-j|-{0,2}(?:[\w-]+\.){0,4}(?:\w+[-_])?(?:(?:num|n)[-_]?)?workers)"
    r"[ =](\d{1,3})(?!\S)"
)
"""``--workers 8``, ``--num_workers=8``, ``--dataloader_num_workers 8``, ``data.num_workers=8``."""
_RANKS = compile_lazily(r"(?<!\S)--(?:nproc[-_]per[-_]node|num[-_]processes)[ =](\d{1,2})(?!\S)")
"""Of torchrun, and of accelerate on one node."""
_SETTINGS = {
    "num_workers": "jobworkers",
    "prefetch_factor": "jobprefetch",
    "ranks": "jobranks",
}
"""What signatures capture of lines of settings: ``num_workers=12``."""
_CHANNELS, _FLOAT_BYTES = 3, 4
_MIN_BATCH, _MAX_BATCH = 256 * MiB, 8 * GiB
"""Below it, remedies for a batch that nobody knows suffice; beyond it, it is no batch."""


def add_logged_job(facts: Facts, log: Log) -> Facts:
    """The job that the user did not describe, as commands and settings in the log do."""
    job = facts.get(Loader) or Loader()
    found = {name: value for name, value in _read(log).items() if getattr(job, name) is None}
    if not found:
        return facts
    origin = {name: origin for name, (_, origin) in found.items()}
    fields = {name: value for name, (value, _) in found.items()}
    return facts.merge(replace(job, **fields, origin=job.origin | origin))


def _read(log: Log) -> dict[str, tuple[int, str]]:
    """Each number with its origin; a command knows better than what is printed."""
    captured = _list_captured(log)
    found = {
        name: (captured[key], _SETTINGS_ORIGIN)
        for name, key in _SETTINGS.items()
        if key in captured
    }
    if batch := _estimate_batch(captured):
        found["batch_bytes"] = batch, _SETTINGS_ORIGIN
    commands = [log.names[kind] for kind in _COMMANDS if kind in log.names]
    for name, pattern in (("num_workers", _WORKERS), ("ranks", _RANKS)):
        matches = (pattern.search(command) for command in commands)
        if match := next((one for one in matches if one), None):
            found[name] = int(match[1]), _COMMAND_ORIGIN
    return found


def _list_captured(log: Log) -> dict[str, int]:
    """The first value of each setting."""
    found: dict[str, int] = {}
    for one in log.seen:
        for key, value in one.values.items():
            if key.startswith("job") and value.isdecimal():
                found.setdefault(key, int(value))
    return found


def _estimate_batch(captured: dict[str, int]) -> int:
    """Bytes of a batch of square images in float32; 0 where that is not known."""
    size = captured.get("jobbatch", 0) * captured.get("jobside", 0) ** 2
    size *= _CHANNELS * _FLOAT_BYTES
    return size if _MIN_BATCH <= size <= _MAX_BATCH else 0
