"""PDR961: A rank waited for the others until the timeout."""

from pipedoctor.check import Remedy, environment, in_code
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "nccl_timeout_rank_desync"
_OTHERS = (
    in_code(
        "Give every rank the same number of batches",
        "DistributedSampler(dataset, drop_last=True)",
    ),
    advise_user(
        "Read the log of the missing rank, and find out what it is doing",
        argv=("py-spy", "dump", "--pid", "PID"),
    ),
    advise_launch(
        "Record the collectives",
        snippet="export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1",
        fits=(Launcher.BARE, Launcher.SLURM),
    ),
    advise_launch(
        "Record the collectives",
        argv=(
            "docker",
            "run",
            "-e",
            "TORCH_NCCL_TRACE_BUFFER_SIZE=2000",
            "-e",
            "TORCH_NCCL_DUMP_ON_TIMEOUT=1",
        ),
        fits=(Launcher.DOCKER,),
    ),
    advise_launch(
        "Record the collectives",
        snippet=(
            "env:\n"
            "- name: TORCH_NCCL_TRACE_BUFFER_SIZE\n"
            "  value: '2000'\n"
            "- name: TORCH_NCCL_DUMP_ON_TIMEOUT\n"
            "  value: '1'"
        ),
        fits=(Launcher.KUBERNETES,),
    ),
)
_LONGER = {
    "of-trainer": "TrainingArguments(..., ddp_timeout=7200)  # seconds",
    "of-accelerate": (
        "from datetime import timedelta\n"
        "from accelerate import Accelerator, InitProcessGroupKwargs\n\n"
        "Accelerator(kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(hours=2))])"
    ),
    "of-lightning": (
        "from datetime import timedelta\n\n"
        "Trainer(..., strategy=DDPStrategy(timeout=timedelta(hours=2)))"
    ),
    "": (
        "from datetime import timedelta\n\n"
        'torch.distributed.init_process_group("nccl", timeout=timedelta(hours=2))'
    ),
}
"""How each framework is told to wait longer, by the signature that shows it."""
_RANK = compile_lazily(r"\[Rank (\d{1,5})\]")
_TIMED_OUT = ("/watchdog", "/ran-for", "/failed-or-timed-out")
_AT_THE_START = frozenset({"first-collective", "second-collective"})
"""Signatures of a job that has not trained yet: what it does is done once."""
_SAME_CALLS = in_code(
    "Let every rank make the same collective calls in the same order: the log names two that"
    " differ; look for one that only some ranks reach",
    'torch.distributed.barrier()  # outside of "if rank == 0:"',
)
_WITHOUT_PEERS = environment(
    "Copy through the host: between cards of this kind, transfers from GPU to GPU hang on many"
    " mainboards from the first collective on",
    NCCL_P2P_DISABLE=1,
)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Where a rank works alone meanwhile, the others have to wait longer."""
    seen = log.find_ids(_CAUSE)
    if _is_one_busy(log):
        seen |= {"works-alone"}
    if "other-call" in seen:
        return (_SAME_CALLS, *_OTHERS[1:])
    if {"consumer-gpu", "second-collective"} <= seen and "works-alone" not in seen:
        return (*_WITHOUT_PEERS, *_OTHERS)
    if seen.isdisjoint({"works-alone", "alone-in-words", "first-collective"}):
        return _OTHERS
    snippet = next(text for name, text in _LONGER.items() if not name or name in seen)
    title = (
        "Let the other ranks wait for the one that works alone; or do that work before the launch"
    )
    return (in_code(title, snippet), *_OTHERS[1:])


def _is_one_busy(log: Log) -> bool:
    """Does a rank that waits for nobody say what it is doing, once the others have given up?"""
    seen = log.find_seen(_CAUSE)
    late = [one for one in seen if one.signature.endswith(_TIMED_OUT)]
    if not late:
        return False
    waiting = {one.rank for one in late} | {*_RANK.findall("\n".join(one.text for one in late))}
    begin = 0 if log.find_ids(_CAUSE) & _AT_THE_START else late[0].line
    return any(
        one.signature.endswith("/works") and one.rank and one.rank not in waiting
        for one in seen
        if one.line >= begin
    )


@log_check(
    "PDR961",
    "A rank waited for the others until the timeout",
    summary="The ranks ran different numbers of collectives, or one of them was slow or dead",
    remedies=_choose_remedies,
)
def nccl_timeout_rank_desync() -> None:
    """
    Find ranks that ran different numbers of collectives.

    ## Why it hurts

    The live ranks wait for one that has fewer batches, is slow, or is dead, until the
    watchdog ends them all.

    ## How it is judged

    A collective timed out. It is only a consequence if another rank shows an error of
    its own.

    ## Sources

    - https://docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html
    - https://github.com/meta-pytorch/torchrec/issues/189
    """
