"""A ward: namespaces with a small /dev/shm, its own /etc and /var/lib."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.fix.engine.engine import LockedJournal
from pipedoctor.fix.journal.journal import Journal
from pipedoctor.fix.journal.lock import hold_lock
from pipedoctor.runtime.verified_folder import VerifiedFolder
from pipedoctor.units import MiB

NOBODY = 65534
FSTAB = "# kept as it is\nUUID=1234 /  ext4\tdefaults 0 1\n"

MAKE = """
mount --make-rprivate /
mount -t tmpfs -o size=64m,nosuid,nodev tmpfs /dev/shm
mount --bind "$1" /etc
mount -t tmpfs -o mode=755 tmpfs /var/lib
echo ready
exec sleep 600
"""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


LEAVE_IN_THE_MIDDLE = """
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.entry import FixState
journal = journals.find_writable()
journal.save(journal.read_entries()[-1], state=FixState.APPLYING)
"""


@dataclass(frozen=True)
class Ward:
    """Runs commands in the namespace of a sleeping process."""

    holder: int
    etc: Path

    @property
    def enter(self) -> tuple[str, ...]:
        return ("nsenter", "--target", str(self.holder), "--mount", "--net", "--")

    def run(
        self,
        *argv: str,
        uid: int = 0,
        env: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> Done:
        become = ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
        done = subprocess.run(
            [*self.enter, *(become if uid else ()), *argv],
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**(self.bare if uid else self.environ), **(env or {})},
            timeout=timeout,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @property
    def environ(self) -> dict[str, str]:
        """Ours, but for what says where a journal is: so root uses the machine's."""
        dropped = {"XDG_STATE_HOME", "SUDO_USER"}
        kept = {k: v for k, v in os.environ.items() if k not in dropped}
        return {**kept, "HOME": "/nonexistent"}

    @property
    def bare(self) -> dict[str, str]:
        """For another user, who cannot write where coverage is measured."""
        return {k: v for k, v in self.environ.items() if "COVERAGE" not in k}

    def fix(self, *args: str, **options: Any) -> Done:
        return self.run(sys.executable, "-m", "pipedoctor", "fix", *args, **options)

    def leave_in_the_middle(self) -> None:
        """Let the newest fix say that it is being applied, when nobody is at it."""
        done = self.run(sys.executable, "-c", LEAVE_IN_THE_MIDDLE)
        assert done.code == 0, done.err

    @property
    def root(self) -> Path:
        """Its files, as they are seen from here."""
        return Path(f"/proc/{self.holder}/root")

    def shm(self) -> int:
        """MiB of /dev/shm."""
        size = os.statvfs(self.root / "dev/shm")
        return size.f_blocks * size.f_frsize // MiB

    def states(self, **options: Any) -> list[str]:
        """
        How far the fixes came, oldest first.

        Of whom `options` do not name it is read from the journal of root, without a
        program: --history has tests of its own.
        """
        if not options:
            folders = (self.root / "var/lib/pipedoctor/journal").glob("[0-9]*-[0-9]*")
            return [_read_state(one) for one in sorted(folders, key=_get_number)]
        done = self.fix("--history", "--format", "json", **options)
        assert done.code == 0, done.err
        entries = json.loads(done.out)["entries"]
        return [entry.get("state", "unreadable") for entry in entries]

    @property
    def fstab(self) -> Path:
        return self.etc / "fstab"


def _get_number(folder: Path) -> int:
    return int(folder.name.rpartition("-")[2])


def _read_state(folder: Path) -> str:
    try:
        return str(json.loads((folder / "entry.json").read_bytes())["state"])
    except (OSError, ValueError, KeyError):
        return "unreadable"


LARGE_FOLDERS = ("ssl", "fonts", "X11", "apt", "java-*", "xdg", "dpkg", "init.d", "rc?.d")
"""Of /etc, which nothing in a ward reads: a third of its files."""


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[Ward]:
    etc = tmp_path / "etc"
    unread = shutil.ignore_patterns(*LARGE_FOLDERS)
    shutil.copytree("/etc", etc, symlinks=True, ignore=unread)
    (etc / "fstab").write_text(FSTAB)
    (etc / "security/limits.d").mkdir(parents=True, exist_ok=True)
    (etc / "systemd").mkdir(exist_ok=True)
    holder = subprocess.Popen(
        ["unshare", "--mount", "--net", "sh", "-ec", MAKE, "sh", str(etc)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "ready\n"
    yield Ward(holder.pid, etc)
    holder.kill()
    holder.wait()
    holder.stdout.close()


@pytest.fixture
def nobody(ward: Ward) -> int:
    """Another user, where such a user can run this interpreter."""
    probe = ward.run(sys.executable, "-c", "import pipedoctor", uid=NOBODY)
    if probe.code:
        pytest.skip("another user cannot run this interpreter")
    return NOBODY


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[LockedJournal]:
    with (
        VerifiedFolder(os.open(tmp_path, os.O_RDONLY), str(tmp_path)) as home,
        home.open_folder("journal", create=True) as folder,
        hold_lock(folder) as lock,
    ):
        yield LockedJournal(journal=Journal(folder), lock=lock)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that holds ``before``."""
    path = tmp_path / "old"
    path.write_bytes(b"before")
    return path


@pytest.fixture
def leaked() -> str:
    """A segment of a process that has ended; nobody has made it yet."""
    dead = subprocess.Popen(["true"])
    dead.wait()
    return f"/dev/shm/torch_{dead.pid}_123_0"
