"""Remedies for a mount whose server or daemon has stopped."""

import shlex
from collections.abc import Iterator

from pipedoctor.check import Lasts, Remedy
from pipedoctor.facts import Launcher, Mount


def detach_mount(mount: Mount | None) -> Iterator[Remedy]:
    """Restart the server, or detach the dead mount."""
    if mount is None:
        return
    server = mount.source or mount.fstype
    yield Remedy(
        title=f"Have {mount.point} repaired on the host: the container only shares it",
        lasts=Lasts.BOOT,
        fits=(Launcher.DOCKER, Launcher.KUBERNETES),
        advice=True,
    )
    if not mount.fstype.startswith("fuse"):
        yield Remedy(
            title=f"Have {mount.point} repaired on this node, or submit to another one",
            lasts=Lasts.BOOT,
            fits=(Launcher.SLURM,),
            advice=True,
        )
    if mount.fstype.startswith("fuse"):
        yield Remedy(
            title=f"Detach {mount.point} and restart its daemon ({server})",
            argv=("sh", "-c", _detach_fuse(mount.point)),
            lasts=Lasts.BOOT,
            fits=(Launcher.BARE, Launcher.SLURM),
            advice=True,
        )
    if mount.point != "/":
        yield Remedy(
            title=f"Make sure that {server} is up; else detach {mount.point} and mount it again",
            argv=("umount", "-l", mount.point),
            verify=("stat", "-f", mount.point),
            lasts=Lasts.BOOT,
            root=True,
            fits=(Launcher.BARE,),
            advice=True,
        )


def _detach_fuse(point: str) -> str:
    """By the program of libfuse 3 or 2, whichever is here; else as root."""
    place = shlex.quote(point)
    return f"fusermount3 -u -z {place} || fusermount -u -z {place} || umount -l {place}"
