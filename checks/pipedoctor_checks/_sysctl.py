"""Change a setting of the kernel: now, and after the next boot."""

from pipedoctor.facts import Habitat, Site
from pipedoctor.remedy import Lasts, Place, Remedy, fitting


def sysctl(name: str, before: int, after: int, site: Site | None) -> tuple[Remedy, ...]:
    """Set it on a machine of one's own; elsewhere it is the host's to set."""

    def write(value: int) -> tuple[str, ...]:
        return ("sysctl", "-w", f"{name}={value}")

    host = Remedy(
        title=f"Have {name} set on the host: it counts for all containers and jobs",
        argv=write(after),
        lasts=Lasts.BOOT,
        place=Place.LAUNCHER,
        root=True,
        fits=(Habitat.DOCKER, Habitat.KUBERNETES, Habitat.SLURM),
        advice=True,
    )
    now = Remedy(
        title=f"Set {name} to {after}",
        argv=write(after),
        undo=write(before),
        verify=("sysctl", name),
        lasts=Lasts.BOOT,
        root=True,
        fits=(Habitat.BARE,),
    )
    kept = Remedy(
        title="And after every boot: the same line in a file",
        snippet=f"# /etc/sysctl.d/90-pipedoctor.conf\n{name} = {after}",
        lasts=Lasts.ALWAYS,
        root=True,
        fits=(Habitat.BARE,),
        advice=True,
    )
    return fitting(site.habitat if site else None, now, kept, host)


def tuned(name: str, value: str, site: Site | None) -> tuple[Remedy, ...]:
    """Advice alone: measure before and after, and keep it only if it helped."""
    host = Remedy(
        title=f"Measure first; then try a larger {name} on the host",
        argv=("sysctl", "-w", f"{name}={value}"),
        lasts=Lasts.BOOT,
        root=True,
        advice=True,
    )
    return fitting(site.habitat if site else None, host)
