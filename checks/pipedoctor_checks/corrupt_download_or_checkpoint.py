"""PDR958: a cached download or a checkpoint is incomplete or damaged."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise("Delete the file that the log names, and load it again", place=Place.HERE),
    advise(
        "Let one rank load, the others wait",
        snippet="if rank == 0:\n    download()\ndist.barrier()",
        fits=(
            Habitat.KUBERNETES,
            Habitat.SLURM,
        ),
        place=Place.CODE,
    ),
    advise("Look at the room on the disk", argv=("df", "-h"), place=Place.HERE),
)


@check("PDR958", "A download or checkpoint is incomplete")
def corrupt_download_or_checkpoint(log: Log, site: Site | None, /) -> Findings:
    """
    Find files that were cut while they were loaded or written.

    ## Why it hurts

    An interrupted download, a full disk, or several ranks that load to one place
    leave half a file in a cache, which every later start reads again.

    ## How it is judged

    The archive has no end, a hash is wrong, or bytes are missing.

    ## Sources

    - https://github.com/kha-white/mokuro/issues/72
    - https://github.com/CompVis/stable-diffusion/issues/93
    """
    yield from told(
        log,
        site,
        "corrupt_download_or_checkpoint",
        "A cached download or a checkpoint is incomplete or damaged",
        *_REMEDIES,
    )
