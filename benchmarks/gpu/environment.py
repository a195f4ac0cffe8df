"""A virtual environment over the machine's packages, with the wheels that lie beside us."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

_SHOW_PATHS = (
    "import json, site, sys; paths = site.getsitepackages();"
    " paths += [site.getusersitepackages()] if site.ENABLE_USER_SITE else [];"
    " print(json.dumps(paths))"
)
_LEFT_OUT = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}


class PackError(Exception):
    """The environment could not be made; the message says why."""


def make_environment(folder: Path, machine_python: str, wheels: Path) -> Path:
    """
    Make it without a network; its interpreter.

    The machine's interpreter may lie in a virtual environment itself, whose packages
    `--system-site-packages` does not give: they are named in a .pth file.
    """
    python = folder / "bin" / "python"
    done = _call([machine_python, "-m", "venv", "--without-pip", str(folder)])
    if done.returncode:  # Debian's interpreter without python3-venv
        venv.EnvBuilder(with_pip=False, symlinks=True).create(folder)
    minor = _call([str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
    site = folder / "lib" / f"python{minor.stdout.strip()}" / "site-packages"
    paths = json.loads(_call([machine_python, "-c", _SHOW_PATHS]).stdout or "[]")
    lines = [f"import site; site.addsitedir({path!r})" for path in paths]
    (site / "machine-packages.pth").write_text("\n".join(lines) + "\n", "utf-8")
    _install(python, machine_python, wheels)
    return python


def _install(python: Path, machine_python: str, wheels: Path) -> None:
    """Our wheel and what the machine lacks of its needs, from the folder alone."""
    own = sorted(wheels.glob("pipedoctor-*.whl"))
    if not own:
        message = f"no wheel of pipedoctor in {wheels}: run `sh dev.sh gpu --pack`"
        raise PackError(message)
    base = [*_find_pip(python, machine_python), "install", "-qq"]
    options = ["--no-index", "--no-compile", "--disable-pip-version-check", "--no-input"]
    found = ["--find-links", str(wheels)]
    own_wheel = _call([*base, *options, *found, "--ignore-installed", "--no-deps", str(own[-1])])
    if own_wheel.returncode:
        raise PackError(own_wheel.stderr.strip() or "pip failed")
    tests = ["pytest>=9", "hypothesis", "syrupy", "pytest-xdist"]
    packed = {wheel.name.partition("-")[0].replace("_", "-") for wheel in wheels.glob("*.whl")}
    wanted = [one for one in tests if one.partition(">")[0] in packed]
    needs = _call([*base, *options, *found, str(own[-1]), *wanted])
    if needs.returncode:
        raise PackError(needs.stderr.strip() or "pip failed")


def _find_pip(python: Path, machine_python: str) -> list[str]:
    """The machine's pip at work on our environment; else the one that Python brings."""
    if not _call([machine_python, "-m", "pip", "--version"]).returncode:
        return [machine_python, "-m", "pip", "--python", str(python)]
    done = _call([str(python), "-m", "ensurepip"])
    if done.returncode:
        message = f"{machine_python} has no pip, and no ensurepip"
        raise PackError(message)
    return [str(python), "-m", "pip"]


def _call(argv: list[str]) -> "subprocess.CompletedProcess[str]":
    environ = {key: value for key, value in os.environ.items() if key not in _LEFT_OUT}
    return subprocess.run(
        argv, capture_output=True, text=True, check=False, env=environ, stdin=subprocess.DEVNULL
    )


def describe_python() -> str:
    """The interpreter with which the run was started."""
    return f"{sys.executable} ({sys.version.split()[0]})"
