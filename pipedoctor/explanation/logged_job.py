"""How many workers and ranks the job had that a log shows the start of."""

from msgspec.structs import replace

from pipedoctor.facts import Facts, Loader
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily

_COMMANDS = ("python", "torchrun", "accelerate", "docker_run", "sbatch")
_ORIGIN = "the command in the log"
_SETTING = "jobworkers"
"""What a signature captures of a line of settings: ``num_workers=12``."""
_WORKERS = compile_lazily(
    r"(?<!\S)(?:-j|-{0,2}(?:[\w-]+\.){0,4}(?:\w+[-_])?(?:(?:num|n)[-_]?)?workers)"
    r"[ =](\d{1,3})(?!\S)"
)
"""``--workers 8``, ``--num_workers=8``, ``--dataloader_num_workers 8``, ``data.num_workers=8``."""
_RANKS = compile_lazily(r"(?<!\S)--(?:nproc[-_]per[-_]node|num[-_]processes)[ =](\d{1,2})(?!\S)")
"""Of torchrun, and of accelerate on one node."""


def add_logged_job(facts: Facts, log: Log) -> Facts:
    """The job that the user did not describe, as the command in the log does."""
    commands = [log.names[kind] for kind in _COMMANDS if kind in log.names]
    job = facts.get(Loader) or Loader()
    found: dict[str, int] = {}
    for field, pattern in (("num_workers", _WORKERS), ("ranks", _RANKS)):
        matches = (pattern.search(command) for command in commands)
        match = next((one for one in matches if one), None)
        if match and getattr(job, field) is None:
            found[field] = int(match[1])
    told = next((one.values[_SETTING] for one in log.seen if _SETTING in one.values), "")
    if told and job.num_workers is None:
        found.setdefault("num_workers", int(told))
    if not found:
        return facts
    origin = {**job.origin, **dict.fromkeys(found, _ORIGIN)}
    return facts.merge(
        replace(
            job,
            num_workers=found.get("num_workers", job.num_workers),
            ranks=found.get("ranks", job.ranks),
            origin=origin,
        )
    )
