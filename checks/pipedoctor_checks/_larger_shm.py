"""The ways to a larger /dev/shm, or to a job that needs less of it, by place."""

from pipedoctor.facts import Habitat, Shm, Site
from pipedoctor.remedy import (
    Lasts,
    Place,
    Remedy,
    compose,
    docker_run,
    fitting,
    in_code,
    kubernetes,
)
from pipedoctor.units import GiB, human


def larger(shm: Shm, site: Site | None, size: int) -> tuple[Remedy, ...]:
    """Grow it to `size` bytes: from here where that is possible, else by the launch."""
    whole = -(-size // GiB)
    engine = "podman" if site and site.container == "podman" else "docker"
    remedies = [
        *((_keep(whole),) if shm.here else ()),
        docker_run(
            "Start the container with a larger /dev/shm",
            f"--shm-size={whole}g",
            engine=engine,
        ),
        compose("Say so in compose.yaml", shm_size=f"{whole}gb"),
        docker_run(
            "Or let the container use the host's /dev/shm", "--ipc=host", engine=engine
        ),
        kubernetes(
            "Mount a memory volume at /dev/shm; it counts against the memory limit",
            {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]},
            volumes=[
                {
                    "name": "shm",
                    "emptyDir": {"medium": "Memory", "sizeLimit": f"{whole}Gi"},
                }
            ],
        ),
        _from_the_node(site),
    ]
    live = (_remount(shm, size),) if shm.remountable else ()
    return live + fitting(site.habitat if site else None, *remedies)


def smaller_job(title: str, argument: str = "prefetch_factor=1") -> Remedy:
    """Arguments that fit, and what makes batches smaller without changing the data."""
    snippet = f"DataLoader(..., {argument})  # and keep images uint8 until the GPU"
    return in_code(title, snippet)


def writable() -> Remedy:
    """Take back a read-only mount."""
    return Remedy(
        title="Make /dev/shm writable again",
        argv=("mount", "-o", "remount,rw", "/dev/shm"),
        undo=("mount", "-o", "remount,ro", "/dev/shm"),
        verify=("findmnt", "/dev/shm"),
        lasts=Lasts.BOOT,
        root=True,
    )


def mounted_anew(site: Site | None) -> tuple[Remedy, ...]:
    """Put a tmpfs where none is; it hides what lies there, so a human decides."""
    mount = Remedy(
        title="Mount a tmpfs there while no job runs: it hides what lies there",
        argv=("mount", "-t", "tmpfs", "-o", "nosuid,nodev", "tmpfs", "/dev/shm"),
        lasts=Lasts.BOOT,
        root=True,
        advice=True,
        fits=(Habitat.BARE,),
    )
    return fitting(site.habitat if site else None, mount)


def _remount(shm: Shm, size: int) -> Remedy:
    def resize(size: int) -> tuple[str, ...]:
        return ("mount", "-o", f"remount,size={size}", "/dev/shm")

    return Remedy(
        title=f"Grow /dev/shm to {human(size)}",
        argv=resize(size),
        undo=resize(shm.size),
        verify=("df", "-h", "/dev/shm"),
        lasts=Lasts.BOOT,
        root=True,
    )


def _keep(whole: int) -> Remedy:
    return Remedy(
        title="Keep it after a reboot: this line in /etc/fstab",
        snippet=f"tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size={whole}g 0 0",
        lasts=Lasts.ALWAYS,
        root=True,
        advice=True,
        fits=(Habitat.BARE,),
    )


def _from_the_node(site: Site | None) -> Remedy:
    if site and site.container == "apptainer":
        return Remedy(
            title="Bind the node's /dev/shm into the container",
            argv=("apptainer", "exec", "--bind", "/dev/shm", "IMAGE.sif", "COMMAND"),
            lasts=Lasts.ALWAYS,
            place=Place.LAUNCHER,
            fits=(Habitat.SLURM,),
        )
    return Remedy(
        title="Ask the cluster's administrators: /dev/shm belongs to the node",
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        advice=True,
        fits=(Habitat.SLURM,),
    )
