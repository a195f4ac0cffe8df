"""What is at /dev/shm, and may its size be changed from here?"""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.shm import sees_all_writers, shm
from pipedoctor.facts import Shm, UnreadableError
from pipedoctor.units import MiB

ROOT = "Uid:\t0\t0\t0\t0\nNoNewPrivs:\t0\nCapEff:\t000001ffffffffff\n"
USER = "Uid:\t1000\t1000\t1000\t1000\nNoNewPrivs:\t0\nCapEff:\t0000000000000000\n"
LOCKED = USER.replace("NoNewPrivs:\t0", "NoNewPrivs:\t1")
WEAK = "Uid:\t0\t0\t0\t0\nNoNewPrivs:\t0\nCapEff:\t00000000a80425fb\n"
SLASH = "20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
TMPFS = "21 20 0:27 / /dev/shm {} - tmpfs {} rw,size=65536k\n"


class Place:
    """A root with a /dev/shm in it, and what its mounts and rights say."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "dev/shm").mkdir(parents=True)
        self.mounts().status(ROOT).user("0 0 4294967295").namespace("pid")
        self.environ: dict[str, str] = {}

    def mounts(
        self, options: str = "rw,nosuid", source: str = "tmpfs", text: str | None = None
    ) -> "Place":
        table = SLASH + TMPFS.format(options, source) if text is None else text
        return self.write("proc/self/mountinfo", table)

    def status(self, text: str) -> "Place":
        return self.write("proc/self/status", text)

    def user(self, text: str) -> "Place":
        return self.write("proc/self/uid_map", text)

    def namespace(self, kind: str, number: int = 4026531836) -> "Place":
        link = self.root / "proc/self/ns" / kind
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(f"{kind}:[{number}]")
        return self

    def write(self, path: str, text: str) -> "Place":
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return self

    def look(self, **more: Any) -> Shm:
        environ = self.environ
        machine = Machine(root=self.root, system="linux", environ=environ, **more)
        return shm(machine, lambda _: None)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_sizes_are_the_file_systems(place: Place) -> None:
    seen, told = place.look(), os.statvfs(place.root)

    assert seen.size == told.f_blocks * told.f_frsize
    assert 0 < seen.used < seen.size
    assert seen.available is not None
    assert 0 < seen.available <= seen.size - seen.used + MiB
    assert not seen.unlimited


def test_a_mount_of_its_own(place: Place) -> None:
    seen = place.look()

    assert (seen.fstype, seen.mounted, seen.read_only) == ("tmpfs", True, False)
    assert not seen.missing
    assert not seen.shared_with_host
    assert seen.here


def test_no_mount_of_its_own(place: Place) -> None:
    seen = place.mounts(text=SLASH).look()

    assert (seen.fstype, seen.mounted, seen.remountable) == ("ext4", False, False)


def test_read_only(place: Place) -> None:
    assert place.mounts("ro,nosuid").look().read_only


def test_nobody_tells_the_mounts(place: Place) -> None:
    seen = place.mounts(text="").look()

    assert (seen.fstype, seen.mounted, seen.remountable) == ("", True, False)


def test_none_at_all(place: Place) -> None:
    (place.root / "dev/shm").rmdir()
    seen = place.look()

    assert seen.missing
    assert (seen.size, seen.available, seen.mounted) == (0, 0, False)


def test_a_link_to_run_shm(place: Place) -> None:
    (place.root / "dev/shm").rmdir()
    (place.root / "run/shm").mkdir(parents=True)
    (place.root / "dev/shm").symlink_to("../run/shm")
    text = SLASH + "21 20 0:27 / /run/shm rw - tmpfs tmpfs rw\n"

    assert place.mounts(text=text).look().fstype == "tmpfs"
    assert place.look().mounted


def test_what_cannot_be_examined_is_unknown(place: Place) -> None:
    (place.root / "dev/shm").rmdir()
    (place.root / "dev").rmdir()
    (place.root / "dev").write_text("")

    with pytest.raises(UnreadableError, match="/dev/shm: Not a directory"):
        place.look()


def test_other_systems_have_none() -> None:
    with pytest.raises(UnreadableError, match="only available on Linux, not on darwin"):
        shm(Machine(system="darwin"), lambda _: None)


@pytest.mark.parametrize(
    ("status", "user", "environ", "remountable"),
    [
        pytest.param(ROOT, "0 0 4294967295", {}, True, id="root of a machine"),
        pytest.param(USER, "0 0 4294967295", {}, True, id="a user who may sudo"),
        pytest.param(LOCKED, "0 0 4294967295", {}, False, id="sudo does not work"),
        pytest.param(ROOT, "0 1000 1", {}, False, id="root of nothing but a namespace"),
        pytest.param(
            ROOT,
            "0 0 4294967295",
            {"container": "docker"},
            True,
            id="a privileged container",
        ),
        pytest.param(WEAK, "0 0 4294967295", {"container": "docker"}, False, id="a container"),
        pytest.param(ROOT, "0 100000 65536", {"container": "lxc"}, True, id="a system container"),
        pytest.param(USER, "0 100000 65536", {"container": "lxc"}, False, id="a user in one"),
        pytest.param(USER, "0 0 4294967295", {"SLURM_JOB_ID": "1"}, False, id="a Slurm job"),
    ],
)
def test_who_may_change_the_size(
    place: Place, status: str, user: str, environ: dict[str, str], remountable: bool
) -> None:
    place.environ = environ

    assert place.status(status).user(user).look().remountable is remountable


def test_only_a_tmpfs_has_a_size(place: Place) -> None:
    text = SLASH + "21 20 0:27 / /dev/shm rw - ext4 /dev/sdb rw\n"

    assert not place.mounts(text=text).look().remountable


@pytest.mark.parametrize(
    ("container", "source", "shared"),
    [
        ("", "tmpfs", False),
        ("docker", "shm", False),
        ("docker", "tmpfs", True),
        ("podman", "shm", False),
        ("lxc", "tmpfs", False),
    ],
)
def test_who_else_puts_files_there(place: Place, container: str, source: str, shared: bool) -> None:
    place.environ = {"container": container}

    assert place.mounts(source=source).look().shared_with_host is shared


@pytest.mark.parametrize("name", ["KUBERNETES_SERVICE_HOST", "APPTAINER_CONTAINER"])
def test_pods_and_apptainer_always_share(place: Place, name: str) -> None:
    place.environ = {name: "x"}

    assert place.mounts(source="shm").look().shared_with_host


def test_a_private_one_shows_all_who_can_hold(place: Place) -> None:
    place.environ = {"container": "docker"}
    (place.root / "dev/shm/psm_1").write_text("x")
    place.write("proc/1/stat", "1 (sh) S 0 1 1 0 -1 0 0\n").write("proc/1/maps", "")
    (place.root / "proc/1/fd").mkdir()

    (segment,) = place.namespace("pid", 7).mounts(source="shm").look().segments
    assert (segment.owner_alive, segment.held) == (None, False)

    (segment,) = place.mounts(source="tmpfs").look().segments
    assert segment.held is None


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /dev/shm")
def test_another_process_has_its_own(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "proc/7"
    other.mkdir()
    (other / "root").symlink_to(tmp_path)
    (other / "mountinfo").write_text(SLASH + TMPFS.format("ro", "shm"))
    seen = place.look(pid=7)
    assert seen.read_only
    assert seen.here

    (other / "root").unlink()
    (other / "root").symlink_to("/")
    assert not place.look(pid=7).here
    assert not place.look(pid=7).remountable

    (tmp_path / "dev/shm").rmdir()
    assert not place.look(pid=7).here


def test_numbers_mean_nothing_unless_both_are_in_the_first_namespace(
    place: Place, tmp_path: Path
) -> None:
    (place.root / "dev/shm/torch_5_1").write_text("x")
    place.write("proc/1/stat", "1 (sh) S 0 1 1 0 -1 0 0\n").write("proc/1/maps", "")
    (tmp_path / "proc/1/fd").mkdir()
    (tmp_path / "proc/7/ns").mkdir(parents=True)
    (tmp_path / "proc/7/root").symlink_to(tmp_path)

    def alive(ours: int, its: int) -> bool | None:
        place.namespace("pid", ours)
        link = tmp_path / "proc/7/ns/pid"
        link.unlink(missing_ok=True)
        link.symlink_to(f"pid:[{its}]")
        (segment,) = place.look(pid=7).segments
        return segment.owner_alive

    first = 4026531836
    assert alive(first, first) is False
    assert alive(first, 7) is None
    assert alive(7, first) is None


@pytest.mark.parametrize(
    ("number", "source", "environ", "first", "sure"),
    [
        pytest.param(4026531836, "tmpfs", {}, True, True, id="all are seen"),
        pytest.param(4026531836, "tmpfs", {}, False, False, id="some are hidden"),
        pytest.param(4026539999, "shm", {"container": "docker"}, True, True, id="own"),
        pytest.param(4026539999, "tmpfs", {"container": "docker"}, True, False, id="--ipc=host"),
        pytest.param(4026539999, "shm", {}, True, False, id="nobody knows where"),
    ],
)
def test_whether_all_who_put_files_there_are_seen(
    place: Place,
    number: int,
    source: str,
    environ: dict[str, str],
    first: bool,
    sure: bool,
) -> None:
    place.namespace("pid", number).mounts(source=source)
    if first:
        place.write("proc/1/stat", "1 (init) S 0 1 1 0 0 0 0\n")
    machine = Machine(root=place.root, system="linux", environ=environ)

    assert sees_all_writers(machine, place.root / "dev/shm") is sure
