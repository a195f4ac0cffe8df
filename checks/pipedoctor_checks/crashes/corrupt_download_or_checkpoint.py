"""PDR958: a cached download or a checkpoint is incomplete or damaged."""

from pipedoctor.check import Place
from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR958",
    "A download or checkpoint is incomplete",
    summary="A cached download or a checkpoint is incomplete or damaged",
    remedies=(
        advise_user("Delete the file named in the log, and download it again"),
        advise_user(
            "Download on one rank only, while the others wait",
            snippet="if rank == 0:\n    download()\ndist.barrier()",
            fits=(Launcher.KUBERNETES, Launcher.SLURM),
            place=Place.CODE,
        ),
        advise_user("Check the free disk space", argv=("df", "-h")),
    ),
)
def corrupt_download_or_checkpoint() -> None:
    """
    Find files that were truncated while they were downloaded or written.

    ## Why it hurts

    An interrupted download, a full disk, or several ranks that download to one place
    leave an incomplete file in a cache, which every later start reads again.

    ## How it is judged

    The archive has no end, a hash is wrong, or bytes are missing.

    ## Sources

    - https://github.com/kha-white/mokuro/issues/72
    - https://github.com/CompVis/stable-diffusion/issues/93
    """
