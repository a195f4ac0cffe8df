"""Change a kernel setting: now, and after the next boot."""

from pipedoctor.check import Lasts, Place, Remedy, select_remedies
from pipedoctor.facts import Launcher, Site
from pipedoctor_checks._shared.advice import advise_user


def set_sysctl(name: str, before: int, after: int, site: Site | None) -> tuple[Remedy, ...]:
    """Set it on a bare machine; in containers and jobs only the host can set it."""

    def write(value: int) -> tuple[str, ...]:
        return ("sysctl", "-w", f"{name}={value}")

    host = Remedy(
        title=f"Have {name} set on the host (it applies to all containers and jobs)",
        argv=write(after),
        lasts=Lasts.BOOT,
        place=Place.LAUNCHER,
        root=True,
        fits=(Launcher.DOCKER, Launcher.KUBERNETES, Launcher.SLURM),
        advice=True,
    )
    now = Remedy(
        title=f"Set {name} to {after}",
        argv=write(after),
        undo=write(before),
        verify=("sysctl", name),
        lasts=Lasts.BOOT,
        root=True,
        fits=(Launcher.BARE,),
    )
    kept = advise_user(
        "Keep it after a reboot: add the same line to a file",
        snippet=f"# /etc/sysctl.d/90-pipedoctor.conf\n{name} = {after}",
        fits=(Launcher.BARE,),
        root=True,
    )
    return select_remedies(site.launcher if site else None, now, kept, host)


def advise_sysctl(name: str, value: str, site: Site | None) -> tuple[Remedy, ...]:
    """Advise a larger value: measure before and after, keep it only if it helps."""
    host = Remedy(
        title=f"Measure first, then try a larger {name} on the host",
        argv=("sysctl", "-w", f"{name}={value}"),
        lasts=Lasts.BOOT,
        root=True,
        advice=True,
    )
    return select_remedies(site.launcher if site else None, host)
