"""What to do about a mount whose server or daemon is gone."""

from collections.abc import Iterator

from pipedoctor.facts import Habitat, Mount
from pipedoctor.remedy import Lasts, Remedy


def detach(mount: Mount | None) -> Iterator[Remedy]:
    """Bring the server back, or take the dead mount out of the way."""
    if mount is None:
        return
    server = mount.source or mount.fstype
    yield Remedy(
        title=f"Ask for {mount.point} on the host: the container only shares it",
        lasts=Lasts.BOOT,
        fits=(Habitat.DOCKER, Habitat.KUBERNETES),
        advice=True,
    )
    if mount.fstype.startswith("fuse"):
        yield Remedy(
            title=f"Detach {mount.point} and start its daemon ({server}) again",
            argv=("fusermount3", "-u", "-z", mount.point),
            lasts=Lasts.BOOT,
            fits=(Habitat.BARE, Habitat.SLURM),
            advice=True,
        )
    if mount.point != "/":
        yield Remedy(
            title=f"See that {server} is up; else detach {mount.point}, mount it anew",
            argv=("umount", "-l", mount.point),
            verify=("stat", "-f", mount.point),
            lasts=Lasts.BOOT,
            root=True,
            fits=(Habitat.BARE, Habitat.SLURM),
            advice=True,
        )
