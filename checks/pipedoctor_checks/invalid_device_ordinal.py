"""PDR949: the code asks for a GPU that this process does not see."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    in_code(
        (
            "Count from 0 in what is visible, and start no more "
            "ranks than there are cards"
        ),
        'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))',
    ),
    advise(
        "Start the container with all cards",
        argv=("docker", "run", "--gpus=all"),
        fits=(Habitat.DOCKER,),
    ),
    advise(
        "Request as many cards as there are ranks",
        snippet="resources:\n  limits:\n    nvidia.com/gpu: 2",
        fits=(Habitat.KUBERNETES,),
    ),
    advise(
        "Request as many cards as there are ranks",
        argv=("sbatch", "--gpus-per-node=2"),
        fits=(Habitat.SLURM,),
    ),
)


@check("PDR949", "A GPU is asked for that is not visible")
def invalid_device_ordinal(log: Log, site: Site | None, /) -> Findings:
    """
    Find a GPU index that the process does not see.

    ## Why it hurts

    After `CUDA_VISIBLE_DEVICES` the first visible card is 0, and a job with more
    ranks than cards asks for cards that are not there.

    ## How it is judged

    CUDA rejects the index, or torch says how many cards there are.

    ## Sources

    - https://github.com/LuyaooChen/uninformed-students-pytorch/issues/3
    - https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html
    """
    yield from told(
        log,
        site,
        "invalid_device_ordinal",
        "The code asks for a GPU that this process does not see",
        *_REMEDIES,
    )
