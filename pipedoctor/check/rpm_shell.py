"""Remedies on Red Hat, Fedora and their like: dnf and its packages instead of apt's."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy, shell
from pipedoctor.lazy_pattern import compile_lazily

_INSTALL = compile_lazily(
    r"(?:apt-get update(?: && (?:sudo )?|\n(?:sudo )?))?apt-get install(?P<words>(?: [\w.+=-]+)+)"
)
_PACKAGES: Mapping[str, tuple[str, ...]] = {
    "build-essential": ("gcc", "gcc-c++", "make"),
    "ca-certificates": ("ca-certificates",),
    "cmake": ("cmake",),
    "git": ("git",),
    "git-lfs": ("git-lfs",),
    "libaio-dev": ("libaio-devel",),
    "libbz2-dev": ("bzip2-devel",),
    "libffi-dev": ("libffi-devel",),
    "libgl1": ("mesa-libGL",),
    "libglib2.0-0": ("glib2",),
    "libice6": ("libICE",),
    "libjpeg-dev": ("libjpeg-turbo-devel",),
    "liblzma-dev": ("xz-devel",),
    "libncurses-dev": ("ncurses-devel",),
    "libopenmpi-dev": ("openmpi-devel",),
    "libreadline-dev": ("readline-devel",),
    "libsm6": ("libSM",),
    "libsndfile1": ("libsndfile",),
    "libsqlite3-dev": ("sqlite-devel",),
    "libssl-dev": ("openssl-devel",),
    "libx11-6": ("libX11",),
    "libxcb1": ("libxcb",),
    "libxext6": ("libXext",),
    "libxrender1": ("libXrender",),
    "openmpi-bin": ("openmpi",),
    "pkg-config": ("pkgconf-pkg-config",),
    "python3-tk": ("python3-tkinter",),
    "tk-dev": ("tk-devel",),
    "zlib1g-dev": ("zlib-devel",),
}
"""Packages of Debian, and those of Red Hat's own repositories that bring the same."""
_HEADERS = re.compile(r"python(3(?:\.\d{1,2})?)-dev")
_TITLES: Mapping[str, str] = {
    "On Debian or Ubuntu, i": "I",
    " of a Debian or Ubuntu image": "",
    " (this is for Debian and Ubuntu)": "",
}
_DEBIANS = "apt-get and these names are Debian's: take the packages of this system"
_TOOLKIT = "nvidia-container-toolkit"
_TOOLKIT_REPOSITORY = (
    f"curl -fsSL https://nvidia.github.io/libnvidia-container/stable/rpm/{_TOOLKIT}.repo"
    f" | sudo tee /etc/yum.repos.d/{_TOOLKIT}.repo\nsudo {{}} install -y {_TOOLKIT}"
)
"""As its installation guide has it."""


def translate_for_rpm(remedy: Remedy, installer: str) -> Remedy:
    """The same packages by this installer; of one without an equal, the title says whose it is."""
    title = remedy.title
    for told, plain in _TITLES.items():
        title = title.replace(told, plain)
    if remedy.argv[:2] == ("apt-get", "install"):
        line = _write_install(shell(remedy.argv), installer)
        if "apt-get" in line:
            return _mark_debian(remedy)
        return replace(remedy, title=title, argv=tuple(line.split()))
    if "apt-get install" not in remedy.snippet:
        return remedy
    if f"apt-get install -y {_TOOLKIT}" in remedy.snippet:
        return replace(remedy, title=title, snippet=_TOOLKIT_REPOSITORY.format(installer))
    lines = _INSTALL.sub(lambda match: _write_install(match[0], installer), remedy.snippet)
    if "apt-get" in lines:
        return _mark_debian(remedy)
    return replace(remedy, title=title, snippet=lines)


def _mark_debian(remedy: Remedy) -> Remedy:
    return replace(remedy, title=f"{remedy.title} ({_DEBIANS})", advice=True)


def _write_install(line: str, installer: str) -> str:
    """``dnf install -y gcc``; the line itself, if it has a package that is not known."""
    match = _INSTALL.fullmatch(line)
    words = match["words"].split() if match else []
    wanted = [_find_equals(word) for word in words if not word.startswith("-")]
    if not wanted or not all(wanted):
        return line
    return shell((installer, "install", "-y", *(name for names in wanted for name in names)))


def _find_equals(package: str) -> tuple[str, ...]:
    if headers := _HEADERS.fullmatch(package):
        return (f"python{headers[1]}-devel",)
    return _PACKAGES.get(package, ())
