"""The table of file systems: every row has a source, a day, and a kind we know."""

import datetime as dt

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Filesystem, Filesystems, Mount

(TABLE,) = (t for t in get_catalogue().tables if isinstance(t, Filesystems))
KINDS = {
    "local",
    "network",
    "network_parallel",
    "fuse_object",
    "fuse_network",
    "fuse_unknown",
    "vm_shared",
    "memory",
    "overlay",
    "local_archive",
    "stacked",
    "trigger",
}


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.fstype)
def test_row_is_whole(row: Filesystem) -> None:
    assert row.kind in KINDS
    assert row.source
    assert dt.date.fromisoformat(row.checked).year >= 2026
    assert row.confirmed is (row.source != "general knowledge")
    assert row.advice != "-"


def test_no_type_twice() -> None:
    assert len({row.fstype for row in TABLE.rows}) == len(TABLE.rows)


@pytest.mark.parametrize(
    ("fstype", "source", "row"),
    [
        ("nfs4", "filer:/x", "nfs4"),
        ("fuse.s3fs", "s3fs", "fuse.s3fs"),
        ("fuse.new", "new", "fuse"),
        ("fuse", "mountpoint-s3", "mountpoint-s3"),
        ("fuse", "JuiceFS:photos", "JuiceFS:"),
        ("fuse", "mine", "fuse"),
        ("fuseblk", "/dev/sda1", "fuseblk"),
        ("newfs", "x", None),
    ],
)
def test_row_of_a_mount(fstype: str, source: str, row: str | None) -> None:
    found = TABLE.find_by_mount(Mount(point="/data", fstype=fstype, source=source))

    assert (found.fstype if found else None) == row
