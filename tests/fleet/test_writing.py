"""One report a node and not a rank, whole or not at all, under a name without traps."""

import contextlib
import datetime as dt
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote

import pytest

from pipedoctor.fleet import local_rank
from pipedoctor.fleet.folder import FolderError
from pipedoctor.fleet.ingest import parse_node_name
from pipedoctor.fleet.local_rank import RANK_VARIABLES, elect_process, get_local_rank
from pipedoctor.fleet.node_name import build_file_name, get_node
from pipedoctor.fleet.store import check_target, store_report

MOMENT = dt.datetime(2026, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))


@pytest.mark.parametrize(
    ("node", "file"),
    [
        pytest.param("h1", "h1--20260101T000000Z.json", id="plain"),
        pytest.param("h1.x.y", "h1.x.y--20260101T000000Z.json", id="a domain"),
        pytest.param(".h", "%2Eh--20260101T000000Z.json", id="a dot first"),
        pytest.param("../../etc", "%2E.%2F..%2Fetc--20260101T000000Z.json", id="a path"),
        pytest.param("a--b", "a-%2Db--20260101T000000Z.json", id="dashes"),
        pytest.param("ü\n", "%C3%BC%0A--20260101T000000Z.json", id="letters"),
    ],
)
def test_a_file_is_named_after_its_node(node: str, file: str) -> None:
    assert build_file_name(node, MOMENT) == file
    assert parse_node_name(file) == node
    assert unquote(file).startswith(node)


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        pytest.param({}, "host", id="the host name"),
        pytest.param({"SLURMD_NODENAME": "s1"}, "s1", id="Slurm's"),
        pytest.param({"NODE_NAME": "k1"}, "k1", id="Kubernetes'"),
        pytest.param({"SLURMD_NODENAME": " "}, "host", id="a blank"),
    ],
)
def test_a_node_is_called_as_its_scheduler_calls_it(environ: Mapping[str, str], name: str) -> None:
    assert get_node(environ, "host").name == name
    assert get_node({}, "").name == "localhost"


@pytest.mark.parametrize("variable", RANK_VARIABLES)
@pytest.mark.parametrize(("rank", "writes"), [("0", True), ("3", False)])
def test_launchers_tell_the_rank(variable: str, rank: str, writes: bool, tmp_path: Path) -> None:
    with elect_process({variable: rank}, str(tmp_path)) as mine:
        assert mine is writes


@pytest.mark.parametrize(
    ("environ", "rank"),
    [
        pytest.param({}, None, id="nobody"),
        pytest.param({"SLURM_LOCALID": "0", "LOCAL_RANK": "2"}, 2, id="nested"),
        pytest.param({"SLURM_LOCALID": "0", "LOCAL_RANK": "0"}, 0, id="first of both"),
        pytest.param({"LOCAL_RANK": "x"}, None, id="no number"),
        pytest.param({"LOCAL_RANK": "9" * 5000}, None, id="huge"),
        pytest.param({"JOB_COMPLETION_INDEX": "3"}, None, id="a pod is not a rank"),
    ],
)
def test_the_largest_rank_counts(environ: Mapping[str, str], rank: int | None) -> None:
    assert get_local_rank(environ) == rank


ELECT = """
import sys, time
from pipedoctor.fleet.local_rank import elect_process
with elect_process({}, sys.argv[1]) as mine:
    print(int(mine))
    time.sleep(mine * float(sys.argv[2]))
"""


def electing(target: Path, seconds: float) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-c", ELECT, str(target), str(seconds)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE)


def test_of_processes_that_nobody_numbers_one_writes(tmp_path: Path) -> None:
    running = [electing(tmp_path, 1.0) for _ in range(4)]

    said = [process.communicate()[0].strip() for process in running]

    assert sorted(said) == [b"0", b"0", b"0", b"1"]


def test_a_late_one_of_the_same_launch_leaves_it(tmp_path: Path) -> None:
    late = [sys.executable, "-c", f"import time; time.sleep(1.5){ELECT}"]
    second = subprocess.Popen([*late, str(tmp_path), "0"], stdout=subprocess.PIPE, text=True)
    first = electing(tmp_path, 0.1)

    assert first.communicate()[0] == b"1\n"
    assert second.communicate()[0] == "0\n"


