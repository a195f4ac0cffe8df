"""PDR962: another process already listens on the rendezvous port."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Let torchrun choose a free port",
        argv=("torchrun", "--standalone", "--nproc-per-node=gpu", "train.py"),
        fits=(
            Habitat.BARE,
            Habitat.DOCKER,
            Habitat.SLURM,
        ),
    ),
    advise(
        "Find who holds it, and end your own stale run",
        argv=("ss", "-ltnp"),
        fits=(Habitat.BARE,),
        place=Place.HERE,
    ),
    advise("Give every job a port of its own", fits=(Habitat.KUBERNETES,)),
    advise(
        "Derive the port from the job",
        snippet="export MASTER_PORT=$((10000 + SLURM_JOB_ID % 50000))",
        fits=(Habitat.SLURM,),
    ),
)


@check("PDR962", "The port of the rendezvous is taken")
def master_port_in_use(log: Log, site: Site | None, /) -> Findings:
    """
    Find a launch whose port somebody else uses.

    ## Why it hurts

    Another run on the machine, or a rank that a crash left behind, holds the port.

    ## How it is judged

    Binding the port failed with `Address already in use`.

    ## Sources

    - https://docs.pytorch.org/docs/stable/elastic/run.html
    - https://github.com/open-mmlab/mmpretrain/issues/960
    """
    yield from told(
        log,
        site,
        "master_port_in_use",
        "Another process already listens on the rendezvous port",
        *_REMEDIES,
    )
