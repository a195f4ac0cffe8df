"""Read which torch is installed from its files; nothing of it is imported."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.environment.interpreter import interpreter
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.facts import Pin, TorchBuild, UnreadableError
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.path_kind import is_file

_NVIDIA_PIN = re.compile(
    r"Requires-Dist:\s*((?:nvidia|cuda)-[\w.-]+)(?:\[[^]]*\])?\s*"
    r"\(?(?:==\s*([\w.]+))?"
)


def torch_build(machine: Machine, choice: EnvironmentChoice, announce: Announce) -> TorchBuild:
    """Join version.py, METADATA, WHEEL and conda-meta of the first torch found."""
    here = interpreter(machine, choice, announce)
    for folder in map(Path, here.path):
        announce(f"looking for torch in {folder}")
        if is_file(folder / "torch" / "version.py"):
            return _read_build(folder, Path(here.prefix))
    message = f"torch is not installed in {here.prefix}"
    raise UnreadableError(message)


def _read_build(folder: Path, prefix: Path) -> TorchBuild:
    assignments = _read_assignments(folder / "torch" / "version.py")
    metadata = next(_find_metadata(folder), None)
    text = read_or_default(metadata / "METADATA") if metadata else ""
    head = text.partition("\n\n")[0]
    version = assignments.get("__version__") or _find_field(head, "Version")
    number, _, local = version.partition("+")
    return TorchBuild(
        version=number,
        local=local,
        cuda=assignments.get("cuda", ""),
        hip=assignments.get("hip", "") or assignments.get("rocm", ""),
        xpu=assignments.get("xpu", ""),
        known_backend="cuda" in assignments or "hip" in assignments,
        debug=assignments.get("debug") == "True",
        location=str(folder / "torch"),
        origin="version.py" if assignments else "METADATA",
        wheel_tag=_read_tags(metadata),
        conda_build=_find_conda_build(prefix),
        pins=tuple(_parse_pins(head)),
        requires_python=_find_field(head, "Requires-Python"),
    )


def _read_assignments(file: Path) -> dict[str, str]:
    """Plain assignments of version.py, with or without annotations; None is empty."""
    try:
        tree = ast.parse(read_or_default(file))
    except (SyntaxError, ValueError):
        return {}
    values: dict[str, str] = {}
    for node in tree.body:
        target, value = _get_assignment(node)
        if target and isinstance(value, ast.Constant):
            values[target] = "" if value.value is None else str(value.value)
    return values


def _get_assignment(node: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    return "", None


def _find_metadata(folder: Path) -> Iterator[Path]:
    return (
        entry for entry in sorted(folder.glob("torch-*.dist-info")) if is_file(entry / "METADATA")
    )


def _find_field(head: str, name: str) -> str:
    match = re.search(rf"^{name}:\s*(.+?)\s*$", head, flags=re.MULTILINE)
    return match[1] if match else ""


def _read_tags(metadata: Path | None) -> str:
    text = read_or_default(metadata / "WHEEL") if metadata else ""
    return " ".join(re.findall(r"^Tag:\s*(\S+)", text, flags=re.MULTILINE))


def _parse_pins(head: str) -> Iterator[Pin]:
    for name, version in _NVIDIA_PIN.findall(head):
        yield Pin(name=name.lower(), version=version)


def _find_conda_build(prefix: Path) -> str:
    """``py3.11_cuda12.1_cudnn8.9.2_0`` from the record's file name."""
    for name in ("pytorch", "libtorch"):
        for record in (prefix / "conda-meta").glob(f"{name}-[0-9]*.json"):
            return record.stem.split("-", 2)[-1]
    return ""
