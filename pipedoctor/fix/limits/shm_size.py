"""`--shm SIZE`: the size that was asked for, what speaks against it, the plan."""

from collections.abc import Iterator
from pathlib import Path

from pipedoctor.check import (
    Lasts,
    compose,
    docker_run,
    kubernetes,
    select_remedies,
)
from pipedoctor.facts import Facts, Launcher, Shm, Site
from pipedoctor.fix.files.file_content import read_content
from pipedoctor.fix.limits import persist
from pipedoctor.fix.limits.privilege import CAP_SYS_ADMIN, has_capability
from pipedoctor.fix.limits.size_argument import SizeArgument, refuse_size
from pipedoctor.fix.plan.current_value import SHM_PATH, Gauge
from pipedoctor.fix.plan.plan import (
    CommandStep,
    FixPlan,
    FixRefusedError,
    NoChangeNeeded,
    PlanStep,
    WriteStep,
)
from pipedoctor.units import GiB, format_size

SECTIONS = ("site", "shm", "memory")


def plan_size(facts: Facts, size: int, *, lasting: bool, force: bool) -> FixPlan | NoChangeNeeded:
    """What it takes to give /dev/shm this size; raises Refused."""
    shm = facts.get(Shm)
    if shm is None:
        message = f"{SHM_PATH} could not be examined: {facts.get_unknown_reason(Shm)}"
        raise FixRefusedError(message)
    _refuse_unsuitable_mount(shm, facts.get(Site), size, lasting=lasting)
    refuse_size(facts, size, force=force)
    steps: list[PlanStep] = []
    if shm.size != size:
        steps.append(build_remount(shm.size, size))
    if lasting:
        found = read_content(persist.FSTAB)
        if persist.read_fstab_size(found) != str(size).encode():
            text = persist.edit_fstab(found, size)
            steps.append(WriteStep(path=persist.FSTAB, content=text, found=found))
    if not steps:
        good = ", also after a reboot" if lasting else ""
        return NoChangeNeeded(f"{SHM_PATH} already has {format_size(size)}{good}")
    if shm.size != size:
        refuse_unprivileged_mount(facts.get(Site), shm, size)
    return FixPlan(
        subject=SHM_PATH,
        before=format_size(shm.size) if shm.size else "unlimited",
        after=format_size(size),
        steps=tuple(steps),
        lasts=(Lasts.ALWAYS if lasting else Lasts.BOOT).value,
    )


def build_remount(before: int, after: int) -> CommandStep:
    """The command that resizes /dev/shm in place, and back."""

    def argv(size: int) -> tuple[str, ...]:
        return ("mount", "-o", f"remount,size={size}", SHM_PATH)

    return CommandStep(
        argv=argv(after),
        undo=argv(before),
        gauge=Gauge(kind="shm"),
        before=str(before),
        after=str(after),
    )


def _refuse_unsuitable_mount(shm: Shm, site: Site | None, size: int, *, lasting: bool) -> None:
    if not shm.mounted:
        message = f"{SHM_PATH} is not a separate mount, so its size cannot be set"
        raise FixRefusedError(message, f"mount -t tmpfs -o nosuid,nodev,size=5G tmpfs {SHM_PATH}")
    if not shm.fstype:
        message = f"the type of {SHM_PATH} cannot be read here, so its size is not changed"
        raise FixRefusedError(message)
    if shm.fstype != "tmpfs":
        message = f"{SHM_PATH} is {shm.fstype}, not a tmpfs: its size cannot be changed"
        raise FixRefusedError(message)
    if lasting and site is not None and site.container:
        message = (
            f"files written in a {site.container} container are lost when it ends: "
            "set the size where it is launched instead of --persist"
        )
        raise FixRefusedError(message, *list_size_options(site.launcher, size))


def refuse_unprivileged_mount(site: Site | None, shm: Shm, size: int) -> None:
    """In a container that may not mount, only its launcher can help."""
    if has_capability(CAP_SYS_ADMIN):
        return
    launcher = site.launcher if site else Launcher.DOCKER
    where = "this container" if site and site.container else "this environment"
    message = (
        f"{SHM_PATH} has {format_size(shm.size)}; {where} may not mount (no CAP_SYS_ADMIN), so "
        f"set its size where it is launched; for {format_size(size)}:"
    )
    raise FixRefusedError(message, *list_size_options(launcher, size))


def refuse_other_mounts(pid: int | None, size_argument: SizeArgument) -> None:
    """Another mount namespace has a /dev/shm of its own, which is not ours to set."""
    if pid is None:
        return
    if not Path(f"/proc/{pid}").exists():
        message = f"there is no process {pid}"
        raise FixRefusedError(message)
    try:
        same = Path(f"/proc/{pid}/ns/mnt").samefile("/proc/self/ns/mnt")
    except OSError:
        return  # not ours to look at: its sections will say so
    if not same:
        size = f"{size_argument.share:.0%}" if size_argument.share else str(size_argument.size)
        message = f"process {pid} has its own {SHM_PATH}; set it from inside:"
        enter = f"sudo nsenter --target {pid} --mount --"
        raise FixRefusedError(message, f"{enter} mount -o remount,size={size} {SHM_PATH}")


def list_size_options(launcher: Launcher, size: int) -> Iterator[str]:
    """How the launcher sets the size, in this kind of place."""
    whole = -(-size // GiB)
    ways = select_remedies(
        launcher,
        docker_run("Start the container with this size", f"--shm-size={whole}g"),
        compose("Or in compose.yaml", shm_size=f"{whole}gb"),
        kubernetes(
            "Mount a memory volume",
            {"volumeMounts": [{"name": "shm", "mountPath": SHM_PATH}]},
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
    if launcher is Launcher.SLURM:
        line = f"mount -o remount,size={whole}G {SHM_PATH}"
        yield f"ask the cluster administrators to run: {line}"
