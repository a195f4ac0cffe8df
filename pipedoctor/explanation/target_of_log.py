"""Whose shell the remedies of a log are typed into."""

from pipedoctor.explanation.model import LocalState
from pipedoctor.facts import Facts, Site
from pipedoctor.facts.log import Log
from pipedoctor.log.distributions import find_rpm_installer
from pipedoctor.report.target_shell import TargetShell


def find_target(state: LocalState, facts: Facts, *, here: bool) -> TargetShell:
    """The shell that remedies are for; `here`: is it in a place like ours?"""
    log, ours = facts.get(Log), TargetShell.find(facts.get(Site))
    foreign = log if log is not None and state != "confirmed" else Log()
    told = foreign.system
    build = foreign.versions.get("torch", "").partition("+")[2]
    names = {"torch_build": build} if build else {}
    return TargetShell(
        windows=told == "windows" if told else ours.windows,
        macos=told == "macos" if told else ours.macos,
        root=_is_root(foreign, here=here and _is_ours(state, ours)),
        tool=foreign.tool,
        names={**(ours.names if here else {}), **foreign.names, **names},
        docker_use=foreign.docker_use or ("run" if foreign.place == "kubernetes" else ""),
        rpm_installer=_find_rpm_installer(foreign, ours.rpm_installer if here else ""),
    )


def _find_rpm_installer(log: Log, ours: str) -> str:
    named = log.names.get("distribution", "")
    return find_rpm_installer(named) if named else ours


def _is_ours(state: LocalState, ours: TargetShell) -> bool:
    """Are we root where the log is from? Who read it as root of a machine may be elsewhere."""
    return ours.root and (state == "confirmed" or (ours.inside and state != "ruled-out"))


def _is_root(log: Log, *, here: bool) -> bool:
    """Does root type the remedies? The log may show who typed its commands."""
    if log.names.get("account") == "root":  # in a container, it says nothing of the host
        return not log.place or here
    return here and "account" not in log.names
