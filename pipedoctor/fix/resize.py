"""`--shm SIZE`: the size that was asked for, what speaks against it, the plan."""

from collections.abc import Iterator
from pathlib import Path

from pipedoctor.facts import Facts, Habitat, Shm, Site
from pipedoctor.fix import persist
from pipedoctor.fix.files import content_of
from pipedoctor.fix.gauge import SHM, Gauge
from pipedoctor.fix.plan import Plan, Refused, Run, Settled, Step, Write
from pipedoctor.fix.privilege import SYS_ADMIN, within_reach
from pipedoctor.fix.sizes import Asked, refuse_size
from pipedoctor.remedy import Lasts, compose, docker_run, fitting, kubernetes
from pipedoctor.units import GiB, human

SECTIONS = ("site", "shm", "memory")


def plan(facts: Facts, size: int, *, lasting: bool, force: bool) -> Plan | Settled:
    """What it takes to give /dev/shm this size; raises Refused."""
    shm = facts.get(Shm)
    if shm is None:
        message = f"{SHM} could not be examined: {facts.why_unknown(Shm)}"
        raise Refused(message)
    _refuse_place(shm, facts.get(Site), size, lasting=lasting)
    refuse_size(facts, size, force=force)
    steps: list[Step] = []
    if shm.size != size:
        steps.append(remount(shm.size, size))
    if lasting:
        found = content_of(persist.FSTAB)
        if persist.size_in_fstab(found) != str(size).encode():
            text = persist.fstab_with(found, size)
            steps.append(Write(path=persist.FSTAB, content=text, found=found))
    if not steps:
        good = " and stays so after a reboot" if lasting else ""
        return Settled(f"{SHM} already has {human(size)}{good}")
    if shm.size != size:
        refuse_powerless(facts.get(Site), shm, size)
    return Plan(
        subject=SHM,
        before=human(shm.size) if shm.size else "unlimited",
        after=human(size),
        steps=tuple(steps),
        lasts=(Lasts.ALWAYS if lasting else Lasts.BOOT).value,
    )


def remount(before: int, after: int) -> Run:
    """The command that resizes /dev/shm in place, and back."""

    def argv(size: int) -> tuple[str, ...]:
        return ("mount", "-o", f"remount,size={size}", SHM)

    return Run(
        argv=argv(after),
        undo=argv(before),
        gauge=Gauge(kind="shm"),
        before=str(before),
        after=str(after),
    )


def _refuse_place(shm: Shm, site: Site | None, size: int, *, lasting: bool) -> None:
    if not shm.mounted:
        message = f"{SHM} is not a mount of its own, so it has no size of its own"
        raise Refused(message, f"mount -t tmpfs -o nosuid,nodev,size=5G tmpfs {SHM}")
    if not shm.fstype:
        message = f"what {SHM} is cannot be read here, so its size is not touched"
        raise Refused(message)
    if shm.fstype != "tmpfs":
        message = f"{SHM} is {shm.fstype}, not a tmpfs: its size cannot be changed"
        raise Refused(message)
    if lasting and site is not None and site.container:
        message = (
            f"nothing written inside a {site.container} container outlives it: "
            "--persist belongs where it is launched"
        )
        raise Refused(message, *launch(site.habitat, size))


def refuse_powerless(site: Site | None, shm: Shm, size: int) -> None:
    """In a container that may not mount, only its launcher can help."""
    if within_reach(SYS_ADMIN):
        return
    habitat = site.habitat if site else Habitat.DOCKER
    where = "this container" if site and site.container else "this place"
    message = (
        f"{SHM} has {human(shm.size)}; {where} may not mount (no CAP_SYS_ADMIN), so "
        f"its size is set where it is launched, and {human(size)} take:"
    )
    raise Refused(message, *launch(habitat, size))


def refuse_other_mounts(pid: int | None, wanted: Asked) -> None:
    """Another mount namespace has a /dev/shm of its own, which is not ours to set."""
    if pid is None:
        return
    if not Path(f"/proc/{pid}").exists():
        message = f"there is no process {pid}"
        raise Refused(message)
    try:
        same = Path(f"/proc/{pid}/ns/mnt").samefile("/proc/self/ns/mnt")
    except OSError:
        return  # not ours to look at: its sections will say so
    if not same:
        size = f"{wanted.share:.0%}" if wanted.share else str(wanted.size)
        message = f"process {pid} has a {SHM} of its own, set it from inside:"
        enter = f"sudo nsenter --target {pid} --mount --"
        raise Refused(message, f"{enter} mount -o remount,size={size} {SHM}")


def launch(habitat: Habitat, size: int) -> Iterator[str]:
    """How the launcher sets the size, in this kind of place."""
    whole = -(-size // GiB)
    ways = fitting(
        habitat,
        docker_run("Start the container with it", f"--shm-size={whole}g"),
        compose("Or in compose.yaml", shm_size=f"{whole}gb"),
        kubernetes(
            "Mount a memory volume there",
            {"volumeMounts": [{"name": "shm", "mountPath": SHM}]},
            volumes=[
                {
                    "name": "shm",
                    "emptyDir": {"medium": "Memory", "sizeLimit": f"{whole}Gi"},
                }
            ],
        ),
    )
    for way in ways:
        yield from (way.shell or way.snippet).splitlines()
    if habitat is Habitat.SLURM:
        line = f"mount -o remount,size={whole}G {SHM}"
        yield f"ask the administrators of the nodes for: {line}"
