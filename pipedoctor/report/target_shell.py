"""Whose shell a remedy is typed into, and the remedy as it is typed there."""

import posixpath
import shlex
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from pipedoctor.check import Place, Remedy
from pipedoctor.check.docker_shapes import (
    translate_for_compose,
    translate_for_dockerfile,
    translate_for_podman,
)
from pipedoctor.check.guest_shell import translate_for_guest
from pipedoctor.check.launch_lines import put_launch
from pipedoctor.check.macos_shell import translate_for_macos
from pipedoctor.check.package_tools import translate_for_tool
from pipedoctor.check.placeholders import mark_placeholders
from pipedoctor.check.project_names import put_names
from pipedoctor.check.rpm_shell import translate_for_rpm
from pipedoctor.check.windows_torch import name_cuda_index
from pipedoctor.facts import Facts, Launcher, ProjectRecord, Site, Source
from pipedoctor.facts.log import DockerUse, PackageTool
from pipedoctor.log.distributions import find_rpm_installer

if TYPE_CHECKING:
    from typing_extensions import Self


_HOSTED: Mapping[str, str] = MappingProxyType({"notebook": "ipython-input"})


class TargetShell(msgspec.Struct, frozen=True, kw_only=True):
    """Whose shell a remedy is typed into."""

    windows: bool = False
    macos: bool = False
    root: bool = False
    """Root needs no ``sudo``, and in a container has none."""
    podman: bool = False
    """Podman runs the container that this shell is in."""
    inside: bool = False
    """In a container, whose host has a shell of its own."""
    tool: PackageTool = ""
    """What installs packages there, instead of pip."""
    names: Mapping[str, str] = MappingProxyType({})
    """Those of its project, as `Log.names` has them."""
    docker_use: DockerUse = ""
    """How Docker is used there, if it is."""
    rpm_installer: str = ""
    """``dnf`` or ``yum``, where the system has packages in RPM."""

    @classmethod
    def find(cls, site: Site | None) -> "Self":
        """The shell of this machine."""
        if site is None:
            return cls()
        system = site.system
        return cls(
            windows=system == "windows",
            macos=system == "darwin",
            root=site.root,
            podman=site.container == "podman",
            inside=bool(site.container),
            rpm_installer=find_rpm_installer(site.distribution),
            names=_HOSTED if site.launcher is Launcher.HOSTED else {},
        )

    @classmethod
    def find_for_project(cls, facts: Facts) -> "Self":
        """The shell of this machine, with the script that PATHS consist of."""
        target = cls.find(facts.get(Site))
        script = _find_script(facts.get(Source), facts.get(ProjectRecord) or ProjectRecord())
        names = {"python": f"python {shlex.quote(script)}"} if script else {}
        return msgspec.structs.replace(target, names={**target.names, **names})

    def drops_sudo(self, remedy: Remedy) -> bool:
        """Does root type it? Who root is on the host, a container does not know."""
        return self.root and not (self.inside and remedy.place is Place.LAUNCHER)


def _find_script(source: Source | None, record: ProjectRecord) -> str:
    """The only file that loads data; empty: it is a notebook, or there are several."""
    loaders = [one.at.path for one in source.loaders] if source else []
    paths = {*loaders, *(one.at.path for one in source.loops)} if source else set[str]()
    if len(paths) != 1 or not min(paths).endswith(".py"):
        return ""
    path, above = min(paths), record.project
    if not above.startswith(("/", "..")) or path.startswith(above):
        return path
    return above if above.endswith(f"/{path}") else posixpath.join(above, path)


def shape_for_target(remedy: Remedy, target: TargetShell) -> Iterator[Remedy]:
    """With its tool, names, launch and programs; nothing where there is no such thing."""
    hosted = target.names.get("notebook", "").startswith("ipython-input")
    if hosted and remedy.root and remedy.argv[:1] != ("apt-get",):
        return  # whoever hosts the notebook gives no rights on its machine
    allowed = translate_for_guest(remedy, target.names)
    if allowed is None:
        return
    for one in translate_for_tool(allowed, target.tool):
        shaped = translate_for_podman(one) if target.podman else _shape_for_docker(one, target)
        named = put_launch(put_names(shaped, target.names), target.names)
        ours = _shape_for_system(named, target)
        if ours is not None:
            yield mark_placeholders(ours)


def _shape_for_system(remedy: Remedy, target: TargetShell) -> Remedy | None:
    if target.windows:
        return name_cuda_index(remedy, target.names)
    if target.macos:
        return translate_for_macos(remedy)
    return translate_for_rpm(remedy, target.rpm_installer) if target.rpm_installer else remedy


def _shape_for_docker(remedy: Remedy, target: TargetShell) -> Remedy:
    if target.docker_use == "build":
        return translate_for_dockerfile(remedy)
    if target.docker_use in {"run", "compose"} and remedy.argv[:3] == ("python", "-m", "pip"):
        return translate_for_dockerfile(remedy)
    return translate_for_compose(remedy) if target.docker_use == "compose" else remedy
