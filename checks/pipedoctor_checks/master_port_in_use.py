"""PDR962: another process already listens on the rendezvous port."""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Habitat, Listener, Ports, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place, fitting
from pipedoctor_checks._told import advise

_REMEDIES = (
    advise(
        "Let torchrun choose a free port",
        argv=("torchrun", "--standalone", "--nproc-per-node=gpu", "train.py"),
        fits=(
            Habitat.BARE,
            Habitat.DOCKER,
            Habitat.SLURM,
        ),
    ),
    advise(
        "Find who holds it, and end your own stale run",
        argv=("ss", "-ltnp"),
        fits=(Habitat.BARE,),
        place=Place.HERE,
    ),
    advise("Give every job a port of its own", fits=(Habitat.KUBERNETES,)),
    advise(
        "Derive the port from the job",
        snippet="export MASTER_PORT=$((10000 + SLURM_JOB_ID % 50000))",
        fits=(Habitat.SLURM,),
    ),
)
_LAST = 65535


@check("PDR962", "The port of the rendezvous is taken")
def master_port_in_use(ports: Ports, log: Log | None, site: Site | None, /) -> Findings:
    """
    Find a launch whose port somebody else uses.

    ## Why it hurts

    Another run on the machine, or a rank that a crash left behind, holds the port:
    the first rank of a new run cannot listen on it, and the run ends at once.

    ## How it is judged

    Some process listens on the port, whatever its address: the one that the log of
    the failed launch names, else that of `MASTER_PORT`. Ports of UDP, and those of
    another network namespace, are no obstacle. Inside of a running job nothing is
    judged: there its own first rank listens.

    ## Sources

    - https://docs.pytorch.org/docs/stable/elastic/run.html
    - https://github.com/open-mmlab/mmpretrain/issues/960
    - https://man7.org/linux/man-pages/man5/proc_pid_net.5.html
    """
    port = _port(ports, log)
    if port is None:
        message = "neither the log nor MASTER_PORT names a port"
        raise CannotJudge(message)
    holder = ports.holder(port)
    if holder is None:
        return
    yield Finding(
        severity=Severity.RISKS,
        summary=f"Port {port} is taken: {_who(holder)} listens on it",
        evidence={"port": port, "pid": holder.pid, "command": holder.command},
        remedies=fitting(site.habitat if site else None, *_REMEDIES),
    )


def _port(ports: Ports, log: Log | None) -> int | None:
    """The port that failed, else the one that was asked for."""
    cause = "master_port_in_use"
    named = [log.value(cause, name) for name in ("port", "asked")] if log else []
    read = (int(text) for text in named if text.isascii() and text.isdecimal())
    return next((port for port in read if 0 < port <= _LAST), ports.master)


def _who(holder: Listener) -> str:
    if holder.pid is None:
        return "a process that cannot be seen from here"
    return f"{holder.command or 'a process'} (PID {holder.pid})"
