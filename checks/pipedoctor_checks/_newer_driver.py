"""Who may update the driver, and how far these cards can follow."""

from pipedoctor.facts import Site
from pipedoctor.facts.site import Habitat
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor.remedy import Lasts, Place, Remedy, fitting
from pipedoctor.versions import major
from pipedoctor_checks._wheels import can_reach, last_driver


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
