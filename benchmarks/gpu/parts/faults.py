"""
Faults that can be made without touching the card: what `check` and `explain` say of them.

Nothing here changes MIG, clocks, modes, or resets anything: variables, a mount namespace,
stub libraries on a path, and child processes that fail.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.gpu import stub
from benchmarks.gpu.processes import Completed
from benchmarks.gpu.results import Table
from benchmarks.gpu.session import PROGRAMS, Session, read_json, say, say_not_possible

HEAD = ("fault", "expected", "said", "")


@dataclass(frozen=True)
class CheckFault:
    """A fault that `check` finds; any of the names is right."""

    title: str
    names: tuple[str, ...]
    add: Mapping[str, str] = field(default_factory=dict[str, str])
    before: tuple[str, ...] = ()
    """What runs the command, such as `unshare -m`."""
    options: tuple[str, ...] = ()
    """Instead of those of the examined environment."""


LOG_FAULTS = {
    "out-of-memory": ("gpu-out-of-memory",),
    "fork-after-cuda": ("cuda-in-forked-worker",),
    "index-out-of-range": ("",),
    "illegal-access": ("",),
}
"""Program -> causes that `explain` may name; empty: it is the program's own mistake."""
NOT_MADE = {
    "exclusive mode": "it needs a change of the card's settings",
    "MPS": "its daemon would take the card from everybody else on the node",
    "MIG": "it needs a change of the card's settings",
    "GPU lost, Xid": "they need a broken card",
}


def measure(session: Session) -> None:
    """Each fault is a row at once."""
    table = Table("Faults seen by `check`", HEAD)
    for fault in list_check_faults(session, table):
        _check(session, table, fault)
        session.results.put_table(session.part, table)
    logs = Table("Failed programs, by `explain`", HEAD)
    for name, causes in LOG_FAULTS.items():
        _explain(session, logs, name, causes)
        session.results.put_table(session.part, logs)
    left = Table("Not made", ("fault", "why"), [[name, why] for name, why in NOT_MADE.items()])
    session.results.put_table(session.part, left)


def list_check_faults(session: Session, table: Table) -> list[CheckFault]:
    """Those that this machine can have; of the others a row says why not."""
    hidden = ("gpu-hidden-by-environment",)
    faults = [
        CheckFault("CUDA_VISIBLE_DEVICES is empty", hidden, {"CUDA_VISIBLE_DEVICES": ""}),
        CheckFault("CUDA_VISIBLE_DEVICES=64", hidden, {"CUDA_VISIBLE_DEVICES": "64"}),
        _make_foreign_torch(session, "1.12.1+cu113", "11.3", "gpu-arch-not-in-build"),
        _make_foreign_torch(session, "2.11.0+cpu", "", "cpu-only-torch-build"),
    ]
    for make in (_make_hung_driver, _make_old_cudnn, _make_hidden_devices):
        made = make(session)
        if isinstance(made, CheckFault):
            faults.append(made)
        else:
            title, why = made
            table.rows.append([title, "", "", say_not_possible(why)])
    return faults


Unable = tuple[str, str]
"""Title of a fault, and why it cannot be made."""


def _make_foreign_torch(session: Session, version: str, cuda: str, name: str) -> CheckFault:
    env = session.scratch / f"torch-{version}"
    stub.write_torch(env, version, cuda, Path(session.place.python).resolve().name)
    options = ("--quick", "--env", str(env))
    return CheckFault(f"torch {version}, by its metadata alone", (name,), options=options)


def _find_stub(session: Session, kind: str) -> Path | None:
    """As it was packed, else compiled here."""
    packed = Path(session.place.wheels) / "stubs" / kind
    if packed.is_dir():
        folder = session.scratch / f"stub-{kind}"
        if not folder.exists():
            shutil.copytree(packed, folder, symlinks=True)
        return folder
    folder = session.scratch / f"stub-{kind}"
    return folder if stub.compile_stub(kind, folder) else None


