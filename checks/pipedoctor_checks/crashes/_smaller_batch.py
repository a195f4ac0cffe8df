"""Half of the batch size, in the command that a log shows."""

from itertools import pairwise

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily

_BATCH = compile_lazily(
    r"((?<!\S)(?:-b|--(?:\w{1,40}[-_.]){0,6}(?:batch(?:[-_]?size)?|bs))[ =]"
    r"|(?<!\S)(?:\w{1,40}\.){0,6}(?:batch(?:_size)?|bs)=)(\d{1,6})(?!\S)"
)
"""``--batch-size 64``, ``--per_device_train_batch_size=8``, ``-b 128``, ``data.batch_size=32``."""
_SETTING = "jobbatch"
_TITLE = "Halve {} until it fits, and accumulate gradients over as many batches more"

_ONE_SAMPLE = in_code(
    "One sample alone does not fit: keep fewer activations (gradient checkpointing), cut the"
    " samples smaller, or take a GPU with more memory",
    "from torch.utils.checkpoint import checkpoint\n\n"
    "x = checkpoint(block, x, use_reentrant=False)  # instead of block(x), for each large block",
)


def halve_in_command(log: Log) -> Remedy | None:
    """The user's own command with half of its batch size."""
    for kind in ("docker_run", "torchrun", "accelerate", "python"):
        command = log.names.get(kind, "")
        match = _BATCH.search(command)
        if match and int(match[2]) > 1:
            half = f"{match[1]}{int(match[2]) // 2}"
            return in_code(
                _TITLE.format("the batch size"),
                command[: match.start()] + half + command[match.end() :],
            )
    return None


def halve_in_code(log: Log, cause: str) -> Remedy:
    """Half of the batch size that the log names, for its trainer or its loader."""
    if setting := log.find_value(cause, "override"):
        half = max(int(log.find_value(cause, "overridden")) // 2, 1)
        return in_code(_TITLE.format("the batch size of the command"), f"{setting}={half}")
    told = _find_failed(log, cause) or _find_setting(log)
    half = int(told) // 2 if told.isdecimal() else 0
    if told == "1":
        return _ONE_SAMPLE
    if not half:
        return in_code(_TITLE.format("batch_size"))
    if "of-trainer" not in log.find_ids(cause):
        return in_code(_TITLE.format("batch_size"), f"DataLoader(..., batch_size={half})")
    steps = 2 * int(log.find_value(cause, "accumulation") or 1)
    return in_code(
        _TITLE.format("the batch size"),
        f"TrainingArguments(..., per_device_train_batch_size={half},"
        f" gradient_accumulation_steps={steps})",
    )


def _find_failed(log: Log, cause: str) -> str:
    """The last size that did not fit, where several were tried; else the first that is named."""
    named = [one for one in log.find_seen(cause) if "batch" in one.values]
    failed = [one.values["batch"] for one in named if "memory" in one.text]
    if failed:
        return failed[-1]
    sizes = log.find_values(cause, "batch")
    halved = all(int(large) == 2 * int(small) for large, small in pairwise(sizes))
    return next(iter(sizes[-1:] if halved else sizes), "")


def _find_setting(log: Log) -> str:
    """As a line of settings has it; empty: none does."""
    return next((one.values[_SETTING] for one in log.seen if _SETTING in one.values), "")
