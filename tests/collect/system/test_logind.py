"""The logind section: precedence of files, sessions, users, and what is not known."""

from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.logind import logind
from pipedoctor.facts import Logind, UnreadableError

YES, NO = "[Login]\nRemoveIPC=yes\n", "[Login]\nRemoveIPC=no\n"


def put(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, "proc/self/status", "Uid:\t1000\t1000\t1000\t1000\n")
    return tmp_path


def look(root: Path) -> Logind:
    return logind(Machine(root=root, system="linux"), lambda _: None)


def test_a_machine_without_systemd(root: Path) -> None:
    (root / "run/systemd/seats").mkdir(parents=True)

    assert look(root) == Logind(
        running=False,
        remove_ipc=True,
        remove_ipc_source="default",
        uid=1000,
        in_session=False,
    )


@pytest.mark.parametrize(
    "sign",
    [
        "run/systemd/seats/seat0",
        "sys/fs/cgroup/system.slice/systemd-logind.service",
        "sys/fs/cgroup/systemd/system.slice/systemd-logind.service",
        "sys/fs/cgroup/unified/system.slice/systemd-logind.service",
    ],
)
def test_logind_runs(root: Path, sign: str) -> None:
    (root / sign).mkdir(parents=True)
    assert not look(root).running
    (root / "run/systemd/system").mkdir(parents=True)
    assert look(root).running


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({}, (True, "default"), id="systemd's own default"),
        pytest.param(
            {"etc/systemd/logind.conf": NO},
            (False, "/etc/systemd/logind.conf"),
            id="main file",
        ),
        pytest.param(
            {"etc/systemd/logind.conf": "[Login]\n#RemoveIPC=no\n"},
            (False, "default, as /etc/systemd/logind.conf says"),
            id="the comment tells the default",
        ),
        pytest.param(
            {"usr/lib/systemd/logind.conf": NO, "etc/systemd/logind.conf": YES},
            (True, "/etc/systemd/logind.conf"),
            id="only the first main file counts",
        ),
        pytest.param(
            {
                "etc/systemd/logind.conf": YES,
                "usr/lib/systemd/logind.conf.d/10-vendor.conf": NO,
            },
            (False, "/usr/lib/systemd/logind.conf.d/10-vendor.conf"),
            id="any drop-in beats the main file",
        ),
        pytest.param(
            {
                "etc/systemd/logind.conf.d/10-a.conf": YES,
                "usr/lib/systemd/logind.conf.d/20-b.conf": NO,
            },
            (False, "/usr/lib/systemd/logind.conf.d/20-b.conf"),
            id="the last name wins wherever it lies",
        ),
        pytest.param(
            {
                "etc/systemd/logind.conf.d/10-a.conf": "",
                "run/systemd/logind.conf.d/10-a.conf": NO,
            },
            (True, "default"),
            id="etc masks a file of the same name",
        ),
        pytest.param(
            {"etc/systemd/logind.conf.d/10-a.conf.off": NO},
            (True, "default"),
            id="another ending",
        ),
        pytest.param(
            {"etc/systemd/logind.conf": "[Manager]\nRemoveIPC=no\n"},
            (True, "default"),
            id="another section",
        ),
        pytest.param(
            {"etc/systemd/logind.conf": "[Login]\nRemoveIPC=maybe\n; RemoveIPC=no\n"},
            (True, "default"),
            id="no boolean",
        ),
        pytest.param(
            {"etc/systemd/logind.conf": "[Login]\n RemoveIPC = Off \n"},
            (False, "/etc/systemd/logind.conf"),
            id="spaces and another word for no",
        ),
        pytest.param(
            {"etc/os-release": 'ID="rocky"\nID_LIKE="rhel centos fedora"\n'},
            (None, "default"),
            id="Red Hat's family builds it otherwise",
        ),
        pytest.param(
            {"usr/lib/os-release": "ID=fedora\n"},
            (None, "default"),
            id="os-release in its other place",
        ),
        pytest.param(
            {"etc/os-release": "ID=ubuntu\nID_LIKE=debian\n"},
            (True, "default"),
            id="Debian's takes it as it is",
        ),
    ],
)
def test_remove_ipc(root: Path, files: dict[str, str], expected: tuple[bool | None, str]) -> None:
    for name, text in files.items():
        put(root, name, text)

    seen = look(root)

    assert (seen.remove_ipc, seen.remove_ipc_source) == expected


@pytest.mark.parametrize(
    ("uid", "defs", "system"),
    [
        pytest.param(1000, "", False, id="first user"),
        pytest.param(999, "", True, id="last system user"),
        pytest.param(65534, "", True, id="nobody"),
        pytest.param(500, "SYS_UID_MAX\t\t499\n", False, id="login.defs, user"),
        pytest.param(499, "SYS_UID_MAX\t\t499\n", True, id="login.defs, system user"),
        pytest.param(500, "#SYS_UID_MAX 499\n", True, id="a comment says nothing"),
    ],
)
def test_system_users(root: Path, uid: int, defs: str, *, system: bool) -> None:
    put(root, "proc/self/status", f"Uid:\t{uid}\t0\t0\t0\n")
    put(root, "etc/login.defs", defs)

    assert look(root).system_user is system


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("run/systemd/users/1000", "NAME=ann\nSTATE=active\n"),
        ("etc/passwd", "root:x:0:0:::\nann:x:1000:1000:::\n"),
    ],
)
def test_linger(root: Path, file: str, text: str) -> None:
    assert look(root).linger is None
    put(root, file, text)
    assert look(root).linger is False
    put(root, "var/lib/systemd/linger/ann", "")
    assert look(root).linger is True


def test_a_hostile_name_is_no_path(root: Path) -> None:
    put(root, "run/systemd/users/1000", "NAME=../../../etc/passwd\n")
    put(root, "etc/passwd", "")

    assert look(root).linger is None


@pytest.mark.parametrize(
    ("group", "session", "expected"),
    [
        (
            "0::/user.slice/user-1000.slice/session-3.scope\n",
            "REMOTE=1\n",
            (True, True),
        ),
        (
            "1:name=systemd:/user.slice/user-1000.slice/session-3.scope\n0::/\n",
            "REMOTE=0\n",
            (True, False),
        ),
        ("0::/user.slice/user-1000.slice/session-3.scope/x\n", "", (True, None)),
        ("0::/system.slice/docker-5.scope\n", "REMOTE=1\n", (False, None)),
        ("0::/user.slice/user-1000.slice/user@1000.service\n", "", (False, None)),
    ],
)
def test_session(root: Path, group: str, session: str, expected: tuple[bool, bool | None]) -> None:
    put(root, "proc/self/cgroup", group)
    put(root, "run/systemd/sessions/3", session)

    seen = look(root)

    assert (seen.in_session, seen.remote) == expected


def test_nobody_knows_whose_process_it_is(tmp_path: Path) -> None:
    seen = look(tmp_path)

    assert (seen.uid, seen.system_user, seen.linger) == (None, False, None)


def test_only_on_linux() -> None:
    with pytest.raises(UnreadableError, match="only available on Linux, not on darwin"):
        logind(Machine(system="darwin"), lambda _: None)
