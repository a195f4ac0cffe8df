"""PDR961: A rank waited for the others until the timeout."""

from pipedoctor.check import in_code
from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR961",
    "A rank waited for the others until the timeout",
    summary="The ranks ran different numbers of collectives, or one of them was slow or dead",
    remedies=(
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
    ),
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
