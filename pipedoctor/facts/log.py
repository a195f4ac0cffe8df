"""What an error log shows: signatures that were seen, exceptions that were raised."""

from typing import ClassVar, Literal, TypeAlias

from pipedoctor.facts.base import Fact, Part

PackageTool: TypeAlias = Literal["", "uv", "uv-project", "poetry", "pipenv"]
"""``uv``: an environment of uv; ``uv-project``: ``uv run`` puts back what its lock file says."""
DockerUse: TypeAlias = Literal["", "build", "compose", "run"]
"""``run``: from outside, so that only the image keeps what is installed."""


class TracebackFrame(Part, frozen=True, kw_only=True):
    """A line of code in a traceback; `line` is 0 where the log does not say it."""

    path: str
    line: int = 0
    function: str = ""


class Raised(Part, frozen=True, kw_only=True):
    """An exception; `own` is the last frame outside of any library."""

    kind: str
    message: str = ""
    line: int
    """Of the log, counted from 1."""
    rank: str = ""
    time: str = ""
    own: TracebackFrame | None = None
    library: str = ""
    """The package of the innermost frame, where that is none of the user's own."""
    minor: bool = False
    """Does its line begin with what calls it a warning of a program?"""


MAX_SIGHTINGS = 16
"""Sightings of one signature that are kept."""


class Seen(Part, frozen=True, kw_only=True):
    """A signature, as ``cause/id``, in a line; `values` are what it captured."""

    signature: str
    line: int
    text: str
    rank: str = ""
    time: str = ""
    values: dict[str, str] = {}
    warned: bool = False
    """Was it a warning of Python that said it?"""
    logged: bool = False
    """Has its line the time and the level of a logger?"""
    minor: bool = False
    """Does its line call itself a warning of a program, or say what is done instead?"""

    @property
    def cause(self) -> str:
        """The cause that it belongs to: ``shm_too_small``."""
        return self.signature.partition("/")[0]


class WorkSpan(Part, frozen=True, kw_only=True):
    """Lines between which a job, or one of its ranks, goes on with the same work."""

    rank: str = ""
    first: int
    last: int


class Log(Fact, frozen=True, kw_only=True):
    """An error log of any size; only its first sightings are kept."""

    section: ClassVar[str] = "log"

    lines: int = 0
    seen: tuple[Seen, ...] = ()
    raised: tuple[Raised, ...] = ()
    brief: str = ""
    """All of a short log: what its words say, where nothing else does."""
    name_lines: tuple[str, ...] = ()
    """Lines that name its users and hosts, for the redaction of all that is quoted."""
    progress_line: int = 0
    """The last line in which the job works, where nothing has failed behind it; 0: none."""
    complete_line: int = 0
    """The last line that says that a transfer is complete, with no failure behind it; 0: none."""
    end_line: int = 0
    """The last line, where a logger says in it that the job is through; 0: it does not."""
    done_line: int = 0
    """One of the last lines, where it says that the job is through; 0: none does."""
    work_spans: tuple[WorkSpan, ...] = ()
    """Where a failure did not end the work."""
    place: str = ""
    """The kind of place that it speaks of: ``slurm``; empty: it does not say."""
    system: str = ""
    """``windows`` or ``macos`` where its paths say so; empty: they do not."""
    versions: dict[str, str] = {}
    """What it says of ``torch``, ``torchvision``, ``torchaudio`` and ``python``: ``2.6.0+cpu``."""
    names: dict[str, str] = {}
    """
    Its ``conda_environment``, and a mark of ``conda``; ``service`` of Compose; ``engine``,
    and ``entered`` container; the ``unit`` of systemd that ran it; the cell of a
    ``notebook``; the ``account`` that types, ``root``, ``user`` or ``guest``; the ``node``
    of a cluster; the prompt ``inside`` a container, or of ``powershell``; the
    ``distribution`` of Linux.

    ``deployment`` (of this ``kind``), ``container`` and ``namespace`` of Kubernetes; the
    commands ``docker_run``, ``docker_build``, ``apptainer``, ``torchrun``, ``sbatch``,
    ``accelerate`` and ``python``; the ``interpreter`` that started a script; the
    ``importing_file`` whose import failed; the ``default_build`` of its torch.
    """
    tool: PackageTool = ""
    """What installs the packages of its project, where that is not pip."""
    docker_use: DockerUse = ""
    """How Docker was used, as far as it says."""
    unread: tuple[str, ...] = ()
    """What of it was not read, each with the reason."""
    causes: tuple[str, ...] = ()
    """What was concluded from all this, the likeliest first."""

    def find_seen(self, cause: str) -> tuple[Seen, ...]:
        """Everything that speaks of this cause, in the order of the log."""
        start = f"{cause}/"
        return tuple(seen for seen in self.seen if seen.signature.startswith(start))

    def find_ids(self, cause: str) -> frozenset[str]:
        """Which of its signatures were seen: ``oom-killer`` of ``worker_oom_killed/oom-killer``."""
        return frozenset(seen.signature.partition("/")[2] for seen in self.find_seen(cause))

    def find_values(self, cause: str, name: str) -> list[str]:
        """All that its signatures captured under this name, each once."""
        found = (seen.values.get(name, "") for seen in self.find_seen(cause))
        return list(dict.fromkeys(filter(None, found)))

    def find_value(self, cause: str, name: str) -> str:
        """What its signatures captured under this name first, or nothing."""
        found = (seen.values.get(name, "") for seen in self.find_seen(cause))
        return next((value for value in found if value), "")
