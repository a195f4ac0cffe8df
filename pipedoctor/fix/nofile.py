"""`--nofile N`: for a running process, for good; a shell's is its own to change."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.facts import Habitat, Site
from pipedoctor.fix.etc import HARD, Etc, says
from pipedoctor.fix.files import content_of
from pipedoctor.fix.gauge import Gauge, started
from pipedoctor.fix.plan import Plan, Refused, Run, Settled, Step, Write
from pipedoctor.fix.privilege import SYS_RESOURCE, own_line, within_reach
from pipedoctor.remedy import Lasts, docker_run

_UNLIMITED = 1 << 63


def for_process(count: int, pid: int) -> Plan | Settled:
    """Raise the limit of a running process; raises Refused."""
    start = started(pid)
    gauge = Gauge(kind="nofile", key=f"{pid}:{start}")
    value = gauge.read() if start else None
    if value is None:
        message = f"there is no process {pid}"
        raise Refused(message)
    soft, hard = pair(value)
    if soft >= count:
        return Settled(f"process {pid} may already open {spoken(soft)} files")
    _refuse_beyond_kernel(count)
    refuse_powerless(pid, count, hard)
    before, after = f"{spoken(soft)}:{spoken(hard)}", _new(count, hard)
    return Plan(
        subject=gauge.subject,
        before=str(soft),
        after=str(count),
        steps=(
            Run(
                argv=_prlimit(str(pid), after),
                undo=_prlimit(str(pid), before),
                gauge=gauge,
                before=value,
                after=after,
            ),
        ),
        lasts=Lasts.PROCESS.value,
        root=count > hard or not mine(pid),
    )


def for_good(count: int, hard_now: int, site: Site | None) -> Plan | Settled:
    """Raise the limit of all later logins and services; raises Refused."""
    if site and site.container:
        message = (
            f"nothing written inside a {site.container} container outlives it: "
            "the limit belongs where it is launched"
        )
        raise Refused(message, *launch(site.habitat, count))
    ceiling = _refuse_beyond_kernel(count)
    etc = Etc()
    if later := etc.overruled(count):
        message = f"it would not count: {later}; change that file, or remove it"
        raise Refused(message)
    hard = min(max(count, hard_now, HARD), ceiling)
    texts = etc.texts(count, hard)
    if not texts:
        message = f"{etc.root} has neither security/ nor systemd/: nobody reads limits"
        raise Refused(message)
    steps: list[Step] = []
    for path, text in texts.items():
        found = content_of(str(path))
        if not says(found, count):
            step = Write(path=str(path), content=text.encode(), found=found)
            steps.append(step)
    if not steps:
        return Settled(f"new logins and services already get {count} open files")
    return Plan(
        subject="open files of new logins and services",
        before="as the system sets it",
        after=str(count),
        steps=tuple(steps),
        lasts=Lasts.ALWAYS.value,
        remarks=(
            "holds for logins from now on",
            "holds for services after a reboot, or: systemctl daemon-reexec",
        ),
    )


def for_shell(count: int, soft: int, hard: int, site: Site | None) -> Settled:
    """A shell's own limit: at most say how; raises Refused."""
    if soft >= count:
        return Settled(f"this shell may already open {spoken(soft)} files")
    _refuse_beyond_kernel(count)
    message = (
        f"this shell may open {soft} files, and no program that it starts can raise "
        f"that for it; for {count}:"
    )
    raise Refused(message, *_ways(count, hard, site))


def _ways(count: int, hard: int, site: Site | None) -> Iterator[str]:
    """What the user can do instead, what takes effect soonest first."""
    pid = "$$" if count > hard else "PID"
    raised = f"sudo prlimit --pid {pid} --nofile={_new(count, hard)}"
    if count > hard and not within_reach(SYS_RESOURCE):
        if site is None or site.container:
            yield from launch(site.habitat if site else Habitat.DOCKER, count)
        else:
            yield f"ulimit -n {hard}   # the most: nobody here may raise the hard limit"
        return
    if count > hard:
        yield f"{raised}   # this shell's hard limit is {spoken(hard)}, so first"
    yield f"ulimit -n {count}   # in this shell, before the job starts"
    if count <= hard:
        yield f"{raised}   # a job that runs already"
    if site and site.container:
        yield from launch(site.habitat, count)
    else:
        line = own_line("fix", "--nofile", str(count), "--persist")
        yield f"{line}   # for good"


def pair(value: str) -> tuple[int, int]:
    """Soft and hard limit, as /proc writes them; unlimited counts as very many."""
    soft, _, hard = value.partition(":")
    return _number(soft), _number(hard)


def limit(value: int) -> int:
    """A limit as `getrlimit` gives it; unlimited counts as very many."""
    return _UNLIMITED if value == resource.RLIM_INFINITY else value


def _number(text: str) -> int:
    return _UNLIMITED if text == "unlimited" else int(text)


def spoken(limit: int) -> str:
    """A limit, as `prlimit` reads it."""
    return "unlimited" if limit >= _UNLIMITED else str(limit)


def _new(count: int, hard: int) -> str:
    return f"{count}:{spoken(max(count, hard))}"


def _prlimit(pid: str, value: str) -> tuple[str, ...]:
    return ("prlimit", "--pid", pid, f"--nofile={value}")


def mine(pid: int) -> bool:
    """May this user set its limits by prlimit(2): are all its users and groups ours?"""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False
    rows = {line.split()[0]: line.split()[1:4] for line in text.splitlines() if line}
    ours = {"Uid:": os.getuid(), "Gid:": os.getgid()}
    return all(set(rows[row]) == {str(number)} for row, number in ours.items())


def _refuse_beyond_kernel(count: int) -> int:
    """No process gets more than fs.nr_open; a login above it would even fail."""
    ceiling = int(Path("/proc/sys/fs/nr_open").read_text(encoding="utf-8"))
    if count > ceiling:
        message = (
            f"the kernel lets no process open {count} files (fs.nr_open is {ceiling}): "
            f"--nofile {ceiling} would do"
        )
        raise Refused(message)
    return ceiling


def refuse_powerless(pid: int, count: int, hard: int) -> None:
    """In many containers not even root may raise a hard limit."""
    if within_reach(SYS_RESOURCE):
        return
    if not mine(pid):
        message = (
            f"process {pid} belongs to another user, whose limits may not be set here "
            "(no CAP_SYS_RESOURCE)"
        )
        raise Refused(message)
    if count > hard:
        message = (
            f"{count} is above the hard limit of {hard}, which may not be raised here "
            f"(no CAP_SYS_RESOURCE): --nofile {hard} would do, or the launcher's:"
        )
        raise Refused(message, *launch(Habitat.DOCKER, count))


def launch(habitat: Habitat, count: int) -> Iterator[str]:
    """How the launcher sets the limit; Kubernetes has no field for it."""
    if habitat is Habitat.KUBERNETES:
        yield f"command: [sh, -c, 'ulimit -n {count} && exec python train.py']"
        return
    flag = f"--ulimit=nofile={count}:{count}"
    yield docker_run("Start the container with it", flag).shell
