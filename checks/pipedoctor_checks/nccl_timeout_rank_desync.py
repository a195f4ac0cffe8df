"""PDR961: A rank waited in vain for the others."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    in_code(
        "Give every rank the same number of batches",
        "DistributedSampler(dataset, drop_last=True)",
    ),
    in_code(
        ("Read the log of the rank that is missing; look at what it does"),
        "py-spy dump --pid RANK",
    ),
    advise(
        "Keep a record of the collectives",
        snippet=(
            "export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1"
        ),
        fits=(
            Habitat.BARE,
            Habitat.SLURM,
        ),
    ),
    advise(
        "Keep a record of the collectives",
        argv=(
            "docker",
            "run",
            "-e",
            "TORCH_NCCL_TRACE_BUFFER_SIZE=2000",
            "-e",
            "TORCH_NCCL_DUMP_ON_TIMEOUT=1",
        ),
        fits=(Habitat.DOCKER,),
    ),
    advise(
        "Keep a record of the collectives",
        snippet=(
            "env:\n"
            "- name: TORCH_NCCL_TRACE_BUFFER_SIZE\n"
            "  value: '2000'\n"
            "- name: TORCH_NCCL_DUMP_ON_TIMEOUT\n"
            "  value: '1'"
        ),
        fits=(Habitat.KUBERNETES,),
    ),
)


@check("PDR961", "A rank waited in vain for the others")
def nccl_timeout_rank_desync(log: Log, site: Site | None, /) -> Findings:
    """
    Find ranks that ran different numbers of collectives.

    ## Why it hurts

    The ranks that are alive wait for one that has fewer batches, is slow, or is
    dead, until the watchdog ends them all.

    ## How it is judged

    A collective timed out. It is an echo wherever another rank shows an error of
    its own.

    ## Sources

    - https://docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html
    - https://github.com/meta-pytorch/torchrec/issues/189
    """
    yield from told(
        log,
        site,
        "nccl_timeout_rank_desync",
        (
            "The ranks ran different numbers of collectives, or one of them was "
            "slow or dead"
        ),
        *_REMEDIES,
    )
