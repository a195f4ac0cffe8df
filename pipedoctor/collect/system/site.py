"""Tell where we are: machine, container, scheduler, notebook, and our rights there."""

import os
import re
import shlex
from collections.abc import Mapping

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.system.container import find_marks
from pipedoctor.collect.system.hypervisor import hypervisor
from pipedoctor.collect.system.namespaces import is_in_initial, read_privileges
from pipedoctor.facts import Site, Slurm
from pipedoctor.runtime.lanes import Announce
from pipedoctor.units import parse_count

_NOTEBOOK_VARIABLES = {
    "COLAB_RELEASE_TAG": "colab",
    "COLAB_BACKEND_VERSION": "colab",
    "COLAB_GPU": "colab",
    "KAGGLE_KERNEL_RUN_TYPE": "kaggle",
    "KAGGLE_URL_BASE": "kaggle",
    "JPY_PARENT_PID": "jupyter",
}
_PRETTY_NAME = re.compile(r"^PRETTY_NAME=(.*)$", re.MULTILINE)


def site(machine: Machine, announce: Announce) -> Site:
    """Gather every marker of the place that can be read; nothing here is required."""
    announce("/proc, /sys and /etc")
    notebook, witness = _detect_notebook(machine.environ)
    if not machine.system.startswith("linux"):
        return _read_without_proc(machine, notebook, witness)
    found = find_marks(machine)
    virtual, given_away = hypervisor(machine)
    release = read_or_default(machine.proc / "sys/kernel/osrelease").strip()
    rights = read_privileges(machine)
    slurm = _read_slurm(machine.environ)
    evidence = [mark.evidence for mark in found]
    evidence += [given_away, witness, "SLURM_JOB_ID" if slurm else ""]
    return Site(
        system="linux",
        release=release,
        distribution=_read_distribution(machine),
        machine=_get_architecture(),
        container=found[0].kind if found else "",
        slurm=slurm,
        virtual=virtual,
        wsl="microsoft" in release.lower() and "azure" not in release,
        notebook=notebook,
        root=rights.root,
        sys_admin=rights.sys_admin,
        sys_resource=rights.sys_resource,
        initial_pid_namespace=is_in_initial(machine, "pid"),
        systemd=os.path.isdir(machine.map_path("/run/systemd/system")),  # noqa: PTH112  (says no where stat is refused)
        evidence=tuple(filter(None, evidence)),
    )


def _read_without_proc(machine: Machine, notebook: str, witness: str) -> Site:
    import platform  # noqa: PLC0415  (costs as much as all else here; not on Linux)

    system = "windows" if machine.system == "win32" else machine.system
    name = platform.mac_ver()[0] if system == "darwin" else platform.version()
    return Site(
        system=system,
        release=platform.release(),
        distribution=f"{system} {name}".strip(),
        machine=platform.machine(),
        notebook=notebook,
        root=hasattr(os, "geteuid") and os.geteuid() == 0,
        evidence=tuple(filter(None, (witness,))),
    )


def _get_architecture() -> str:
    return os.uname().machine if hasattr(os, "uname") else ""


def _read_distribution(machine: Machine) -> str:
    """
    The name in os-release; `distro` knows older ways of saying it.

    It is asked last, for its import alone costs more than all of this module.
    """
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        match = _PRETTY_NAME.search(read_or_default(machine.map_path(path)))
        if match:
            return _unquote(match[1])
    import distro  # noqa: PLC0415  (see above)

    old = distro.LinuxDistribution(
        include_lsb=False, include_uname=False, root_dir=str(machine.map_path("/"))
    )
    return old.name(pretty=True)


def _unquote(value: str) -> str:
    try:
        return " ".join(shlex.split(value))
    except ValueError:
        return value


def _detect_notebook(environ: Mapping[str, str]) -> tuple[str, str]:
    found = ((kind, name) for name, kind in _NOTEBOOK_VARIABLES.items() if environ.get(name))
    return next(found, ("", ""))


def _read_slurm(environ: Mapping[str, str]) -> Slurm | None:
    job = environ.get("SLURM_JOB_ID", "")
    if not job:
        return None
    return Slurm(
        job_id=job,
        cpus_per_task=parse_count(environ.get("SLURM_CPUS_PER_TASK", "")),
        cpus_on_node=parse_count(environ.get("SLURM_CPUS_ON_NODE", "")),
        tasks_per_node=parse_count(environ.get("SLURM_NTASKS_PER_NODE", "")),
    )
