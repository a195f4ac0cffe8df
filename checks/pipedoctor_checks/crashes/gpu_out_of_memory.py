"""PDR950: the GPU is out of memory."""

from pipedoctor.check import Remedy
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.units import format_size, parse_size
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check
from pipedoctor_checks.crashes._smaller_batch import halve_in_code, halve_in_command

_CAUSE = "gpu_out_of_memory"
_VISIBLE = compile_lazily(r"^CUDA_VISIBLE_DEVICES=\S{0,40} ")
_OWN_SHARE = 0.7
"""Of what a process holds: so much is allocated by PyTorch only if the process is this one."""
_HERE = (Launcher.BARE, Launcher.DOCKER)
_OWN_GPU = advise_launch("Give every pod its own GPU or MIG slice", fits=(Launcher.KUBERNETES,))


def _reduce_fragmentation(title: str) -> Remedy:
    return advise_launch(
        title,
        snippet="export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        fits=(Launcher.BARE, Launcher.DOCKER, Launcher.SLURM),
    )


_MAYBE = _reduce_fragmentation(
    "If the log says that much is reserved but unallocated, reduce fragmentation"
)
_SURELY = _reduce_fragmentation(
    "Reduce fragmentation: more is reserved but unallocated than was asked for"
)
_CHOOSE_ANOTHER = (
    advise_launch(
        "Alternatively start on another GPU, which nvidia-smi shows to be free",
        snippet="export CUDA_VISIBLE_DEVICES=1",
        fits=_HERE,
    ),
    advise_launch(
        "Ask Slurm for a GPU that nobody else uses",
        argv=("sbatch", "--gpus-per-task=1", "--exclusive"),
        fits=(Launcher.SLURM,),
    ),
)


def _is_fragmented(log: Log) -> bool:
    """Would what is unallocated have been enough, in one piece?"""
    tried, unused = (log.find_value(_CAUSE, name) for name in ("asked", "unused"))
    return bool(tried and unused) and parse_size(unused) >= parse_size(tried)


def _free_from_others(log: Log) -> tuple[Remedy, ...]:
    """Where others hold more of the GPU than this job: less of its own cures nothing."""
    held = {
        one.values["pid"]: one.values["others"]
        for one in log.find_seen(_CAUSE)
        if "pid" in one.values
    }
    if not held:
        return _find_others(log)
    pid = max(held, key=lambda pid: parse_size(held[pid]))
    own = log.find_value(_CAUSE, "own")
    if not own and _is_own_process(held[pid], log.find_value(_CAUSE, "allocated")):
        return ()
    if own and parse_size(own) >= sum(map(parse_size, held.values())):
        return ()
    free = log.find_value(_CAUSE, "freegpu")
    return (
        *(_move_to(free, log) if free else ()),
        advise_user(
            f"End process {pid}, which holds {held[pid]} of this GPU, if it is a run of yours"
            " that nobody needs; else wait for it",
            argv=("kill", pid),
            fits=_HERE,
        ),
        *_CHOOSE_ANOTHER,
    )


def _move_to(gpu: str, log: Log) -> tuple[Remedy, ...]:
    """The user's own command on a GPU that the log shows to be free."""
    title = f"Start on GPU {gpu}, which is free"
    command = _VISIBLE.sub("", log.names.get("python", ""))
    line = f"CUDA_VISIBLE_DEVICES={gpu} {command}" if command else ""
    line = line or f"export CUDA_VISIBLE_DEVICES={gpu}"
    return (advise_launch(title, snippet=line, fits=_HERE),)


def _is_own_process(held: str, allocated: str) -> bool:
    """In a container torch does not know its own number: what it allocated tells."""
    return bool(allocated) and parse_size(allocated) > _OWN_SHARE * parse_size(held)


def _find_others(log: Log) -> tuple[Remedy, ...]:
    """As torch before 2.1 tells it: what is neither free nor reserved belongs to others."""
    total, free, reserved = (log.find_value(_CAUSE, n) for n in ("total", "free", "reserved"))
    if not (total and free and reserved):
        return ()
    own, others = parse_size(reserved), parse_size(total) - parse_size(free) - parse_size(reserved)
    if others < own or others < parse_size(total) / 4:
        return ()
    look = advise_user(
        f"End what else is on this GPU and holds {format_size(others)} of it: `kill` its PID",
        snippet="nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv",
        fits=_HERE,
    )
    return (look, *_CHOOSE_ANOTHER)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Half of the batch size that the command or the log names, if one does."""
    smaller = halve_in_command(log) or halve_in_code(log, _CAUSE)
    if others := _free_from_others(log):
        return (*others, _OWN_GPU, smaller)
    if _is_fragmented(log):
        return (_SURELY, smaller, _OWN_GPU)
    return (smaller, _MAYBE, _OWN_GPU)


@log_check(
    "PDR950",
    "The GPU is out of memory",
    summary="The GPU is out of memory",
    remedies=_choose_remedies,
)
def gpu_out_of_memory() -> None:
    """
    Find a GPU without free memory, also behind errors of cuDNN and cuBLAS.

    ## Why it hurts

    The batch, the model, or another process needs more memory than the GPU has. cuDNN
    and cuBLAS, which need memory to start, then only report that they are not
    initialized.

    ## How it is judged

    torch reports it, or a CUDA library could not start or find an algorithm; then it is
    likely, not certain.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/cuda.html
    - https://github.com/haotian-liu/LLaVA/issues/392
    """
