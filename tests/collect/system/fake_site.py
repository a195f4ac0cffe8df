"""A bare machine to add hints to."""

from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.site import site
from pipedoctor.facts import Site

INITIAL = {"pid": "pid:[4026531836]", "user": "user:[4026531837]"}

ID = "3f4e5d6c7b8a" * 4

MOUNT = "{n} {parent} 0:{n} {root} {point} rw,relatime - {fstype} {source} {options}\n"


@dataclass
class Fake:
    """A root to look at, written on demand."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict[str, str])
    mounts: str = ""

    def write(self, path: str, text: str = "") -> "Fake":
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return self

    def mount(self, point: str, fstype: str, options: str = "rw", root: str = "/") -> "Fake":
        self.mounts += MOUNT.format(
            n=20 + self.mounts.count("\n"),
            parent=20 if self.mounts else 1,
            root=root,
            point=point,
            fstype=fstype,
            source=fstype,
            options=options,
        )
        return self.write("proc/self/mountinfo", self.mounts)

    def namespaces(self, **changed: str) -> "Fake":
        folder = self.root / "proc/self/ns"
        folder.mkdir(parents=True, exist_ok=True)
        for kind, name in (INITIAL | changed).items():
            (folder / kind).unlink(missing_ok=True)
            (folder / kind).symlink_to(name)
        return self

    def variables(self, **environ: str) -> "Fake":
        self.environ |= environ
        return self

    def look(self) -> Site:
        return site(
            Machine(root=self.root, system="linux", environ=self.environ),
            lambda _: None,
        )
