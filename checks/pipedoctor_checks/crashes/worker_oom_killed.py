"""PDR931: The kernel killed a process because memory ran out."""

import shlex

from msgspec.structs import replace

from pipedoctor.check import Remedy, grant_memory, in_code, kubernetes, slurm
from pipedoctor.check.remedy_steps import as_step
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.units import GiB, KiB, parse_size
from pipedoctor_checks._shared.advice import advise_launch, advise_user, restart_wsl
from pipedoctor_checks.crashes._fewer_workers import use_fewer_workers
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "worker_oom_killed"
_SMALLER = (
    "Use fewer workers and a smaller prefetch_factor, and read samples only when they are needed"
)
_USUAL_GRANT = 64 * GiB
_BUILD = (
    advise_launch(
        "Give Docker more memory (Docker Desktop: Settings, Resources), then build again",
        fits=(Launcher.BARE, Launcher.DOCKER),
    ),
    advise_launch(
        "Alternatively let pip keep no large file in memory, in the Dockerfile",
        snippet="ENV PIP_NO_CACHE_DIR=1",
        fits=(Launcher.BARE, Launcher.DOCKER),
    ),
)
"""While an image is built there is no loader, and no flag of ``docker run``."""


_OF_WORKERS = frozenset({"killed", "exited", "loader", "background", "half-printed"})
"""Signatures of a loader that lost its workers."""
_OFFLOAD_FURTHER = in_code(
    "What is offloaded fills the memory of the host before a batch is read: offload it to a"
    " local NVMe (ZeRO stage 3), or use fewer ranks on a node",
    '"offload_optimizer": {"device": "nvme", "nvme_path": "/local_nvme"},\n'
    '"offload_param": {"device": "nvme", "nvme_path": "/local_nvme"}',
)
_LOAD_ONCE = in_code(
    "Weights are loaded when memory ends, and no batch is: load them without a second copy"
    ' (from_pretrained with low_cpu_mem_usage=True and torch_dtype="auto"), and fewer ranks at'
    " once"
)

_MAP_FILE = 'array = np.load(path, mmap_mode="r")  # a page is read when it is used'
_READ_IN_PARTS = in_code(
    "One array does not fit: leave it in its file and read only what is needed, or make the"
    " numbers smaller (float32 takes half of float64)",
    _MAP_FILE,
)

_FIT_NOTEBOOK = in_code(
    "Keep in memory only what is in use, or give the notebook more (Runtime, Change runtime type,"
    " High-RAM)",
    _MAP_FILE,
)
_USUAL_OF_WINDOWS = 24
"""GiB of a machine with 32, of which WSL takes half."""


