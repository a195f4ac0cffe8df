"""Half of the batch size, in the command that a log shows."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily

_BATCH = compile_lazily(
    r"((?<!\S)(?:-b|--(?:\w{1,40}[-_.]){0,6}(?:batch[-_]?size|bs))[ =]"
    r"|(?<!\S)(?:\w{1,40}\.){0,6}batch_size=)(\d{1,6})(?!\S)"
)
"""``--batch-size 64``, ``--per_device_train_batch_size=8``, ``-b 128``, ``data.batch_size=32``."""


def halve_in_command(log: Log) -> Remedy | None:
    """The user's own command with half of its batch size."""
    for kind in ("docker_run", "torchrun", "accelerate", "python"):
        command = log.names.get(kind, "")
        match = _BATCH.search(command)
        if match and int(match[2]) > 1:
            half = f"{match[1]}{int(match[2]) // 2}"
            return in_code(
                "Halve the batch size until it fits, and accumulate gradients over as many"
                " batches more",
                command[: match.start()] + half + command[match.end() :],
            )
    return None
