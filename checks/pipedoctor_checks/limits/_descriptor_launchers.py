"""More descriptors from where the job is launched: containers, pods, batch systems."""

from pipedoctor.check import Remedy, compose, docker_run, kubernetes, slurm
from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch, advise_user


def raise_in_launchers(count: int, hard: int, *, possible: bool) -> list[Remedy]:
    """Where the job is launched; `possible`: the hard limit allows it in a pod."""
    pod = kubernetes(
        "Raise the limit before the program starts: a pod has no field for it",
        {"command": ["sh", "-c", f"ulimit -n {count} && exec python train.py"]},
    )
    node = advise_launch(
        "Ask for a higher LimitNOFILE of the node's container runtime",
        snippet=f"# containerd.service.d/nofile.conf\n[Service]\nLimitNOFILE={hard}",
        fits=(Launcher.KUBERNETES,),
    )
    return [
        docker_run("Start the container with a higher limit", f"--ulimit=nofile={count}:{hard}"),
        compose("Set ulimits in compose.yaml", ulimits={"nofile": {"soft": count, "hard": hard}}),
        pod if possible else node,
        slurm("Propagate the limit of the submitting shell to the job", "--propagate=NOFILE"),
        _raise_permanently(count, hard),
    ]


def _raise_permanently(count: int, hard: int) -> Remedy:
    """Each file applies to one kind of process only, so both are shown."""
    return advise_user(
        "Raise it permanently: limits.d for new logins, the unit file for services",
        snippet=(
            "# /etc/security/limits.d/90-nofile.conf: logins, not services or containers\n*"
            f" soft nofile {count}\n* hard nofile {hard}\n#"
            " /etc/systemd/system/UNIT.service.d/nofile.conf: this service"
            f" only\n[Service]\nLimitNOFILE={count}:{hard}"
        ),
        fits=(Launcher.BARE,),
        root=True,
    )
