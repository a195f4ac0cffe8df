"""Limits and variables of a job that systemd runs: those of a shell do not reach it."""

import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from pipedoctor.check.remedy import Lasts, Place, Remedy
from pipedoctor.facts.site import Launcher
from pipedoctor.lazy_pattern import compile_lazily

_LIMITS = {"-n": "LimitNOFILE", "-u": "LimitNPROC", "-l": "LimitMEMLOCK"}
"""By option of ``ulimit``; source: systemd.exec(5)."""
_EXPORTS = compile_lazily(r"(?:export [A-Za-z_]\w*=[^\s$`'\"\\%]+\n?)+")
"""Variables whose values need no shell, and hold nothing that systemd expands."""
_FOLDER = "/etc/systemd/system"
_EXAMPLE = "UNIT.service.d"


def put_unit(remedy: Remedy, unit: str) -> Remedy:
    """The same remedy as a drop-in of the service; as it is where it sets nothing there."""
    if remedy.fits and Launcher.BARE not in remedy.fits:
        return remedy
    if _EXAMPLE in remedy.snippet:
        return replace(remedy, snippet=remedy.snippet.replace(_EXAMPLE, f"{unit}.d"))
    settings = list(_list_settings(remedy)) if remedy.place is Place.LAUNCHER else []
    if not settings:
        return remedy
    folder = shlex.quote(f"{_FOLDER}/{unit}.d")
    content = "\\n".join(["[Service]", *settings, ""])
    lines = (
        f"sudo mkdir -p {folder}",
        f"printf '{content}' | sudo tee {folder}/pipedoctor.conf",
        f"sudo systemctl daemon-reload && sudo systemctl restart {shlex.quote(unit)}",
    )
    return replace(
        remedy,
        title=f"Set it for {unit}: what a shell sets does not reach a service",
        argv=(),
        snippet="\n".join(lines),
        lasts=Lasts.ALWAYS,
        fits=(Launcher.BARE,),
    )


def _list_settings(remedy: Remedy) -> Iterator[str]:
    """Lines of the section ``[Service]`` that do what it does in a shell."""
    match remedy.argv:
        case ("ulimit", option, value) if option in _LIMITS:
            yield f"{_LIMITS[option]}={'infinity' if value == 'unlimited' else value}"
        case ("env", "-u", name, "python", "train.py") | ("unset", name):
            yield f"UnsetEnvironment={name}"
        case ():
            if _EXPORTS.fullmatch(remedy.snippet):
                for line in remedy.snippet.splitlines():
                    yield f"Environment={line.removeprefix('export ')}"
        case _:
            pass


__all__ = ["put_unit"]
