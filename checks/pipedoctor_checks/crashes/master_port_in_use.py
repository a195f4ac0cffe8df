"""PDR962: another process already listens on the rendezvous port."""

import re
from collections.abc import Iterator

from pipedoctor.check import (
    Finding,
    Findings,
    Lasts,
    NotApplicable,
    Place,
    Remedy,
    Severity,
    check,
    docker_run,
    select_remedies,
)
from pipedoctor.facts import Launcher, Listener, Ports, Site
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_launch, advise_user

_REMEDIES = (
    advise_launch(
        "Derive the port from the job ID",
        snippet="export MASTER_PORT=$((10000 + SLURM_JOB_ID % 50000))",
        fits=(Launcher.SLURM,),
    ),
    advise_launch(
        "Let torchrun choose a free port",
        argv=("torchrun", "--standalone", "--nproc-per-node=gpu", "train.py"),
        fits=(Launcher.BARE, Launcher.DOCKER, Launcher.SLURM),
    ),
    advise_user(
        "Find the process that uses it, and end your own stale run",
        argv=("ss", "-ltnp"),
        fits=(Launcher.BARE,),
    ),
    advise_launch(
        "Give every job its own port",
        argv=("kubectl", "set", "env", "deployment/TRAIN", "MASTER_PORT=29501"),
        fits=(Launcher.KUBERNETES,),
    ),
)
_MAX_PORT = 65535
_SEVERAL_NODES = re.compile(r"--(?:nnodes[= ](?!1\b)|node[-_]rank|master[-_]addr|rdzv[-_]endpoint)")


@check("PDR962", "The rendezvous port is already in use")
def master_port_in_use(ports: Ports, log: Log | None, site: Site | None, /) -> Findings:
    """
    Find a launch whose port is used by another process.

    ## Why it hurts

    Another run on the machine, or a rank left behind by a crash, uses the port: the
    first rank of a new run cannot listen on it, and the run ends immediately.

    ## How it is judged

    A process listens on the port, on any address: the port named in the log of the
    failed launch, else that of `MASTER_PORT`. UDP ports, and ports of another network
    namespace, do not conflict. Inside a running job nothing is judged, because its own
    first rank listens there.

    ## Sources

    - https://docs.pytorch.org/docs/stable/elastic/run.html
    - https://github.com/open-mmlab/mmpretrain/issues/960
    - https://man7.org/linux/man-pages/man5/proc_pid_net.5.html
    """
    port = _find_port(ports, log)
    if port is None:
        message = "neither the log nor MASTER_PORT names a port"
        raise NotApplicable(message)
    holder = ports.find_listener(port)
    if holder is None:
        return
    several = log is not None and _SEVERAL_NODES.search(log.names.get("torchrun", ""))
    known = _REMEDIES[2:] if several else _REMEDIES
    remedies = (*_let_accelerate_choose(log), *_choose_free_port(ports, port, log), *known)
    yield Finding(
        severity=Severity.RISKS,
        summary=f"Port {port} is already in use: {_describe_holder(holder)} listens on it",
        evidence={"port": port, "pid": holder.pid, "command": holder.command},
        remedies=select_remedies(site.launcher if site else None, *remedies),
    )


def _find_port(ports: Ports, log: Log | None) -> int | None:
    """The port that failed, else the one that was requested."""
    cause = "master_port_in_use"
    named = [log.find_value(cause, name) for name in ("port", "asked")] if log else []
    read = (int(text) for text in named if text.isascii() and text.isdecimal())
    return next((port for port in read if 0 < port <= _MAX_PORT), ports.master)


def _let_accelerate_choose(log: Log | None) -> tuple[Remedy, ...]:
    """It passes its own port on, whatever MASTER_PORT says."""
    causes = log.find_seen("master_port_in_use") if log else ()
    if log is None or not any(one.signature.endswith("accelerate") for one in causes):
        return ()
    start, _, rest = log.names.get("accelerate", "").partition("accelerate launch ")
    words = f"accelerate launch --main_process_port 0 {rest or 'train.py'}"
    return (advise_launch("Let accelerate choose a free port", snippet=f"{start}{words}"),)


def _choose_free_port(ports: Ports, port: int, log: Log | None) -> Iterator[Remedy]:
    """Name another port, the same on all nodes, where the launch took this one."""
    taken = {one.port for one in ports.listening}
    free = next((n for n in range(port + 1, _MAX_PORT + 1) if n not in taken), None)
    if free is None:
        return
    if log is not None and "torchrun" in log.names:  # it does not read MASTER_PORT
        if _SEVERAL_NODES.search(log.names["torchrun"]):
            yield advise_launch(
                f"Use port {free}, which is free here, in the command of every node",
                argv=("torchrun", f"--master-port={free}", "train.py"),
                fits=(Launcher.BARE, Launcher.DOCKER, Launcher.SLURM),
            )
    elif port == ports.master:
        title = f"Use port {free}, which is free here (the same on every node of the job)"
        yield docker_run(title, "-e", f"MASTER_PORT={free}")
        yield Remedy(
            title=title,
            snippet=f"export MASTER_PORT={free}",
            fits=(Launcher.BARE,),
            place=Place.LAUNCHER,
            lasts=Lasts.PROCESS,
            advice=True,
        )


def _describe_holder(holder: Listener) -> str:
    if holder.pid is None:
        return "a process that is not visible from here"
    return f"{holder.command or 'a process'} (PID {holder.pid})"
