"""Can the cause in a log be so on this kind of system at all?"""

from pipedoctor.explanation.model import Here
from pipedoctor.facts import Facts, Site
from pipedoctor.log.signatures import Illness

_SYSTEMS = {"windows": "Windows", "wsl": "WSL"}


def by_system(illness: Illness, facts: Facts) -> tuple[Here, str] | None:
    """Rule it out on another system than its own; None: it may be so, or who knows."""
    site = facts.get(Site)
    if not illness.only or site is None or not _known(site, illness.only):
        return None
    there = site.wsl if illness.only == "wsl" else site.system == illness.only
    if there:
        return None
    return "ruled-out", f"{_SYSTEMS[illness.only]} alone has this; here is {site.name}"


def _known(site: Site, only: str) -> bool:
    """A text may name the system, but no kernel that would tell WSL from others."""
    return bool(site.system) and (only != "wsl" or bool(site.release))
