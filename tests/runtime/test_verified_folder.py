"""Folders that nobody else can write: what is trusted, and what is left alone."""

import grp
import os
import pwd
import stat
import time
from pathlib import Path

import pytest

from pipedoctor.runtime import state_dir, trusted_path
from pipedoctor.runtime.trusted_path import UntrustedError, explain_distrust, open_trusted
from pipedoctor.runtime.verified_folder import DRAFT_MAX_AGE, VerifiedFolder

ME = os.geteuid()
needs_root = pytest.mark.skipif(ME != 0, reason="only root makes files of other users")


@pytest.fixture
def folder(tmp_path: Path) -> VerifiedFolder:
    (tmp_path / "f").mkdir()
    return VerifiedFolder(os.open(tmp_path / "f", os.O_RDONLY), str(tmp_path / "f"))


def trust(path: Path, *, create: bool = False) -> Path:
    descriptor = open_trusted(str(path), ME, create_below="/" if create else "")
    try:
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    finally:
        os.close(descriptor)


def test_links_of_ones_own_lead_on(tmp_path: Path) -> None:
    (tmp_path / "real/inner").mkdir(parents=True)
    (tmp_path / "one").symlink_to("two/../two")
    (tmp_path / "two").symlink_to(tmp_path / "real")

    assert trust(tmp_path / "one/inner") == tmp_path / "real/inner"
    assert trust(tmp_path / "one/new/er", create=True) == tmp_path / "real/new/er"


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(OSError, match="Too many levels"):
        trust(tmp_path / "a/c")


