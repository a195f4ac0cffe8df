"""Who may update the driver, and how far these cards can follow."""

from pipedoctor.facts import Site
from pipedoctor.facts.site import Habitat
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor.remedy import Lasts, Place, Remedy, fitting
from pipedoctor.versions import major


def newer_driver(
    drivers: CudaDrivers,
    site: Site | None,
    wanted: str,
    capabilities: tuple[str, ...],
) -> tuple[Remedy, ...]:
    """Update the driver, where these cards can still have one that new."""
    if not can_reach(drivers, capabilities, wanted):
        return ()
    end = last_driver(drivers, capabilities)
    what = f"the NVIDIA driver to R{major(wanted)} or newer"
    if end:
        what += f", but not beyond R{end}, the last for this card"
    if end == major(wanted):
        what = f"the NVIDIA driver to R{end}, the last for this card"
    outside = (Habitat.DOCKER, Habitat.KUBERNETES)
    return fitting(
        site.habitat if site else None,
        _by_hand(f"Update {what}, and reboot", Place.HERE, (Habitat.BARE,)),
        _by_hand(f"On the host, update {what}", Place.LAUNCHER, outside),
        _by_hand(
            f"Ask for a node that has R{major(wanted)} or newer",
            Place.LAUNCHER,
            (Habitat.SLURM,),
        ),
    )


def _by_hand(title: str, place: Place, fits: tuple[Habitat, ...]) -> Remedy:
    return Remedy(title=title, lasts=Lasts.ALWAYS, place=place, fits=fits, advice=True)


def last_driver(drivers: CudaDrivers, capabilities: tuple[str, ...]) -> int | None:
    """The last driver branch that serves all these cards; None: no end is known."""
    rows = map(drivers.generation, capabilities)
    ends = [row.last_driver for row in rows if row is not None and row.last_driver]
    return min(ends, default=None)


def can_reach(drivers: CudaDrivers, capabilities: tuple[str, ...], wanted: str) -> bool:
    """May these cards have a driver of at least this branch?"""
    end = last_driver(drivers, capabilities)
    return end is None or (major(wanted) or 0) <= end
