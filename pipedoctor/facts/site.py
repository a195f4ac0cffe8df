"""The kind of place the job runs in: machine, container, scheduler, notebook."""

import enum
from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Launcher(enum.Enum):
    """What launches the job, as far as remedies differ by it."""

    BARE = "nothing but a shell: bare metal, a virtual machine, an LXC or nspawn container"
    DOCKER = "a Docker or Podman container"
    KUBERNETES = "a Kubernetes pod"
    SLURM = "a Slurm job"
    HOSTED = "a hosted notebook, whose container cannot be launched again from here"
    UNKNOWN = "not known"


class Slurm(Part, frozen=True, kw_only=True):
    """The Slurm job around this process, from its environment."""

    job_id: str
    cpus_per_task: int | None = None
    cpus_on_node: int | None = None
    tasks_per_node: int | None = None


class Site(Fact, frozen=True, kw_only=True):
    """
    Where we are, and the evidence for it.

    `container` is ``docker``, ``podman``, ``containerd``, ``kubernetes``,
    ``apptainer``, ``lxc``, ``nspawn``, ``other`` or empty; `notebook` is
    ``jupyter``, ``colab``, ``kaggle`` or empty; `virtual` names the hypervisor.
    """

    section: ClassVar[str] = "site"

    system: str
    """``linux``, ``darwin`` or ``windows``."""
    release: str = ""
    distribution: str = ""
    machine: str = ""
    container: str = ""
    slurm: Slurm | None = None
    virtual: str = ""
    wsl: bool = False
    notebook: str = ""
    root: bool = False
    """Is the effective user root (of its user namespace)?"""
    sys_admin: bool = False
    """CAP_SYS_ADMIN in the initial user namespace: may it mount?"""
    sys_resource: bool = False
    """CAP_SYS_RESOURCE: may it raise hard limits?"""
    initial_pid_namespace: bool = False
    systemd: bool = False
    evidence: tuple[str, ...] = ()
    place_known: bool = True
    """Could the source tell a container from bare metal? A pasted text cannot."""

    @property
    def launcher(self) -> Launcher:
        """What launches the job, as far as remedies differ by it."""
        if self.notebook in {"colab", "kaggle"}:
            return Launcher.HOSTED
        if self.container == "kubernetes":
            return Launcher.KUBERNETES
        if self.slurm is not None or self.container == "apptainer":
            return Launcher.SLURM
        if not self.container and not self.place_known:
            return Launcher.UNKNOWN
        own = self.container in {"", "lxc", "nspawn"}
        return Launcher.BARE if own else Launcher.DOCKER

    @property
    def tasks_on_node(self) -> int:
        """Slurm's tasks on this node, each bound to CPUs of its own; 1 without it."""
        return (self.slurm.tasks_per_node if self.slurm else None) or 1

    @property
    def description(self) -> str:
        """Say it in words: ``Docker container in a Slurm job``."""
        parts = [f"{self.container} container" if self.container else "bare metal"]
        if not self.container and self.virtual:
            which = f" ({self.virtual})" if self.virtual != "unknown" else ""
            parts = [f"virtual machine{which}"]
        if not self.container and not self.place_known:
            parts = ["machine of a ticket"]
        if self.wsl:
            parts = [*parts, "WSL"] if self.container else ["WSL"]
        if self.slurm is not None:
            parts.append(f"Slurm job {self.slurm.job_id}")
        if self.notebook:
            parts.append(f"{self.notebook} notebook")
        return ", ".join(parts)