def _prepend(session: Session, folder: Path) -> dict[str, str]:
    name = "LD_LIBRARY_PATH"
    old = session.place.environ.get(name, os.environ.get(name, ""))
    return {name: ":".join(filter(None, (str(folder), old)))}


def _make_hung_driver(session: Session) -> CheckFault | Unable:
    title = "the driver's library never answers (a stub)"
    folder = _find_stub(session, "hung")
    if folder is None:
        return title, "no compiler, and no packed stub"
    return CheckFault(title, ("gpu-driver-unresponsive",), _prepend(session, folder))


def _make_old_cudnn(session: Session) -> CheckFault | Unable:
    title = "LD_LIBRARY_PATH has an older cuDNN (a stub)"
    folder = _find_stub(session, "cudnn")
    if session.place.dry_run:
        return title, "the stub torch has no libraries"
    if folder is None:
        return title, "no compiler, and no packed stub"
    names = ("cudnn-version-conflict", "multiple-cudnn-versions", "")
    return CheckFault(title, names, _prepend(session, folder))


def _make_hidden_devices(session: Session) -> CheckFault | Unable:
    title = "/dev/nvidia* is hidden in a mount namespace"
    before = ("unshare", "-m", "sh", str(PROGRAMS / "without_devices.sh"))
    probe = session.run([*before, "sh", "-c", "ls /dev/nvidia* 2>/dev/null; exit 0"], 20)
    if probe.code:
        return title, probe.last_line
    if session.place.dry_run or not list(Path("/dev").glob("nvidia*")):
        return title, "there are no such files"
    names = ("nvidia-driver-missing", "cuda-unavailable-despite-fitting-driver")
    return CheckFault(title, (*names, "gpu-driver-unresponsive"), before=before)


def _check(session: Session, table: Table, fault: CheckFault) -> None:
    options = fault.options or tuple(session.examined)
    argv = [*fault.before, session.place.pipedoctor, "check", *options, "--format", "json"]
    done = session.run(argv, 40, add=fault.add)
    report = read_json(done)
    if not report:
        table.rows.append([fault.title, _join(fault.names), done.last_line, say(right=False)])
        return
    names = [f["name"] for f in report["findings"] if f["severity"] in {"breaks", "risks", "slows"}]
    said = [name for name in names if name in fault.names]
    right = bool(said) or ("" in fault.names and not set(names) & _GPU_FAULTS)
    for name in said:
        session.results.mark_seen(name, f"faults: {fault.title}")
    shown = ", ".join(said or names) or "nothing"
    table.rows.append([fault.title, _join(fault.names), shown, say(right, f"exit {done.code}")])


_GPU_FAULTS = {"gpu-hardware-fault", "gpu-driver-unresponsive", "nvidia-driver-missing"}
"""Names that would be wrong where nothing may be said."""


def _join(names: Sequence[str]) -> str:
    return " or ".join(name or "nothing" for name in names)


def _explain(session: Session, table: Table, name: str, causes: tuple[str, ...]) -> None:
    failed = session.program("broken.py", name, limit=45)
    cells = [name, " or ".join(cause or "not the environment" for cause in causes)]
    table.rows.append([*cells, *_judge_log(session, name, causes, failed)])


def _judge_log(
    session: Session, name: str, causes: tuple[str, ...], failed: Completed
) -> tuple[str, str]:
    """What `explain` says, and whether it is right."""
    if "not possible:" in failed.err:
        return "", say_not_possible(failed.last_line.partition(": ")[2])
    if not failed.code:
        return "it did not fail", say_not_possible("the program ended well")
    done = session.pipedoctor("explain", "-", "--format", "json", given=failed.err, limit=40)
    answer = read_json(done)
    if not answer:
        return done.last_line, say(right=False)
    first = answer["causes"][0] if answer["causes"] else {"name": "", "here": ""}
    if first["name"] and first["name"] in causes:
        session.results.mark_seen(first["name"], f"faults: {name}, by explain")
    shown = f"{first['name']} ({first['here']})" if first["name"] else "not the environment"
    return shown, say(first["name"] in causes and bool(first["name"] or answer["not_environment"]))
