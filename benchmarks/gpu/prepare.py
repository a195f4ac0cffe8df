"""Before the parts: the environment, in a dry run the stubs, and what the machine is."""

import datetime as dt
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.gpu import smi, stub
from benchmarks.gpu.environment import PackError, describe_python, make_environment
from benchmarks.gpu.results import Card, Results
from benchmarks.gpu.session import Place

_DRIVER_TOOLS = ("/usr/local/nvidia/bin", "/usr/lib/wsl/lib")
"""Where container runtimes put nvidia-smi, not always on the PATH."""
_ASK_TORCH = (
    "import torch; there = torch.cuda.is_available();"
    " name = ' on ' + torch.cuda.get_device_name() if there else ', no GPU';"
    " print('torch', torch.__version__ + name)"
)
_COLD_IMPORT = 90.0
"""Seconds that the first import of torch may take."""


def prepare_place(
    scratch: Path, out: Path, wheels: Path, *, dry_run: bool
) -> tuple[Place, Results]:
    """Make what every part needs; raises PackError."""
    environ = _prepare_environ(scratch, dry_run=dry_run)
    card = identify_card({**os.environ, **environ}, dry_run=dry_run)
    said = "" if dry_run else _import_torch({**os.environ, **environ})
    if not card.name and not dry_run:
        card = replace(card, name=_read_name(said))
    if not card.name and not dry_run:
        message = f"neither nvidia-smi nor torch finds a GPU ({said}); --dry-run uses stubs"
        raise PackError(message)
    results = Results(out)
    results.begin(card)
    results.log(f"first import of torch: {said}")
    name = card.name or "no GPU"
    results.log(f"{name}, driver {card.driver}, {card.cpus} CPUs, {describe_python()}")
    print(f"== {name}, driver {card.driver or 'unknown'}, {card.cpus} CPUs", flush=True)
    python = make_environment(scratch / "venv", sys.executable, wheels)
    place = Place(
        out=str(out),
        scratch=str(scratch),
        python=str(python),
        machine_python=sys.executable,
        pipedoctor=str(python.parent / "pipedoctor"),
        wheels=str(wheels),
        environ=environ,
        dry_run=dry_run,
    )
    return place, results


def _prepare_environ(scratch: Path, *, dry_run: bool) -> dict[str, str]:
    """Variables of all commands; nothing of theirs lands in the user's folders."""
    paths = os.environ.get("PATH", "").split(":")
    state = {f"XDG_{kind}_HOME": str(scratch / "user") for kind in ("STATE", "CACHE", "CONFIG")}
    environ = {"PYTHONSAFEPATH": "1", "TMPDIR": str(scratch), "NO_COLOR": "1", **state}
    (scratch / "user").mkdir()
    if not dry_run:
        found = [folder for folder in _DRIVER_TOOLS if folder not in paths]
        return {**environ, "PATH": ":".join([*paths, *found])}
    folder = scratch / "stub"
    stub.compile_stub("nvml", folder)
    stub.write_smi(folder)
    stub.write_torch(folder / "env", "2.11.0+cu130", "13.0", f"python{_minor()}")
    return {**environ, "PATH": ":".join([str(folder), *paths]), "LD_LIBRARY_PATH": str(folder)}


def _import_torch(environ: Mapping[str, str]) -> str:
    """Once from a cold disk, so that no part waits for it: what it said, in which time."""
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-c", _ASK_TORCH],
            capture_output=True,
            text=True,
            timeout=_COLD_IMPORT,
            check=False,
            env=dict(environ),
        )
        lines = (done.stdout.strip() or done.stderr.strip()).splitlines() or ["nothing"]
        said = lines[-1]
    except subprocess.TimeoutExpired:
        said = "no answer"
    return f"{said}, {time.monotonic() - began:.1f} s"


def _read_name(said: str) -> str:
    """The card, where nvidia-smi is not installed: ``torch 2.11.0 on NVIDIA H100, 9.1 s``."""
    return said.partition(" on ")[2].rpartition(", ")[0] if said.startswith("torch ") else ""


def _minor() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def identify_card(environ: Mapping[str, str], *, dry_run: bool) -> Card:
    """Card and driver by nvidia-smi; empty where it does not answer."""
    name, driver, cuda = "", "", ""
    program = shutil.which("nvidia-smi", path=environ["PATH"])
    if program:
        try:
            done = subprocess.run(
                [program, "-q", "-x"],
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
                env=dict(environ),
            )
            log = smi.parse_xml(done.stdout)
            driver, cuda = log.driver, log.cuda
            name = str(log.gpus[0].fields["name"] or "") if log.gpus else ""
        except (subprocess.TimeoutExpired, ValueError, OSError):
            name = ""
    return Card(
        name=name,
        driver=driver,
        cuda=cuda,
        date=str(dt.datetime.now(tz=dt.timezone.utc).date()),
        cpus=len(os.sched_getaffinity(0)),
        kernel=platform.release(),
        dry_run=dry_run,
    )
