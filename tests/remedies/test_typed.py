"""A remedy is typed into bash as it is printed, and its check is asked again."""

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.check import Finding, Remedy, Severity
from pipedoctor.collect.environment.project_record import project_record
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import (
    Cpu,
    Interpreter,
    Limits,
    Loader,
    ProjectRecord,
    Quota,
    Rlimit,
    Shm,
    Site,
    Threads,
)
from pipedoctor_checks._shared.path_variables import exclude_user_site, unset_pythonpath
from pipedoctor_checks.cpu.cgroup_cpu_quota_ignored import cgroup_cpu_quota_ignored
from pipedoctor_checks.crashes.nccl_wrong_network_interface import nccl_wrong_network_interface
from pipedoctor_checks.environment.environment_not_recorded import environment_not_recorded
from pipedoctor_checks.limits.fd_limit_exhausted import fd_limit_exhausted
from pipedoctor_checks.limits.shm_too_small import shm_too_small
from tests.checks.crashes.diagnosed_log import diagnose_text

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
BARE = Site(system="linux")
JOB = Loader(num_workers=16, batch_bytes=1 << 20)
BIG = Loader(num_workers=8, batch_bytes=20 << 20)


def type_line(
    line: str, then: str = "true", *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> str:
    """What bash says of a line as it stands in a report, and of one after it."""
    words = ["bash", "-ec", f"{line}\n{then}"]
    done = subprocess.run(words, check=False, capture_output=True, text=True, cwd=cwd, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def first_typed(finding: Finding, wanted: str) -> Remedy:
    return next(one for one in finding.remedies if wanted in (one.shell or one.snippet))


def judge_shell(soft: int) -> list[Finding]:
    """What is said of a shell that may open so many files, with this machine's hard limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    known = None if hard == resource.RLIM_INFINITY else hard
    return fd_limit_exhausted(Limits(nofile=Rlimit(soft=soft, hard=known)), JOB, BARE, None)


def test_a_shell_that_may_open_more_files() -> None:
    line = first_typed(judge_shell(64)[0], "ulimit").shell

    soft = type_line(f"ulimit -Sn 64; {line}", "ulimit -Sn")

    assert all(one.severity is Severity.NOTE for one in judge_shell(int(soft)))


def test_a_program_that_raises_its_own_limit() -> None:
    code = first_typed(judge_shell(64)[0], "setrlimit").snippet

    ask = f"{code}\nprint(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    soft = type_line("ulimit -Sn 64", f"{sys.executable} -c '{ask}'")

    assert all(one.severity is Severity.NOTE for one in judge_shell(int(soft)))


def test_threads_and_workers_within_the_quota() -> None:
    quota = Quota(cpus=2.5, source="/sys/fs/cgroup/cpu.max")
    machine = Cpu(logical=64, affinity=64, quota=quota)
    threads = Threads(asked={"OMP_NUM_THREADS": 64})
    (finding,) = cgroup_cpu_quota_ignored(machine, JOB, BARE, threads)

    code = first_typed(finding, "DataLoader").snippet
    line = first_typed(finding, "export").snippet
    asked = type_line(line, "echo $OMP_NUM_THREADS")
    (workers,) = re.findall(r"num_workers=(\d+)", code)

    threads = Threads(asked={"OMP_NUM_THREADS": int(asked)})
    job = Loader(num_workers=int(workers), batch_bytes=1 << 20)
    assert cgroup_cpu_quota_ignored(machine, job, BARE, threads) == []


def test_the_versions_are_written_to_a_file_that_counts(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n")
    place = Interpreter(executable=sys.executable)

    def look() -> ProjectRecord:
        return project_record(Machine(), (str(tmp_path),), lambda _: None)

    (finding,) = environment_not_recorded(look(), place)

    type_line(finding.remedies[0].shell, cwd=tmp_path)

    assert environment_not_recorded(look(), place) == []


def test_the_interface_that_is_named_exists() -> None:
    if not shutil.which("ip") or not subprocess.check_output(["ip", "-o", "-4", "route", "show"]):
        pytest.skip("no network here")
    log = diagnose_text("NCCL WARN Bootstrap : no socket interface found")
    (finding,) = nccl_wrong_network_interface(log, BARE)

    line = first_typed(finding, "NCCL_SOCKET_IFNAME").snippet
    name = type_line(line, "echo $GLOO_SOCKET_IFNAME").strip()

    assert name == "" or Path(f"/sys/class/net/{name}").exists()


needs_namespace = pytest.mark.skipif(
    os.geteuid() != 0
    or subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode
    != 0,
    reason="no namespace of its own for this user",
)


@pytest.mark.root
@needs_namespace
def test_a_shared_memory_that_grows() -> None:
    small = Shm(size=64 << 20, remountable=True)
    (finding,) = shm_too_small(small, BIG, None, BARE)

    line = finding.remedies[0].shell.removeprefix("sudo ")
    inside = f"mount -t tmpfs -o size=64m tmpfs /dev/shm; {line}; stat -fc '%b %S' /dev/shm"
    blocks, unit = subprocess.check_output(["unshare", "--mount", "bash", "-ec", inside]).split()

    after = Shm(size=int(blocks) * int(unit))
    assert shm_too_small(after, BIG, None, BARE) == []


@pytest.mark.parametrize("variable", ["PYTHONPATH", "PYTHONNOUSERSITE"])
def test_a_folder_that_python_no_longer_reads(tmp_path: Path, variable: str) -> None:
    site = tmp_path / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    site.mkdir(parents=True)
    (leak,) = unset_pythonpath() if variable == "PYTHONPATH" else exclude_user_site()
    name, value = ("PYTHONPATH", site) if variable == "PYTHONPATH" else ("PYTHONUSERBASE", tmp_path)
    environ = {**os.environ, name: str(value)}
    environ.pop("PYTHONNOUSERSITE", None)
    base = os.path.realpath(sys.executable)
    ask = f"{base} -c 'import sys; print(sys.path)'"

    assert str(site) in type_line("true", ask, env=environ)
    assert str(site) not in type_line(leak.shell or leak.snippet, ask, env=environ)
