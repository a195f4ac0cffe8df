"""Who may update the driver, and the newest driver that these GPUs support."""

from msgspec.structs import replace

from pipedoctor.check import Remedy, select_remedies
from pipedoctor.facts import Site
from pipedoctor.facts.site import Launcher
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor.versions import get_major
from pipedoctor_checks._shared.advice import advise_launch, advise_user, is_wsl, restart_wsl

_OF_UBUNTU = (
    "sudo apt-get install -y ubuntu-drivers-common\nsudo ubuntu-drivers install{}\nsudo reboot"
)


def update_driver(
    drivers: CudaDrivers,
    site: Site | None,
    branch: str,
    capabilities: tuple[str, ...],
) -> tuple[Remedy, ...]:
    """Update the driver, if these GPUs support one that new."""
    if not can_reach(drivers, capabilities, branch):
        return ()
    end = last_driver(drivers, capabilities)
    what = f"the NVIDIA driver to R{get_major(branch)} or newer"
    if end:
        what += f", but not beyond R{end}, the last for this GPU"
    if end == get_major(branch):
        what = f"the NVIDIA driver to R{end}, the last for this GPU"
    if is_wsl(site):
        return (restart_wsl(f"In Windows, not in WSL, update {what}; then restart WSL"),)
    outside = (Launcher.DOCKER, Launcher.KUBERNETES)
    return select_remedies(
        site.launcher if site else None,
        install_driver(f"Update {what}, and reboot", site, end),
        advise_launch(f"On the host, update {what}", fits=outside),
        advise_launch(
            f"Request a node that has R{get_major(branch)} or newer", fits=(Launcher.SLURM,)
        ),
    )


def install_driver(title: str, site: Site | None, branch: int | None = None) -> Remedy:
    """On a bare machine; of Ubuntu in its own words: the recommended one, or of this branch."""
    named = f" nvidia:{branch}" if branch else ""
    lines = _OF_UBUNTU.format(named) if site and "Ubuntu" in site.distribution else ""
    install = advise_user(title, snippet=lines, fits=(Launcher.BARE,), root=True)
    return replace(install, verify=("nvidia-smi",))


def last_driver(drivers: CudaDrivers, capabilities: tuple[str, ...]) -> int | None:
    """The last driver branch that supports all these GPUs; None: no end is known."""
    rows = map(drivers.find_generation, capabilities)
    ends = [row.last_driver for row in rows if row is not None and row.last_driver]
    return min(ends, default=None)


def can_reach(drivers: CudaDrivers, capabilities: tuple[str, ...], branch: str) -> bool:
    """Do these GPUs support a driver of at least this branch?"""
    end = last_driver(drivers, capabilities)
    return end is None or (get_major(branch) or 0) <= end