def _give_wsl_more(log: Log) -> tuple[Remedy, ...]:
    """WSL has half of the memory of Windows, unless its settings say more."""
    total = log.find_value(_CAUSE, "wsltotal")
    much = int(total) * 3 // 2 if total else _USUAL_OF_WINDOWS
    raised = advise_user(
        "Give WSL more than half of the memory of Windows, in %UserProfile%\\.wslconfig",
        snippet=f"[wsl2]\nmemory={much}GB",
        fits=(Launcher.BARE,),
    )
    return raised, as_step(restart_wsl("Start WSL again"))


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Ask for less, and grant twice as much as the log says that there was."""
    if log.docker_use == "build":
        return _BUILD
    smaller = use_fewer_workers(log, _SMALLER, 2, "prefetch_factor=1")
    seen = log.find_ids(_CAUSE)
    if {"of-pip", "fetching"} <= seen:
        packages = shlex.split(log.find_value(_CAUSE, "packages"))
        pip = ("python", "-m", "pip", "install", "--no-cache-dir", *packages)
        title = "Let pip keep no whole wheel in memory"
        return (advise_user(title, argv=pip), smaller)
    if "in-wsl" in seen and not log.place:
        return (*_give_wsl_more(log), smaller)
    if using := _read_size(log.find_value(_CAUSE, "using")):
        return (_request_what_is_used(using), smaller)
    for unit in ("cpu", "gpu"):
        each = _read_size(log.find_value(_CAUSE, f"per{unit}"))
        if each:  # Slurm takes no --mem beside it
            option = f"--mem-per-{unit}={-(-2 * each // GiB)}G"
            return smaller, replace(slurm("Request twice as much memory", option), advice=True)
    holders = _find_holders(log)
    had = _read_limit(log)
    much = "twice as much memory as now" if had else "more memory than now"
    grants = grant_memory(f"Request {much}", 2 * had or _USUAL_GRANT)
    more = (replace(remedy, advice=True) for remedy in grants)
    return (*holders, *more) if holders else (smaller, *more)


def _request_what_is_used(using: int) -> Remedy:
    """A node that runs low evicts who uses more than was requested for it."""
    wanted = kubernetes(
        "Request what it uses: of a node that runs low, pods that use more are evicted first",
        {"resources": {"requests": {"memory": f"{-(-using * 9 // 8 // GiB)}Gi"}}},
    )
    return replace(wanted, advice=True)


def _ask_ray(log: Log) -> Remedy:
    """Ray places by what is asked for, and nobody asked for memory."""
    much = 3 * int(log.find_value(_CAUSE, "rayused") or 16) // 2
    title = (
        "Let Ray put fewer of them on a node, by the memory that each asks for; or give the nodes"
        " more"
    )
    line = f"@ray.remote(memory={much} * 1024**3)  # for each task or actor"
    if "of-ray-train" in log.find_ids(_CAUSE):
        line = f'ScalingConfig(..., resources_per_worker={{"GPU": 1, "memory": {much} * 1024**3}})'
    return in_code(title, line)


def _find_holders(log: Log) -> tuple[Remedy, ...]:
    """What fills the memory, where the log shows that no worker does."""
    seen = log.find_ids(_CAUSE)
    if not _OF_WORKERS.isdisjoint(seen):
        return ()
    if {"host-filled", "offloaded"} <= seen:
        return (_OFFLOAD_FURTHER,)
    if "whole-array" in seen:
        return (_READ_IN_PARTS,)
    if "in-colab" in seen:
        return (_FIT_NOTEBOOK,)
    if "of-ray" in seen:
        return (_ask_ray(log),)
    return (_LOAD_ONCE,) if "shards" in seen and "shards-done" not in seen else ()


def _read_limit(log: Log) -> int:
    """Bytes that the log names as the limit; 0: it names none."""
    if group := log.find_value(_CAUSE, "groupbytes"):
        return int(group)
    if kilobytes := log.find_value(_CAUSE, "kilobytes"):
        return int(kilobytes) * KiB
    names = ("memory", "given", "seff", "granted", "told")
    found = (log.find_value(_CAUSE, name) for name in names)
    return _read_size(next(filter(None, found), ""))


def _read_size(text: str) -> int:
    """A size without a unit is in MB, as Slurm has it, whose ``64.00 G`` are powers of 1024."""
    text = text.replace(" ", "")
    try:
        return parse_size(f"{text}M" if text.isdecimal() else text) if text else 0
    except ValueError:  # more than any machine has
        return 0


@log_check(
    "PDR931",
    "The kernel killed a process because memory ran out",
    summary="Memory ran out, and the kernel or the control group killed a process",
    remedies=_choose_remedies,
)
def worker_oom_killed() -> None:
    """
    Find workers or trainers that were killed because memory ran out.

    ## Why it hurts

    The machine or the job's control group ran out of memory, and the kernel killed one
    process: usually a worker, without a message from Python.

    ## How it is judged

    A worker or the job ended with signal 9, the kernel or the scheduler reports an
    out-of-memory kill, or memory could not be allocated. Why memory grew is another
    question: workers that copy the dataset's Python objects are a common reason.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/8976
    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    """
