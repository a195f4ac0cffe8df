"""PDR958: a cached download or a checkpoint is incomplete or damaged."""

import posixpath
import re

from pipedoctor.check import Place, Remedy, shell
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._damaged_file import (
    find_argument,
    find_damaged,
    find_maker,
    find_named,
)
from pipedoctor_checks.crashes._log_check import log_check

_HUB_FILE = compile_lazily(
    r"/(?P<kind>model|dataset)s--(?P<owner>[\w.-]+?)--(?P<name>[\w.-]+)/snapshots/\w+/(?P<file>.+)"
)
"""A file in the cache of the Hub: a link to what is damaged, which stays if only the link goes."""
_CAUSE = "corrupt_download_or_checkpoint"
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
    damaged = find_named(log)
    if "lfs-pointer" in log.find_ids(_CAUSE):
        return (_pull_lfs(log, damaged), *_OTHERS)
    cached = log.find_value(_CAUSE, "cached")
    if hub := _HUB_FILE.search(cached or damaged):
        return (_fetch_from_hub(hub), *_OTHERS)
    if cached:
        title = f"Delete {cached}: the next start downloads it again"
        return (advise_user(title, argv=("rm", "--", cached)), *_OTHERS)
    if digest := log.find_value(_CAUSE, "digest"):
        title = "Delete the damaged download, whose name has this hash, and start again"
        line = f"find \"${{TORCH_HOME:-$HOME/.cache/torch}}/hub\" -name '*{digest}*' -delete"
        if log.system == "windows":
            line = f'del "%USERPROFILE%\\.cache\\torch\\hub\\checkpoints\\*{digest}*"'
        return (advise_user(title, snippet=line), *_OTHERS)
    what = find_damaged(log) or find_argument(log) or log.find_value(_CAUSE, "given")
    return (_move_away(log, what), *_OTHERS)


def _move_away(log: Log, what: str) -> Remedy:
    """And make it again, the way that the log shows."""
    if not what:
        return advise_user("Delete the file that was read, and download or save it again")
    move = ("move",) if "\\" in what else ("mv", "-n")
    argv = (*move, what, f"{what}.damaged")
    again = find_maker(log, what)
    if not again:
        title = f"Move {what} away, and download or save it again: it is not whole"
        return advise_user(title, argv=argv)
    title = f"Move {what} away, and make it again as the log shows: it is not whole"
    return advise_user(title, snippet=f"{shell(argv)}\n{again}")


def _fetch_from_hub(hub: re.Match[str]) -> Remedy:
    kind = ("--repo-type", "dataset") if hub["kind"] == "dataset" else ()
    return advise_user(
        f"Download {hub['file']} once more, over what is in the cache",
        argv=(
            "hf",
            "download",
            f"{hub['owner']}/{hub['name']}",
            hub["file"],
            *kind,
            "--force-download",
        ),
    )


def _pull_lfs(log: Log, damaged: str) -> Remedy:
    """In the folder that was cloned, where the log says which; an image is built again."""
    if "cloned-in-image" in log.find_ids(_CAUSE):
        return advise_user(
            "What is in the image is a pointer of Git LFS: put this before `git clone` in the"
            " Dockerfile, and build it again",
            snippet="RUN apt-get update && apt-get install -y git-lfs && git lfs install",
            place=Place.LAUNCHER,
        )
    told = log.find_value(_CAUSE, "folder") or log.find_value(_CAUSE, "cloned")
    folder = told or posixpath.dirname(damaged)
    lines = [f"cd {shell((folder,))}"] if folder else []
    title = "Download the file itself: what is there is a pointer of Git LFS"
    return advise_user(title, snippet="\n".join([*lines, "git lfs install", "git lfs pull"]))


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
