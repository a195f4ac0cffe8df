"""PDR962: another process already listens on the rendezvous port."""

import re
from collections.abc import Collection, Iterator, Mapping

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
_MAX_PORT, _USUAL_PORT = 65535, 29500
_FIRST_OF_USERS = 1024
"""Only root listens on a port below it."""
_SEVERAL_NODES = re.compile(r"--(?:nnodes[= ](?!1\b)|node[-_]rank|master[-_]addr|rdzv[-_]endpoint)")

_OWN_PORT = re.compile(r"--(?:main[-_]process|master)[-_]port(?:=| +)\S+ *")


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
    names = log.names if log is not None else {}
    seen = log.find_ids("master_port_in_use") if log is not None else frozenset[str]()
    free = _find_free_port(ports, port)
    own = tuple(_choose_port_of_launcher(free, names, seen))
    known = _REMEDIES[2:] if own else _REMEDIES[1:] if "torchrun" in names else _REMEDIES
    chosen = own or (_choose_free_port(free, names) if port == ports.master else ())
    remedies = (*chosen, *known)
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


def _choose_port_of_launcher(
    free: int | None, names: Mapping[str, str], seen: Collection[str]
) -> Iterator[Remedy]:
    """Where it passes its own port on, whatever MASTER_PORT says."""
    title = "Let accelerate choose a free port"
    if "accelerate" in names:
        start, _, rest = names["accelerate"].partition("accelerate launch ")
        words = f"accelerate launch --main_process_port 0 {_OWN_PORT.sub('', rest)}"
        yield advise_launch(title, snippet=f"{start}{words}")
    elif "accelerate" in seen:  # in its own words
        argv = ("accelerate", "launch", "--main_process_port", "0", "train.py")
        yield advise_launch(title, argv=argv)
    elif names.get("trainer", "").partition(" ")[0].endswith("deepspeed") and free:
        start, _, rest = names["trainer"].partition(" ")
        words = f"{start} --master_port {free} {_OWN_PORT.sub('', rest)}"
        yield advise_launch(f"Use port {free}, which is free here", snippet=words)
    elif _SEVERAL_NODES.search(names.get("torchrun", "")) and free:
        yield advise_launch(
            f"Use port {free}, which is free here, in the command of every node",
            argv=("torchrun", f"--master-port={free}", "train.py"),
            fits=(Launcher.BARE, Launcher.DOCKER, Launcher.SLURM),
        )


def _find_free_port(ports: Ports, port: int) -> int | None:
    taken = {one.port for one in ports.listening}
    start = port + 1 if port >= _FIRST_OF_USERS else _USUAL_PORT
    return next((n for n in range(start, _MAX_PORT + 1) if n not in taken), None)


def _choose_free_port(free: int | None, names: Mapping[str, str]) -> Iterator[Remedy]:
    """Name another port, the same on all nodes; torchrun does not read the variable."""
    if free is None or "torchrun" in names:
        return
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
