"""Read which torch is installed from its files; nothing of it is imported."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.prefix import Chosen
from pipedoctor.facts import Pin, TorchBuild, Unreadable

_NVIDIA = re.compile(
    r"Requires-Dist:\s*((?:nvidia|cuda)-[\w.-]+)(?:\[[^]]*\])?\s*"
    r"\(?(?:==\s*([\w.]+))?"
)


def torch_build(machine: Machine, chosen: Chosen, announce: Announce) -> TorchBuild:
    """Join version.py, METADATA, WHEEL and conda-meta of the first torch found."""
    here = interpreter(machine, chosen, announce)
    for folder in map(Path, here.path):
        announce(f"looking for torch in {folder}")
        if (folder / "torch" / "version.py").is_file():
            return _read(folder, Path(here.prefix))
    message = f"torch is not installed in {here.prefix}"
    raise Unreadable(message)


def _read(folder: Path, prefix: Path) -> TorchBuild:
    said = _assignments(folder / "torch" / "version.py")
    metadata = next(_metadata(folder), None)
    text = read_or(metadata / "METADATA") if metadata else ""
    head = text.partition("\n\n")[0]
    version = said.get("__version__") or _field(head, "Version")
    number, _, local = version.partition("+")
    return TorchBuild(
        version=number,
        local=local,
        cuda=said.get("cuda", ""),
        hip=said.get("hip", "") or said.get("rocm", ""),
        xpu=said.get("xpu", ""),
        known_backend="cuda" in said or "hip" in said,
        debug=said.get("debug") == "True",
        location=str(folder / "torch"),
        origin="version.py" if said else "METADATA",
        wheel_tag=_tags(metadata),
        conda_build=_conda_build(prefix),
        pins=tuple(_pins(head)),
        requires_python=_field(head, "Requires-Python"),
    )


def _assignments(file: Path) -> dict[str, str]:
    """Plain assignments of version.py, with or without annotations; None is empty."""
    try:
        tree = ast.parse(read_or(file))
    except (SyntaxError, ValueError):
        return {}
    values: dict[str, str] = {}
    for node in tree.body:
        target, value = _target(node)
        if target and isinstance(value, ast.Constant):
            values[target] = "" if value.value is None else str(value.value)
    return values


def _target(node: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    return "", None


def _metadata(folder: Path) -> Iterator[Path]:
    return (
        entry
        for entry in sorted(folder.glob("torch-*.dist-info"))
        if (entry / "METADATA").is_file()
    )


def _field(head: str, name: str) -> str:
    match = re.search(rf"^{name}:\s*(.+?)\s*$", head, flags=re.MULTILINE)
    return match[1] if match else ""


def _tags(metadata: Path | None) -> str:
    text = read_or(metadata / "WHEEL") if metadata else ""
    return " ".join(re.findall(r"^Tag:\s*(\S+)", text, flags=re.MULTILINE))


def _pins(head: str) -> Iterator[Pin]:
    for name, version in _NVIDIA.findall(head):
        yield Pin(name=name.lower(), version=version)


def _conda_build(prefix: Path) -> str:
    """``py3.11_cuda12.1_cudnn8.9.2_0`` from the record's file name."""
    for name in ("pytorch", "libtorch"):
        for record in (prefix / "conda-meta").glob(f"{name}-[0-9]*.json"):
            return record.stem.split("-", 2)[-1]
    return ""
