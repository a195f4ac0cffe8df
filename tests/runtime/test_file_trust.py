"""What is judged is what is read: by descriptor, before the content is used."""

import os
from pathlib import Path

import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files
from pipedoctor.runtime.file_trust import find_distrust, list_trusted_users, read_judged
from pipedoctor.watch.output.recording import WatchRecorder

STRANGER = 1234
pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no user ids here")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes links of other users")


def test_a_file_of_one_s_own_is_read(tmp_path: Path) -> None:
    file = tmp_path / "pipedoctor.toml"
    file.write_text("quick = true\n")

    assert read_judged(file, list_trusted_users(), 100) == (b"quick = true\n", "")


def test_another_file_of_the_same_name_is_not_the_one_that_was_opened(tmp_path: Path) -> None:
    file, other = tmp_path / "pipedoctor.toml", tmp_path / "other"
    file.write_text("from = 'a stranger'\n")
    opened = file.stat()
    other.write_text("mine = true\n")
    other.rename(file)

    assert find_distrust(file, list_trusted_users()) == ""
    reason = find_distrust(file, list_trusted_users(), open_status=opened)
    assert reason == "it was replaced while it was read"


def test_links_on_the_way_are_no_replacement(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/x").write_text("a")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/y").symlink_to("x")

    assert read_judged(tmp_path / "link/y", list_trusted_users(), 100) == (b"a", "")


@pytest.mark.root
def test_a_stranger_s_file_is_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("a")
    os.chown(file, 65534, 65534)

    assert "belongs to user" in read_judged(file, list_trusted_users(), 100)[1]


@needs_root
@pytest.mark.parametrize(
    ("owner", "mode", "refused"),
    [
        pytest.param(STRANGER, 0o1777, True, id="of another user, in a sticky folder"),
        pytest.param(0, 0o1777, False, id="one's own"),
        pytest.param(STRANGER, 0o755, False, id="where nobody else can write"),
    ],
)
def test_a_link_that_another_user_laid_is_not_written_through(
    tmp_path: Path, owner: int, mode: int, refused: bool
) -> None:
    """As with the kernel's own protection, which a path that is resolved first escapes."""
    victim, shared = tmp_path / "victim", tmp_path / "shared"
    victim.write_text("precious")
    shared.mkdir()
    shared.chmod(mode)
    (shared / "out.json").symlink_to(victim)
    os.chown(shared / "out.json", owner, owner, follow_symlinks=False)

    if refused:
        with pytest.raises(UnreadableError, match=f"is a link that belongs to user id {STRANGER}"):
            files.store_file(str(shared / "out.json"), b"report")
        with pytest.raises(OSError, match="is a link that belongs to"):
            WatchRecorder(str(shared / "out.json"))
    else:
        files.store_file(str(shared / "out.json"), b"report")

    assert victim.read_text() == ("precious" if refused else "report")
