"""PDR958: a cached download or a checkpoint is incomplete or damaged."""

from pipedoctor.check import Place, Remedy
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check

_OTHERS = (
    advise_user(
        "Download on one rank only, while the others wait",
        snippet="if rank == 0:\n    download()\ndist.barrier()",
        fits=(Launcher.KUBERNETES, Launcher.SLURM),
        place=Place.CODE,
    ),
    advise_user("Check the free disk space", argv=("df", "-h")),
)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """The file by its name, where the code that loads it says so."""
    cause = "corrupt_download_or_checkpoint"
    if any(seen.signature == f"{cause}/lfs-pointer" for seen in log.seen):
        title = "Download the file itself: what is there is a pointer of Git LFS"
        return (advise_user(title, snippet="git lfs install\ngit lfs pull"), *_OTHERS)
    cached = log.find_value(cause, "cached")
    if cached:
        title = f"Delete {cached}: the next start downloads it again"
        return (advise_user(title, argv=("rm", "--", cached)), *_OTHERS)
    what = log.find_value(cause, "file") or "the file named in the log"
    return (advise_user(f"Delete {what}, and download or save it again"), *_OTHERS)


@log_check(
    "PDR958",
    "A download or checkpoint is incomplete",
    summary="A cached download or a checkpoint is incomplete or damaged",
    remedies=_choose_remedies,
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
