"""
Clocks in a job that runs already: what `pipedoctor watch --inject` sends, a fixed script.

It is copied with `clocks.py` into a folder that the job may read, and runs in its main
thread. It imports nothing that is not loaded or of the standard library, starts no thread,
and takes itself off: when it is told to, or at the first batch after the time that stands
on the file `lease`. Whatever fails in here, the job goes on without clocks.
"""

import contextlib
import importlib.util
import json
import math
import os
import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

NAME = "_pipedoctor_injected"
LEASE = "lease"
_CLOCKS = "_pipedoctor_injected_clocks"
_LOADERS = "torch.utils.data.dataloader"
_OTHERS = ("_pipedoctor_clocks", "pipedoctor.live.clocks")
"""Modules that may have put clocks on before."""
_ATTRIBUTE = "__next__"
_INTERVAL = 0.5
_MAX_DIGITS = 10
"""Of a rank."""
_FAILURES = (ImportError, AttributeError, OSError, ValueError, TypeError, SyntaxError)
_running: list["_InjectedClocks"] = []


class _InjectedClocks:
    """The clocks of this process, and how to take them off."""

    def __init__(self, folder: Path, kind: Any) -> None:
        self.folder, self._kind, self._pid = folder, kind, os.getpid()
        self._due = 0.0
        module = load_module(_CLOCKS, folder / "clocks.py")
        self.clocks: Any = module.LoaderClocks()
        self._count_step: Any = self.clocks._count_step  # noqa: SLF001
        self.clocks._count_step = self.count_step  # noqa: SLF001
        self._plain = getattr(kind, _ATTRIBUTE)
        self._ours = self.clocks.wrap_next(self._plain)
        setattr(kind, _ATTRIBUTE, self._ours)

    def count_step(self, loader: Any, step_start: float, now: float, *, first: bool) -> None:
        """Count it as `LoaderClocks` does, and say now and then how it stands."""
        self._count_step(loader, step_start, now, first=first)
        if now < self._due or os.getpid() != self._pid:
            return
        self._due = now + _INTERVAL
        with contextlib.suppress(*_FAILURES):
            self.write_figures()
            if self.is_over():
                stop()
                shutil.rmtree(self.folder, ignore_errors=True)  # nobody else will

    def is_over(self) -> bool:
        """Has whoever asked for it gone, or ended?"""
        try:
            return time.time() > (self.folder / LEASE).stat().st_mtime
        except FileNotFoundError:
            return True

    def write_figures(self) -> None:
        """What was measured so far."""
        rows = [asdict(figures) for figures in self.clocks.figures()]
        rank = os.environ.get("RANK", "")
        known = {
            "rank": int(rank) if rank.isdecimal() and len(rank) < _MAX_DIGITS else None,
            "loaders": rows,
        }
        _write(self.folder, "json", {"pid": self._pid, **known})

    def remove(self) -> None:
        """Take the clocks off; those that somebody has put around them stay what they are."""
        self._due = math.inf
        if self._kind.__dict__.get(_ATTRIBUTE) is self._ours:
            setattr(self._kind, _ATTRIBUTE, self._plain)


def load_module(name: str, file: Path) -> Any:
    """By its file: the Python of the job need not have pipedoctor."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def start(folder: str, module: Any) -> None:
    """Put the clocks on, and say so in the folder, or why not; `module`: this one."""
    reason, older = "", sys.modules.get(NAME)
    try:
        loaders = sys.modules.get(_LOADERS)
        if loaders is None:
            reason = "it has not imported torch's DataLoader"
        elif _has_clocks(older):
            reason = "it has such clocks already"
        else:
            if older is not None:
                older.stop()  # whoever asked for them is gone
            kind: Any = loaders._BaseDataLoaderIter  # noqa: SLF001
            _running.append(_InjectedClocks(Path(folder), kind))
            sys.modules[NAME] = module
    except _FAILURES as error:
        sys.modules.pop(_CLOCKS, None)
        reason = f"{type(error).__name__}: {error}"
    with contextlib.suppress(*_FAILURES):
        _write(Path(folder), "state", {"reason": reason})


def _has_clocks(older: Any) -> bool:
    if older is not None and older.is_wanted():
        return True
    return any(getattr(sys.modules.get(name), "_INSTALLED", None) for name in _OTHERS)


def is_wanted() -> bool:
    """Do clocks run that somebody still asks for?"""
    return any(not injection.is_over() for injection in _running)


def belongs_to(folder: str) -> bool:
    """Did who has this folder ask for the clocks?"""
    return any(str(injection.folder) == folder for injection in _running)


def stop() -> None:
    """Take the clocks off, and what belongs to them; the figures stay in the folder."""
    while _running:
        injection = _running.pop()
        injection.remove()
        with contextlib.suppress(*_FAILURES):
            injection.write_figures()
            _write(injection.folder, "stopped", {})
    for name in (NAME, _CLOCKS):
        sys.modules.pop(name, None)


def _write(folder: Path, kind: str, entry: dict[str, Any]) -> None:
    part = folder / f".{os.getpid()}"
    part.write_text(json.dumps(entry), "utf-8")
    part.replace(folder / f"{os.getpid()}.{kind}")
