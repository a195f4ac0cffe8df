"""PDR935: a forked worker uses CUDA, which cannot be used after a fork."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "cuda_in_forked_worker"
_SPAWN = 'DataLoader(..., multiprocessing_context="spawn")'
_COPY = "x = x.to(device, non_blocking=True)  # in the training loop, for each tensor of the batch"
_MOVE = compile_lazily(
    r"\.cuda\([^()]*\)"
    r"|\.to\((?:self\.)?(?:device|\"cuda[^\"]*\"|'cuda[^']*')(?:, ?non_blocking=True)?\)"
    r"|, ?device=(?:self\.device\b|device\b|\"cuda[^\"]*\"|'cuda[^']*')"
)
"""How a tensor is moved to a GPU, in a line of code."""

_COMPUTES = compile_lazily(
    r"\.cpu\(\)|\b(?!(?:tensor|from_numpy|as_tensor|FloatTensor|stack|zeros|ones)\()[a-z_]\w*"
    r"\((?:[^()]|\([^()]*\))*\.(?:cuda\(|to\((?:self\.)?(?:device|[\"']cuda))"
)
"""A line whose result is computed on the GPU, which a worker cannot do at all."""


_CALLS = compile_lazily(r"\b(?!torch\.|np\.|F\.)\w+(?:\.\w+)*\(")
_NAMES_DEVICE = compile_lazily(r"cuda|device|\.to\(")
"""A call that does not say where it computes: its model is on the GPU."""
_USE_NOTHING = in_code(
    "Use nothing of CUDA before the processes start: no call of torch.cuda, no model and no"
    " tensor on a GPU (in a notebook: restart the kernel first)"
)
"""For launchers that fork the training processes themselves."""


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """The user's own line without the move, where the log shows it."""
    seen = log.find_ids(_CAUSE)
    if "wrapper" in seen and "reinit" not in seen:
        return (_USE_NOTHING,)
    line = log.find_value(_CAUSE, "code").strip()
    if _COMPUTES.search(line) or (_CALLS.search(line) and not _NAMES_DEVICE.search(line)):
        spawn = in_code("Spawn the workers: what they compute stays on the GPU", _SPAWN)
        return spawn, in_code("Alternatively compute it in the main process", _COPY)
    spawn = in_code("Alternatively spawn the workers", _SPAWN)
    without = _MOVE.sub("", line)
    if without in {"", line}:
        title = "Keep samples on the CPU, and move them in the main process"
        return in_code(title, _COPY), spawn
    title = "Keep samples on the CPU: do not move them to the GPU in the dataset"
    name, _, value = without.partition(" = ")
    keep = in_code(
        title,
        f"- {line}" if name == value.strip() and "," not in name else f"- {line}\n+ {without}",
    )
    return keep, in_code("Then move every tensor of the batch in the training loop", _COPY), spawn


@log_check(
    "PDR935",
    "CUDA is used in a forked worker",
    summary="A forked worker uses CUDA, which cannot be used after a fork",
    remedies=_choose_remedies,
)
def cuda_in_forked_worker() -> None:
    """
    Find CUDA calls in workers forked from a process that uses CUDA.

    ## Why it hurts

    CUDA cannot be used after a fork: a worker that calls it fails, or worse, waits
    forever.

    ## How it is judged

    torch reports that it cannot initialize CUDA again in a forked process, or CUDA
    fails to initialize in a worker.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/multiprocessing.html
    - https://github.com/traveller59/spconv/issues/408
    """