@needs_root
def test_links_and_folders_of_others_do_not(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    os.chown(tmp_path / "link", 1234, 1234, follow_symlinks=False)

    with pytest.raises(UntrustedError, match="link is a link that belongs to user 1234"):
        trust(tmp_path / "link")
    os.chown(tmp_path / "real", 1234, 1234)
    with pytest.raises(UntrustedError, match="real belongs to user 1234"):
        trust(tmp_path / "real/inner", create=True)
    assert list((tmp_path / "real").iterdir()) == []


def test_what_is_missing_or_no_folder_says_where(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(FileNotFoundError) as missing:
        trust(tmp_path / "no/where")
    with pytest.raises(NotADirectoryError) as wrong:
        trust(tmp_path / "file/in")

    assert missing.value.filename == str(tmp_path / "no")
    assert wrong.value.filename == str(tmp_path / "file")


@pytest.mark.parametrize(
    ("name", "gid", "members", "trusted"),
    [
        ("ada", 1234, [], True),
        ("ada", 1234, ["ada"], True),
        ("ada", 1234, ["ada", "bob"], False),
        ("users", 1234, [], False),
        ("ada", 99, [], False),
    ],
)
def test_the_group_of_one_user_alone_is_that_user(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    gid: int,
    members: list[str],
    trusted: bool,
) -> None:
    """Many systems give each user a group, and a umask that lets it write."""
    user = pwd.struct_passwd(("ada", "x", 77, 1234, "", "/", ""))
    monkeypatch.setattr(pwd, "getpwuid", {77: user}.__getitem__)
    group = grp.struct_group((name, "x", gid, members))
    monkeypatch.setattr(grp, "getgrgid", {gid: group}.__getitem__)
    status = os.stat_result((stat.S_IFDIR | 0o775, 1, 1, 1, 77, gid, 0, 0, 0, 0))

    assert bool(explain_distrust(status, 77)) is not trusted


def test_a_number_without_a_user_has_no_group_of_its_own() -> None:
    status = os.stat_result((stat.S_IFDIR | 0o775, 1, 1, 1, 54321, 54321, 0, 0, 0, 0))

    assert explain_distrust(status, 54321) == "can be written by group 54321"


@pytest.mark.parametrize(
    ("map_", "trusted"),
    [("0 0 4294967295", False), ("1000 1000 1", True), ("", False), ("junk", False)],
)
def test_users_outside_of_a_container_are_its_root(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    map_: str,
    trusted: bool,
) -> None:
    """Where an ordinary user makes the container, root's folders show user 65534."""
    (tmp_path / "map").write_text(map_)
    monkeypatch.setattr(trusted_path, "_UID_MAP", str(tmp_path / "map"))
    trusted_path.find_unmapped_uid.cache_clear()
    status = os.stat_result((stat.S_IFDIR | 0o755, 1, 1, 1, 65534, 65534, 0, 0, 0, 0))

    assert bool(explain_distrust(status, 1000)) is not trusted
    trusted_path.find_unmapped_uid.cache_clear()


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc/passwd", "a\0b"])
def test_only_plain_names(folder: VerifiedFolder, name: str) -> None:
    with pytest.raises(UntrustedError, match="is not a plain name"):
        folder.write(name, b"x")


def test_what_is_written_is_private_and_read_back(folder: VerifiedFolder) -> None:
    folder.write("a", b"content")

    assert folder.read("a", 7) == b"content"
    assert stat.S_IMODE(folder.stat("a").st_mode) == 0o600
    assert folder.list_names() == ["a"]
    with pytest.raises(UntrustedError, match="a has more than 6 bytes"):
        folder.read("a", 6)


def test_a_link_is_replaced_and_never_followed(folder: VerifiedFolder, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    Path(folder.path, "a").symlink_to(victim)

    with pytest.raises(UntrustedError, match="a is not a regular file"):
        folder.read("a", 100)
    folder.write("a", b"ours")

    assert victim.read_text() == "theirs"
    assert folder.read("a", 100) == b"ours"


def test_a_failed_write_leaves_nothing(
    folder: VerifiedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a", b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        folder.write("a", b"new")

    assert folder.read("a", 100) == b"old"
    assert folder.list_names() == ["a"]


def test_only_drafts_of_ours_are_swept(folder: VerifiedFolder) -> None:
    old = time.time() - DRAFT_MAX_AGE - 9
    names = [".pipedoctor-0123456789abcdef", ".pipedoctor-mine", ".mine", ".a.json.1234"]
    for name in names:
        Path(folder.path, name).touch()
        os.utime(Path(folder.path, name), (old, old))
    Path(folder.path, ".pipedoctor-fedcba9876543210").mkdir()

    folder.remove_old_drafts()

    assert folder.list_names() == sorted([*names[1:], ".pipedoctor-fedcba9876543210"])


def test_a_state_folder_that_can_be_entered_is_closed_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "pipedoctor").mkdir()
    (tmp_path / "pipedoctor").chmod(0o755)

    state_dir.open_state_folder().close()

    assert stat.S_IMODE((tmp_path / "pipedoctor").stat().st_mode) == 0o700


@pytest.mark.parametrize("what", ["reports", "aliases.json", "lock"])
def test_links_in_the_state_folder_reach_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """0.1 took rights from what a link led to, wrote into it and pruned it."""
    import datetime as dt  # noqa: PLC0415  (here alone)

    from pipedoctor.privacy.alias_book import AliasStore  # noqa: PLC0415
    from pipedoctor.report import archive  # noqa: PLC0415

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    theirs.chmod(0o755)
    (theirs / ".old").touch()
    (theirs / "20200101T000000Z-note-abcdef.json.gz").touch()
    os.utime(theirs / ".old", (0, 0))
    target = theirs if what == "reports" else theirs / ".old"
    (tmp_path / "state/pipedoctor").mkdir(parents=True)
    (tmp_path / "state/pipedoctor" / what).symlink_to(target)

    store = AliasStore()
    store.reserve_numbers({("user", "alice"): 1})
    if what == "reports":
        with pytest.raises(archive.ArchiveError, match="reports is a link"):
            archive.save_report(b"{}", "note", dt.datetime.now(tz=dt.timezone.utc))
        assert archive.list_reports() == []
    else:
        assert f"{what} is not a regular file" in store.failure_reason

    assert stat.S_IMODE(theirs.stat().st_mode) == 0o755
    assert len(list(theirs.iterdir())) == 2
    assert (theirs / ".old").read_bytes() == b""


def test_a_folder_that_nobody_uses_is_closed(folder: VerifiedFolder) -> None:
    descriptor = folder.open_folder("inner", create=True).descriptor

    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
