"""Mountinfo is read as the kernel resolves paths: by tree, not by text alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path, find_mount, mounts
from pipedoctor.facts import Mount

HOST = r"""22 27 0:21 / /proc rw,relatime shared:7 - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
30 27 0:30 / /mnt/my\040data\134x ro,noatime - nfs4 filer:/export\040one rw,vers=4.2
31 27 8:1 /photos/2024 /srv/bound rw - xfs /dev/sda1 rw
32 27 0:31 / /home rw - btrfs /dev/sdb1 ro,subvol=/@home
40 27 0:40 / /var/lib/o rw - overlay overlay rw,lowerdir=/a:/b\054c,upperdir=/u
"""


def machine(root: Path, mountinfo: str) -> Machine:
    process = root / "proc" / "self"
    process.mkdir(parents=True)
    (process / "mountinfo").write_bytes(os.fsencode(mountinfo))
    return Machine(root=root, environ={})


def under(root: Path, mountinfo: str, path: str) -> Mount:
    found = find_mount(path, mounts(machine(root, mountinfo)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("path", "point"),
    [
        pytest.param("/", "/", id="the root"),
        pytest.param("/etc/passwd", "/", id="a file on the root"),
        pytest.param("/home", "/home", id="the mount point itself"),
        pytest.param("/home/", "/home", id="with a slash behind it"),
        pytest.param("/homes/x", "/", id="a name that only begins alike"),
        pytest.param("/mnt/my data\\x/a", "/mnt/my data\\x", id="escaped letters"),
    ],
)
def test_longest_mount_point_wins(tmp_path: Path, path: str, point: str) -> None:
    assert under(tmp_path, HOST, path).point == point


def test_everything_a_line_says(tmp_path: Path) -> None:
    assert under(tmp_path, HOST, "/mnt/my data\\x") == Mount(
        point="/mnt/my data\\x",
        fstype="nfs4",
        source="filer:/export one",
        options=("ro", "noatime", "vers=4.2"),
        device="0:30",
    )


def test_bind_mount_names_the_folder_it_shows(tmp_path: Path) -> None:
    assert under(tmp_path, HOST, "/srv/bound/a").root == "/photos/2024"


def test_read_only_file_system_under_a_writable_mount(tmp_path: Path) -> None:
    assert under(tmp_path, HOST, "/home/me").options == ("ro", "subvol=/@home")


def test_commas_inside_an_overlay_option_stay(tmp_path: Path) -> None:
    options = under(tmp_path, HOST, "/var/lib/o").options

    assert options == ("rw", "lowerdir=/a:/b,c", "upperdir=/u")


def test_last_of_two_on_one_point_wins(tmp_path: Path) -> None:
    twice = "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
    twice += "2 1 0:2 / /shm rw - tmpfs first rw\n3 2 0:3 / /shm rw - tmpfs second rw\n"

    assert under(tmp_path, twice, "/shm/x").source == "second"
    assert [m.source for m in mounts(Machine(root=tmp_path))] == ["/dev/sda", "second"]


def test_last_of_two_beside_each_other_wins(tmp_path: Path) -> None:
    twice = "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
    twice += "2 1 0:2 / /shm rw - tmpfs first rw\n3 1 0:3 / /shm rw - tmpfs second rw\n"

    assert under(tmp_path, twice, "/shm/x").source == "second"


def test_mount_hidden_under_a_later_one_is_not_seen(tmp_path: Path) -> None:
    hidden = "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
    hidden += "2 1 0:2 / /data/deep rw - nfs hidden rw\n"
    hidden += "4 2 0:4 / /data/deep/er rw - nfs below rw\n"
    hidden += "3 1 0:3 / /data rw - tmpfs above rw\n"

    assert under(tmp_path, hidden, "/data/deep/er").source == "above"


def test_process_in_a_chroot_has_no_root_mount(tmp_path: Path) -> None:
    there = machine(tmp_path, "50 33 0:5 / /proc rw - proc proc rw\n")

    assert find_mount("/etc", mounts(there)) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("garbage\n", id="one word"),
        pytest.param("a b 0:1 / / rw - ext4 x rw\n", id="no numbers"),
        pytest.param("1 2 0:1 / /\n", id="cut short"),
        pytest.param("1 2 0:1 / / rw - ext4", id="cut short behind the dash"),
        pytest.param("1 2 0:1 / / rw - a b\n2 1 0:1 / / rw - c d\n", id="a circle"),
    ],
)
def test_nonsense_is_not_a_mount(tmp_path: Path, text: str) -> None:
    assert mounts(machine(tmp_path, text)) == []


def test_its_own_parent_and_no_super_options(tmp_path: Path) -> None:
    assert under(tmp_path, "1 1 0:1 / / rw - ext4 /dev/sda\n", "/x").options == ("rw",)


def test_no_mountinfo_at_all(tmp_path: Path) -> None:
    assert mounts(Machine(root=tmp_path)) == []


def test_names_that_are_no_utf8_are_found_and_can_be_written(tmp_path: Path) -> None:
    name = os.fsdecode(b"/mnt/\xff")
    root = "1 0 8:1 / / rw - ext4 /dev/sda rw\n"

    found = under(tmp_path, f"{root}2 1 0:2 / {name} rw - nfs a:/b rw\n", f"{name}/x")

    assert found.point == escape_path(name) == "/mnt/\\xff"


def test_another_process_has_its_own(tmp_path: Path) -> None:
    machine(tmp_path, HOST)
    other = tmp_path / "proc" / "7"
    other.mkdir()
    (other / "mountinfo").write_text("1 0 8:1 / / rw - xfs /dev/sdz rw\n")

    assert [m.fstype for m in mounts(Machine(root=tmp_path, pid=7))] == ["xfs"]


def test_thousands_of_mounts_take_no_time(tmp_path: Path) -> None:
    lines = ["1 0 8:1 / / rw - ext4 /dev/sda rw\n"]
    lines += [f"{n} 1 0:{n} / /mnt/{n} rw - nfs a:/{n} rw\n" for n in range(2, 8000)]

    assert under(tmp_path, "".join(lines), "/mnt/7999/x").source == "a:/7999"


def test_this_machine() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("mountinfo is known on Linux only")
    proc = find_mount("/proc/1", mounts(Machine()))

    assert proc is not None
    assert proc.fstype == "proc"


@pytest.mark.root
def test_bind_over_tmpfs_for_real() -> None:
    show = "from pipedoctor.collect.mounts import *; from pipedoctor.collect.machine "
    show += "import Machine; print(find_mount('/mnt/x', mounts(Machine())).point)"
    script = f"""mount -t tmpfs one /mnt && mkdir /mnt/x && mount -t tmpfs two /mnt/x &&
    mount -t tmpfs three /mnt && exec {sys.executable} -c "{show}" """

    seen = subprocess.run(["unshare", "-m", "sh", "-c", script], check=True, capture_output=True)

    assert seen.stdout == b"/mnt\n"
