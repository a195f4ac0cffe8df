"""Whose shell a remedy is typed into, and the remedy as it is typed there."""

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
from pipedoctor.check.project_names import put_names
from pipedoctor.facts import Site
from pipedoctor.facts.log import DockerUse, PackageTool

if TYPE_CHECKING:
    from typing_extensions import Self


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
        )

    def drops_sudo(self, remedy: Remedy) -> bool:
        """Does root type it? Who root is on the host, a container does not know."""
        return self.root and not (self.inside and remedy.place is Place.LAUNCHER)


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
        ours = translate_for_macos(named) if target.macos else named
        if ours is not None:
            yield ours


def _shape_for_docker(remedy: Remedy, target: TargetShell) -> Remedy:
    if target.docker_use == "build":
        return translate_for_dockerfile(remedy)
    if target.docker_use in {"run", "compose"} and remedy.argv[:3] == ("python", "-m", "pip"):
        return translate_for_dockerfile(remedy)
    return translate_for_compose(remedy) if target.docker_use == "compose" else remedy
