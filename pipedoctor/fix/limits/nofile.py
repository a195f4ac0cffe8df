"""`--nofile N`: for a running process, for good; a shell's is its own to change."""

import os
import re
import resource
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.check import Lasts, docker_run
from pipedoctor.facts import Launcher, Site
from pipedoctor.fix.files.file_content import read_content
from pipedoctor.fix.limits.privilege import (
    CAP_SYS_RESOURCE,
    format_sudo_command,
    has_capability,
)
from pipedoctor.fix.plan.current_value import Gauge, read_start_time
from pipedoctor.fix.plan.plan import (
    CommandStep,
    FixPlan,
    FixRefusedError,
    NoChangeNeeded,
    PlanStep,
    WriteStep,
)

LIMITS_FILE_NAME = "90-pipedoctor.conf"
SYSTEMD_HARD_LIMIT = 524288
"""What systemd allows at most by default: we never lower that."""
FILE_HEADER = "# Written by pipedoctor fix; fix --undo takes it back.\n"

_UNLIMITED = 1 << 63


def plan_process_limit(count: int, pid: int) -> FixPlan | NoChangeNeeded:
    """Raise the limit of a running process; raises Refused."""
    start = read_start_time(pid)
    gauge = Gauge(kind="nofile", key=f"{pid}:{start}")
    value = gauge.read() if start else None
    if value is None:
        message = f"there is no process {pid}"
        raise FixRefusedError(message)
    soft, hard = parse_limits(value)
    if soft >= count:
        return NoChangeNeeded(f"process {pid} may already open {format_limit(soft)} files")
    _refuse_beyond_kernel(count)
    refuse_unprivileged_limit(pid, count, hard)
    before, after = (
        f"{format_limit(soft)}:{format_limit(hard)}",
        _format_new_limits(count, hard),
    )
    return FixPlan(
        subject=gauge.subject,
        before=str(soft),
        after=str(count),
        steps=(
            CommandStep(
                argv=_build_prlimit(str(pid), after),
                undo=_build_prlimit(str(pid), before),
                gauge=gauge,
                before=value,
                after=after,
            ),
        ),
        lasts=Lasts.PROCESS.value,
        root=count > hard or not owns_process(pid),
    )


def plan_login_limit(count: int, hard_now: int, site: Site | None) -> FixPlan | NoChangeNeeded:
    """Raise the limit of all later logins and services; raises Refused."""
    if site and site.container:
        message = (
            f"files written in a {site.container} container are lost when it ends: "
            "set the limit where it is launched"
        )
        raise FixRefusedError(message, *list_limit_options(site.launcher, count))
    ceiling = _refuse_beyond_kernel(count)
    etc = LimitsFiles()
    if later := etc.find_overruling_file(count):
        message = f"it would have no effect: {later}; change or remove that file"
        raise FixRefusedError(message)
    hard = min(max(count, hard_now, SYSTEMD_HARD_LIMIT), ceiling)
    texts = etc.render_texts(count, hard)
    if not texts:
        message = f"{etc.root} has neither security/ nor systemd/: no limits are read from it"
        raise FixRefusedError(message)
    steps: list[PlanStep] = []
    for path, text in texts.items():
        found = read_content(str(path))
        if not has_limit(found, count):
            step = WriteStep(path=str(path), content=text.encode(), found=found)
            steps.append(step)
    if not steps:
        return NoChangeNeeded(f"new logins and services already get {count} open files")
    return FixPlan(
        subject="open files of new logins and services",
        before="system default",
        after=str(count),
        steps=tuple(steps),
        lasts=Lasts.ALWAYS.value,
        remarks=(
            "applies to new logins immediately",
            "applies to services after a reboot, or: systemctl daemon-reexec",
        ),
    )


def plan_shell_limit(count: int, soft: int, hard: int, site: Site | None) -> NoChangeNeeded:
    """A shell's own limit: at most say how; raises Refused."""
    if soft >= count:
        return NoChangeNeeded(f"this shell may already open {format_limit(soft)} files")
    _refuse_beyond_kernel(count)
    message = (
        f"this shell may open {soft} files, and only the shell itself can raise "
        f"its limit; for {count}:"
    )
    raise FixRefusedError(message, *_list_alternatives(count, hard, site))


def _list_alternatives(count: int, hard: int, site: Site | None) -> Iterator[str]:
    """What the user can do instead, what takes effect soonest first."""
    pid = "$$" if count > hard else "PID"
    raised = f"sudo prlimit --pid {pid} --nofile={_format_new_limits(count, hard)}"
    if count > hard and not has_capability(CAP_SYS_RESOURCE):
        if site is None or site.container:
            yield from list_limit_options(site.launcher if site else Launcher.DOCKER, count)
        else:
            yield f"ulimit -n {hard}   # the maximum: the hard limit cannot be raised here"
        return
    if count > hard:
        yield f"{raised}   # first: this shell's hard limit is {format_limit(hard)}"
    yield f"ulimit -n {count}   # in this shell, before the job starts"
    if count <= hard:
        yield f"{raised}   # for a running job"
    if site and site.container:
        yield from list_limit_options(site.launcher, count)
    else:
        line = format_sudo_command("fix", "--nofile", str(count), "--persist")
        yield f"{line}   # permanently"


