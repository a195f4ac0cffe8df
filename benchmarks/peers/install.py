"""Each tool in a virtual environment of its own, with the same torch for CPUs."""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.peers.tools import TOOLS, PeerTool

TORCH = "torch==2.13.0"
BASE = (TORCH, "numpy")
LAYERS = (
    "opencv-python",
    "opencv-python-headless",
    "pillow",
    "torchvision==0.20.1",
    "numpy==1.26.4",
)


def environment_name(tool: PeerTool) -> str:
    """The folder of a tool's environment; tools without needs share one."""
    return tool.requirements[0] if tool.requirements else "plain"


def install_all(folder: Path, pipedoctor: str) -> None:
    """Install what is not there yet; pipedoctor always again, from `pipedoctor`."""
    folder.mkdir(parents=True, exist_ok=True)
    constraints = folder / "constraints.txt"
    constraints.write_text(f"{TORCH}\n")
    for tool in TOOLS:
        place = folder / environment_name(tool)
        if not (place / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
            _run_pip(place, "install", *BASE)
            if not tool.is_ours and tool.requirements:
                _install_peer(place, tool, constraints)
            (place / "complete").touch()
        if tool.is_ours:
            _run_pip(place, "install", "--force-reinstall", "--no-deps", pipedoctor)
            _run_pip(place, "install", pipedoctor)
    layers = folder / "layers"
    for wheel in LAYERS:
        if not any(layers.glob(f"{wheel.replace('==', '-').replace('-', '?')}-*.whl")):
            only = ("--only-binary", ":all:", "--no-deps", "-d", str(layers))
            _run_pip(folder / "plain", "download", *only, wheel)


def _install_peer(place: Path, tool: PeerTool, constraints: Path) -> None:
    """From wheels; what has none is packed without compiling its operators."""
    if tool.from_source:
        _run_pip(place, "install", "setuptools", "wheel", "packaging", "ninja")
        how = ["--no-build-isolation", "--no-binary", tool.requirements[0]]
    else:
        how = ["--only-binary", ":all:"]
    _run_pip(place, "install", *how, "-c", str(constraints), *tool.requirements)


def _run_pip(place: Path, *arguments: str) -> None:
    subprocess.run(
        [str(place / "bin" / "python"), "-m", "pip", "-q", *arguments],
        check=True,
        env=os.environ | {"DS_BUILD_OPS": "0"},
    )


def installed_versions(folder: Path) -> list[str]:
    """Name and version of every tool, as installed."""
    said: list[str] = []
    for tool in TOOLS:
        if not tool.requirements:
            continue
        name = tool.requirements[0]
        code = f"import importlib.metadata as m; print(m.version({name!r}))"
        python = str(folder / environment_name(tool) / "bin" / "python")
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
        said.append(f"{name} {done.stdout.strip()}")
    return said
