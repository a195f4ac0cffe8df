"""PDR931: The kernel killed a process for memory."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    in_code(
        (
            "Fewer workers, a smaller prefetch_factor, samples that "
            "are read when they are needed"
        ),
        "DataLoader(..., num_workers=2, prefetch_factor=1)",
    ),
    advise(
        "Start the container with more memory",
        argv=("docker", "run", "--memory=64g"),
        fits=(Habitat.DOCKER,),
    ),
    advise(
        ("Raise the memory limit; a memory volume at /dev/shm counts"),
        snippet="resources:\n  limits:\n    memory: 64Gi",
        fits=(Habitat.KUBERNETES,),
    ),
    advise("Ask for more memory", argv=("sbatch", "--mem=64G"), fits=(Habitat.SLURM,)),
)


@check("PDR931", "The kernel killed a process for memory")
def worker_oom_killed(log: Log, site: Site | None, /) -> Findings:
    """
    Find workers or trainers that were killed for memory.

    ## Why it hurts

    Memory ran out, of the machine or of the job's control group, and the kernel
    killed one process: mostly a worker, without a word in Python.

    ## How it is judged

    A worker or the job ended with signal 9, the kernel or the scheduler says that
    it killed for memory, or memory could not be allocated. Why memory grew is
    another question: workers that copy the dataset's Python objects are a common
    reason.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/8976
    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    """
    yield from told(
        log,
        site,
        "worker_oom_killed",
        "Memory ran out, and the kernel or the control group killed a process",
        *_REMEDIES,
    )
