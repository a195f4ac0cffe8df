"""The newest report of each node is judged, whatever files are called."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.fleet.folder import FolderError
from pipedoctor.fleet.ingest import ingest_reports, open_folders, parse_node_name
from tests.fleet.node_reports import report

Put = Callable[..., Path]


@pytest.mark.parametrize(
    ("file", "node"),
    [
        pytest.param("h1.json", "h1", id="a plain name"),
        pytest.param("h1--20260101T000000Z.json", "h1", id="with a time"),
        pytest.param("a%2Fb--20260101T000000Z.json", "a/b", id="percent-encoded"),
        pytest.param("%2Eh--20260101T000000Z.json", ".h", id="a dot first"),
        pytest.param("h1.cluster.local.json", "h1.cluster.local", id="dots"),
        pytest.param("--x.json", "--x", id="no name"),
    ],
)
def test_a_report_without_a_name_has_that_of_its_file(file: str, node: str) -> None:
    assert parse_node_name(file) == node


def test_the_name_in_the_report_wins(put: Put, folder: Path) -> None:
    put("x", report("real"), "other.json")

    (node,) = ingest_reports(open_folders([str(folder)])).nodes

    assert (node.node, node.file) == ("real", "other.json")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        pytest.param("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", id="a second later"),
        pytest.param("2026-01-01T09:00:00+09:00", "2026-01-01T00:30:00Z", id="another zone"),
        pytest.param("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", id="half a second"),
        pytest.param("2025-12-31T23:59:59Z", "2026-01-01T00:00:00+00:00", id="as text it is less"),
    ],
)
@pytest.mark.parametrize("files", [("a.json", "b.json"), ("b.json", "a.json")])
def test_instants_are_compared_and_not_texts(
    put: Put, folder: Path, older: str, newer: str, files: tuple[str, str]
) -> None:
    put("n", report("n", created=newer), files[1])
    put("n", report("n", created=older), files[0])

    found = ingest_reports(open_folders([str(folder)]))

    assert [one.file for one in found.nodes] == [files[1]]
    (one,) = found.superseded
    assert (one.file, one.node, one.by) == (files[0], "n", files[1])


def test_every_older_one_names_the_newest(put: Put, folder: Path) -> None:
    for hour in (2, 3, 1):
        put("n", report("n", created=f"2026-01-01T0{hour}:00:00Z"), f"{hour}.json")

    found = ingest_reports(open_folders([str(folder)]))

    assert {(one.file, one.by) for one in found.superseded} == {
        ("1.json", "3.json"),
        ("2.json", "3.json"),
    }


def test_each_file_of_several_folders_counts_once(put: Put, folder: Path, tmp_path: Path) -> None:
    put("a", report("a"), "a.json")
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.json").write_bytes(put("b", report("b"), "b.json").read_bytes())
    (folder / "b.json").unlink()

    found = ingest_reports(open_folders([str(folder), str(other), str(folder)]))

    assert [one.file for one in found.nodes] == [f"{folder}/a.json", f"{other}/b.json"]
    assert found.superseded == ()


def test_lists_of_packages_hold_each_version_once(put: Put, folder: Path) -> None:
    for number in range(3):
        names = {"numpy": "2.2.5", f"tool-{number}": "1.0"}
        entries = [{"name": name, "version": version} for name, version in names.items()]
        put(f"h{number}", report(f"h{number}", packages={"entries": entries}))

    nodes = ingest_reports(open_folders([str(folder)])).nodes

    pairs = [pair for node in nodes for pair in node.report.rows["packages"]]
    assert len({id(pair) for pair in pairs}) == len(set(pairs)) == 4


def test_progress_is_told(put: Put, folder: Path) -> None:
    put("a", report("a"), "a.json")
    put("b", b"", "b.json")
    seen: list[tuple[int, int]] = []

    ingest_reports(open_folders([str(folder)]), lambda done, total: seen.append((done, total)))

    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize("place", ["nowhere", "nowhere.json", "file:///nowhere"])
def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path, place: str) -> None:
    where = place if "://" in place else str(tmp_path / place)
    if "://" in place:
        pytest.importorskip("fsspec")

    with pytest.raises(FolderError, match=r"No such file|nowhere"):
        ingest_reports(open_folders([where]))


def test_a_folder_behind_a_url_gives_the_same(put: Put, folder: Path) -> None:
    pytest.importorskip("fsspec")
    put("a", report("a"))
    put("draft", report("d"), ".d.json")
    put("cut", b"{", "cut.json")
    (folder / "link.json").symlink_to(folder / "cut.json")
    (folder / "below.json").mkdir()

    near, far = (ingest_reports(open_folders([at])) for at in (str(folder), f"file://{folder}"))

    assert [one.file for one in far.nodes] == [one.file for one in near.nodes]
    assert far.unreadable == near.unreadable
    assert [one.file for one in far.unreadable] == ["cut.json", "link.json"]


def test_a_url_of_a_kind_that_nobody_knows_is_an_error() -> None:
    pytest.importorskip("fsspec")

    with pytest.raises(FolderError, match="gopher"):
        open_folders(["gopher://x/y"])


def test_a_folder_behind_a_url_that_is_not_there_is_named_with_its_reason() -> None:
    pytest.importorskip("fsspec")

    with pytest.raises(FolderError, match="memory://nowhere: No such file or directory"):
        ingest_reports(open_folders(["memory://nowhere"]))
