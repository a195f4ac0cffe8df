"""Was a log written by another machine than this one, or on another system?"""

from pipedoctor.explanation.model import LocalState
from pipedoctor.facts import Facts, Site
from pipedoctor.facts.log import Log
from pipedoctor.log.signatures import FailureMode

_SYSTEM_NAMES = {"windows": "Windows", "wsl": "WSL"}
_CLUSTERS = {"kubernetes": "a Kubernetes pod", "slurm": "a Slurm job"}


def find_other_machine(log: Log | None, ours: str) -> str:
    """The cluster that wrote the log, where this machine is not known to be part of it."""
    place = log.place if log is not None else ""
    return _CLUSTERS.get(place, "") if ours and place != ours else ""


def judge_by_system(failure: FailureMode, facts: Facts) -> tuple[LocalState, str] | None:
    """Rule it out on another system than its own; None: it may be so, or who knows."""
    site = facts.get(Site)
    if not failure.only or site is None or not _is_known(site, failure.only):
        return None
    is_affected = site.wsl if failure.only == "wsl" else site.system == failure.only
    if is_affected:
        return None
    return (
        "ruled-out",
        f"this only happens on {_SYSTEM_NAMES[failure.only]}; this machine is {site.description}",
    )


def _is_known(site: Site, only: str) -> bool:
    """A text may name the system, but no kernel that would tell WSL from others."""
    return bool(site.system) and (only != "wsl" or bool(site.release))
