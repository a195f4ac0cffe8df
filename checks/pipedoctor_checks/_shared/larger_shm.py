"""Remedies for a /dev/shm that is too small, by place."""

from pipedoctor.check import (
    Lasts,
    Place,
    Remedy,
    compose,
    docker_run,
    in_code,
    kubernetes,
    select_remedies,
)
from pipedoctor.facts import Launcher, Shm, Site
from pipedoctor.units import GiB, KiB, MiB, format_size
from pipedoctor_checks._shared.advice import advise_launch, advise_user


def enlarge_shm(shm: Shm, site: Site | None, size: int) -> tuple[Remedy, ...]:
    """Enlarge it to `size` bytes: on this machine if possible, else at launch."""
    whole = -(-size // GiB)
    engine = "podman" if site and site.container == "podman" else "docker"
    remedies = [
        *((_keep_in_fstab(size),) if shm.here else ()),
        docker_run(
            "Start the container with a larger /dev/shm",
            f"--shm-size={whole}g",
            engine=engine,
        ),
        compose("Set shm_size in compose.yaml", shm_size=f"{whole}gb"),
        docker_run(
            "Alternatively share the host's /dev/shm with the container",
            "--ipc=host",
            engine=engine,
        ),
        kubernetes(
            "Mount a memory volume at /dev/shm (it counts toward the memory limit)",
            {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]},
            volumes=[
                {
                    "name": "shm",
                    "emptyDir": {"medium": "Memory", "sizeLimit": f"{whole}Gi"},
                }
            ],
        ),
        _request_from_node(site),
    ]
    live = (_resize_shm(shm, size),) if shm.remountable else ()
    return live + select_remedies(site.launcher if site else None, *remedies)


def shrink_job(title: str, argument: str) -> Remedy:
    """Arguments that fit, and how to make batches smaller without changing the data."""
    snippet = f"DataLoader(..., {argument})  # and keep images uint8 until the GPU"
    return in_code(title, snippet)


def remount_writable(shm: Shm, size: int = 0) -> Remedy:
    """Undo a read-only mount; `size`: and enlarge it, because it would be too small."""
    more, back = "", ""
    title = "Make /dev/shm writable again"
    if size > shm.size:
        title += f", and increase it to {format_size(size)}"
        more, back = (f",size={_format_mount_size(one)}" for one in (size, shm.size))
    return Remedy(
        title=title,
        argv=("mount", "-o", f"remount,rw{more}", "/dev/shm"),
        undo=("mount", "-o", f"remount,ro{back}", "/dev/shm"),
        verify=("findmnt", "/dev/shm"),
        lasts=Lasts.BOOT,
        root=True,
    )


def mount_tmpfs(site: Site | None) -> tuple[Remedy, ...]:
    """Mount a tmpfs if there is none; advice only, because it hides existing files."""
    mount = Remedy(
        title="Mount a tmpfs while no job runs (it hides existing files in that directory)",
        argv=("mount", "-t", "tmpfs", "-o", "nosuid,nodev", "tmpfs", "/dev/shm"),
        lasts=Lasts.BOOT,
        root=True,
        advice=True,
        fits=(Launcher.BARE,),
    )
    return select_remedies(site.launcher if site else None, mount)


def _resize_shm(shm: Shm, size: int) -> Remedy:
    def resize(size: int) -> tuple[str, ...]:
        return ("mount", "-o", f"remount,size={_format_mount_size(size)}", "/dev/shm")

    return Remedy(
        title=f"Increase /dev/shm to {format_size(size)}",
        argv=resize(size),
        undo=resize(shm.size),
        verify=("df", "-h", "/dev/shm"),
        lasts=Lasts.BOOT,
        root=True,
    )


def _format_mount_size(size: int) -> str:
    """Bytes as people type them after ``size=``: ``600m``, ``2g``."""
    units = ((GiB, "g"), (MiB, "m"), (KiB, "k"), (1, ""))
    unit, letter = next((unit, letter) for unit, letter in units if size % unit == 0)
    return f"{size // unit}{letter}"


def _keep_in_fstab(size: int) -> Remedy:
    return advise_user(
        "Keep the size after a reboot: add this line to /etc/fstab",
        snippet=f"tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size={_format_mount_size(size)} 0 0",
        fits=(Launcher.BARE,),
        root=True,
    )


def _request_from_node(site: Site | None) -> Remedy:
    if site and site.container == "apptainer":
        return Remedy(
            title="Bind-mount the node's /dev/shm into the container",
            argv=("apptainer", "exec", "--bind", "/dev/shm", "IMAGE.sif", "COMMAND"),
            lasts=Lasts.ALWAYS,
            place=Place.LAUNCHER,
            fits=(Launcher.SLURM,),
        )
    return advise_launch(
        "Ask the cluster administrators: /dev/shm belongs to the node", fits=(Launcher.SLURM,)
    )
