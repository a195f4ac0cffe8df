"""PDR963: two ranks use the same GPU."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    in_code(
        "Tell every rank its card, before anything else",
        'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))',
    ),
    advise(
        "Request a card for every rank",
        snippet="resources:\n  limits:\n    nvidia.com/gpu: 2",
        fits=(Habitat.KUBERNETES,),
    ),
    advise(
        ("With --gpus-per-task every task sees one card, and it is 0"),
        argv=("sbatch", "--gpus-per-node=2"),
        fits=(Habitat.SLURM,),
    ),
    advise(
        "Start the container with all cards",
        argv=("docker", "run", "--gpus=all"),
        fits=(Habitat.DOCKER,),
    ),
)


@check("PDR963", "Two ranks use one GPU")
def ranks_share_one_gpu(log: Log, site: Site | None, /) -> Findings:
    """
    Find ranks that were not told their own GPU.

    ## Why it hurts

    Without `set_device` every rank uses the first card, and NCCL refuses.

    ## How it is judged

    NCCL says that two ranks are on one device.

    ## Sources

    - https://docs.pytorch.org/docs/stable/elastic/run.html
    - https://github.com/Peterande/D-FINE/issues/289
    """
    yield from told(
        log, site, "ranks_share_one_gpu", "Two ranks use the same GPU", *_REMEDIES
    )
