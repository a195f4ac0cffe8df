"""More descriptors from where the job is launched: containers, pods, batch systems."""

from pipedoctor.facts import Habitat
from pipedoctor.remedy import (
    Lasts,
    Place,
    Remedy,
    compose,
    docker_run,
    kubernetes,
    slurm,
)


def launched(count: int, hard: int, *, possible: bool) -> list[Remedy]:
    """Where the job is launched; `possible`: the hard limit allows it in a pod."""
    pod = kubernetes(
        "Raise it before the program starts: a pod has no field for it",
        {"command": ["sh", "-c", f"ulimit -n {count} && exec python train.py"]},
    )
    node = Remedy(
        title="Ask for a higher LimitNOFILE of the node's container runtime",
        snippet=f"# containerd.service.d/nofile.conf\n[Service]\nLimitNOFILE={hard}",
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Habitat.KUBERNETES,),
        advice=True,
    )
    return [
        docker_run("Start the container with it", f"--ulimit=nofile={count}:{hard}"),
        compose(
            "Say so in compose.yaml", ulimits={"nofile": {"soft": count, "hard": hard}}
        ),
        pod if possible else node,
        slurm("Give the job the limit of the submitting shell", "--propagate=NOFILE"),
        _for_good(count, hard),
    ]


def _for_good(count: int, hard: int) -> Remedy:
    """Each file reaches only its own kind of process, so both are shown."""
    return Remedy(
        title="For good: new logins by limits.d, services by their unit",
        snippet=(
            "# /etc/security/limits.d/90-nofile.conf: logins, no services or containers"
            f"\n* soft nofile {count}\n* hard nofile {hard}\n"
            "# /etc/systemd/system/UNIT.service.d/nofile.conf: this service alone\n"
            f"[Service]\nLimitNOFILE={count}:{hard}"
        ),
        lasts=Lasts.ALWAYS,
        root=True,
        fits=(Habitat.BARE,),
        advice=True,
    )
