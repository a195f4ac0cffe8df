"""
Clocks around the loaders of a program, without a change to its code.

Python imports this as it starts where `pipedoctor run --inside` has put its folder on
PYTHONPATH. The clocks are put on when the program imports torch's loaders, and each process
writes its figures to the folder in PIPEDOCTOR_LIVE when it ends. A `sitecustomize` that
would have been imported without this one is imported as well. Whatever fails in here, the
program goes on without clocks.
"""

import atexit
import contextlib
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

_TARGET = "torch.utils.data.dataloader"
_FOLDER_VARIABLE = "PIPEDOCTOR_LIVE"
_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  (as in sys.path)
_MAX_DIGITS = 10
"""Of a rank."""
_FAILURES = (ImportError, AttributeError, OSError, ValueError, TypeError, SyntaxError)


class _LoaderFinder(MetaPathFinder):
    """Puts the clocks on as soon as the module of the loaders has been imported."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Find the loaders' module as everybody else does, once."""
        del path, target
        if fullname != _TARGET:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        loader: Any = spec.loader if spec is not None else None
        if loader is not None:
            with contextlib.suppress(*_FAILURES):
                _install_after(loader)
        return spec


def _install_after(loader: Any) -> None:
    plain = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        plain(module)
        with contextlib.suppress(*_FAILURES):
            _install_clocks()

    loader.exec_module = exec_module


def _install_clocks() -> None:
    """By its file: the program's Python need not have pipedoctor."""
    file = Path(_HERE).parent / "clocks.py"
    spec = importlib.util.spec_from_file_location("_pipedoctor_clocks", file)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    atexit.register(_write_figures, module.install(), os.getpid())


def _write_figures(clocks: Any, pid: int) -> None:
    """One file for each process that had a loader; a fork has none of its own."""
    folder = os.environ.get(_FOLDER_VARIABLE)
    if not folder or os.getpid() != pid:
        return
    rows = [asdict(figures) for figures in clocks.figures()]
    if not rows:
        return
    rank = os.environ.get("RANK", "")
    entry = {
        "pid": pid,
        "rank": int(rank) if rank.isdecimal() and len(rank) < _MAX_DIGITS else None,
        "loaders": rows,
    }
    with contextlib.suppress(*_FAILURES):
        part = Path(folder) / f".{pid}"
        part.write_text(json.dumps(entry), "utf-8")
        part.replace(Path(folder) / f"{pid}.json")


def _import_shadowed() -> None:
    """Import the `sitecustomize` that this one hides, if there is one."""
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]  # noqa: PTH100
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if os.environ.get(_FOLDER_VARIABLE):
    sys.meta_path.insert(0, _LoaderFinder())
    _import_shadowed()