def test_the_next_launch_writes_again(tmp_path: Path) -> None:
    for _ in range(2):
        process = electing(tmp_path, 0)
        assert process.communicate()[0] == b"1\n"
        time.sleep(0.1)


def test_the_lock_is_of_this_folder_and_this_node(tmp_path: Path) -> None:
    with (
        elect_process({}, f"{tmp_path}/a", "n1") as one,
        elect_process({}, f"{tmp_path}/b", "n1") as elsewhere,
        elect_process({}, f"{tmp_path}/a", "n2") as other,
        elect_process({}, f"{tmp_path}/a", "n1") as again,
    ):
        assert (one, elsewhere, other, again) == (True, True, True, False)


def _give_away(lock: Path) -> None:
    if os.geteuid():
        pytest.skip("only root makes files of other users")
    os.chown(lock, 1234, 1234)


def _replace_by_pipe(lock: Path) -> None:
    lock.unlink()
    os.mkfifo(lock)


def _replace_by_link(lock: Path) -> None:
    lock.rename(lock.parent / "victim")
    lock.symlink_to("victim")


def _spoil(lock: Path) -> None:
    lock.write_bytes(b"\xff x")


LAID: dict[str, Callable[[Path], None]] = {
    "a file of another user": _give_away,
    "a pipe": _replace_by_pipe,
    "a link": _replace_by_link,
    "no number": _spoil,
}


@pytest.mark.parametrize("laid", LAID)
def test_a_lock_that_another_user_has_laid_keeps_nobody_from_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, laid: str
) -> None:
    """It stood under a name that anybody can compute: his lock suppressed our report."""
    monkeypatch.setattr(local_rank, "LOCK_FOLDER", str(tmp_path / "shm"))
    (tmp_path / "shm").mkdir()
    with elect_process({}, "target", "n1"):
        pass
    (lock,) = (tmp_path / "shm").iterdir()
    with contextlib.ExitStack() as stack:
        LAID[laid](lock)
        if laid == "a file of another user":
            fcntl.flock(stack.enter_context(lock.open("rb")), fcntl.LOCK_EX)
        with elect_process({"TMPDIR": str(tmp_path)}, "target", "n1") as mine:
            assert mine


def test_a_report_is_renamed_into_its_place(tmp_path: Path) -> None:
    store_report(str(tmp_path), "n1.json", b"{}\n")

    assert [path.name for path in tmp_path.iterdir()] == ["n1.json"]
    assert (tmp_path / "n1.json").read_bytes() == b"{}\n"


def test_a_report_can_go_to_a_url(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")

    check_target(f"file://{tmp_path}")
    store_report(f"file://{tmp_path}", "n1.json", b"{}\n")

    assert [path.name for path in tmp_path.iterdir()] == ["n1.json"]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "n1.json").mkdir()

    with pytest.raises(FolderError, match=r"n1\.json cannot be written: Is a dir"):
        store_report(str(tmp_path), "n1.json", b"{}\n")

    assert [path.name for path in tmp_path.iterdir()] == ["n1.json"]


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_place_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(FolderError, match=name):
        check_target(str(tmp_path / name))


def test_many_writers_leave_one_whole_file_each(tmp_path: Path) -> None:
    write = """
import sys
from pipedoctor.fleet.store import store_report
for number in range(25):
    store_report(sys.argv[1], f"{sys.argv[2]}-{number}.json", b'{"n": 1}' * 9000)
"""
    running = [
        subprocess.Popen([sys.executable, "-c", write, str(tmp_path), str(n)]) for n in range(4)
    ]

    assert [process.wait() for process in running] == [0] * 4
    sizes = {path.stat().st_size for path in tmp_path.iterdir()}
    assert (len(list(tmp_path.iterdir())), sizes) == (100, {72_000})
    assert json.loads((tmp_path / "0-0.json").read_bytes()[:8]) == {"n": 1}