def parse_limits(value: str) -> tuple[int, int]:
    """Soft and hard limit, as /proc writes them; unlimited counts as very many."""
    soft, _, hard = value.partition(":")
    return _parse_limit(soft), _parse_limit(hard)


def normalise_limit(value: int) -> int:
    """A limit as `getrlimit` gives it; unlimited counts as very many."""
    return _UNLIMITED if value == resource.RLIM_INFINITY else value


def _parse_limit(text: str) -> int:
    return _UNLIMITED if text == "unlimited" else int(text)


def format_limit(limit: int) -> str:
    """A limit, as `prlimit` reads it."""
    return "unlimited" if limit >= _UNLIMITED else str(limit)


def _format_new_limits(count: int, hard: int) -> str:
    return f"{count}:{format_limit(max(count, hard))}"


def _build_prlimit(pid: str, value: str) -> tuple[str, ...]:
    return ("prlimit", "--pid", pid, f"--nofile={value}")


def owns_process(pid: int) -> bool:
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
            f"--nofile {ceiling} would work"
        )
        raise FixRefusedError(message)
    return ceiling


def refuse_unprivileged_limit(pid: int, count: int, hard: int) -> None:
    """In many containers not even root may raise a hard limit."""
    if has_capability(CAP_SYS_RESOURCE):
        return
    if not owns_process(pid):
        message = (
            f"process {pid} belongs to another user: its limits cannot be set here "
            "(no CAP_SYS_RESOURCE)"
        )
        raise FixRefusedError(message)
    if count > hard:
        message = (
            f"{count} is above the hard limit of {hard}, which cannot be raised here "
            f"(no CAP_SYS_RESOURCE): --nofile {hard} would work, or set it in the launcher:"
        )
        raise FixRefusedError(message, *list_limit_options(Launcher.DOCKER, count))


def list_limit_options(launcher: Launcher, count: int) -> Iterator[str]:
    """How the launcher sets the limit; Kubernetes has no field for it."""
    if launcher is Launcher.KUBERNETES:
        yield f"command: [sh, -c, 'ulimit -n {count} && exec python train.py']"
        return
    flag = f"--ulimit=nofile={count}:{count}"
    yield docker_run("Start the container with it", flag).shell


@dataclass(frozen=True, kw_only=True)
class LimitsFiles:
    """Where the limits of logins and of services are written."""

    root: Path = field(default_factory=lambda: Path("/etc"))

    def render_texts(self, soft: int, hard: int) -> dict[Path, str]:
        """Every file that this machine reads, with what it should say."""
        texts: dict[Path, str] = {}
        if (self.root / "security").is_dir():
            lines = (
                f"{who} {kind} nofile {value}\n"
                for who in ("*", "root")
                for kind, value in (("soft", soft), ("hard", hard))
            )
            texts[self.root / "security/limits.d" / LIMITS_FILE_NAME] = FILE_HEADER + "".join(lines)
        if (self.root / "systemd").is_dir():
            text = f"{FILE_HEADER}[Manager]\nDefaultLimitNOFILE={soft}:{hard}\n"
            for manager in ("system", "user"):
                texts[self.root / f"systemd/{manager}.conf.d" / LIMITS_FILE_NAME] = text
        return texts

    def find_overruling_file(self, soft: int) -> str:
        """Which later file takes our limit back; empty when ours counts."""
        for path, pattern in (
            ("security/limits.d", r"(?m)^\s*\*\s+(?:soft|-)\s+nofile\s+(\d+)"),
            ("systemd/system.conf.d", r"(?m)^\s*DefaultLimitNOFILE=(\d+)"),
            ("systemd/user.conf.d", r"(?m)^\s*DefaultLimitNOFILE=(\d+)"),
        ):
            later = sorted(f for f in (self.root / path).glob("*.conf"))
            for file in (f for f in later if f.name > LIMITS_FILE_NAME):
                text = (read_content(str(file)) or b"").decode("latin-1")
                found = re.findall(pattern, text)
                if found and int(found[-1]) < soft:
                    return f"{file} is read later and sets {found[-1]}"
        return ""


def has_limit(content: bytes | None, count: int) -> bool:
    """Does our file give at least this soft limit already?"""
    text = (content or b"").decode("latin-1")
    limits = re.findall(r"(?:\* soft nofile |DefaultLimitNOFILE=)(\d+)", text)
    return bool(limits) and int(limits[-1]) >= count
