"""Lists of hosts as Slurm reads and writes them."""

from pathlib import Path

import pytest

from pipedoctor.fleet.expected import ExpectedNodes, ExpectedNodesError, parse_expected_nodes
from pipedoctor.fleet.hostlist import HostlistError, compress_hostlist, expand_hostlist


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("h1", ["h1"], id="one"),
        pytest.param("h1,h2 h3\nh4", ["h1", "h2", "h3", "h4"], id="commas and blanks"),
        pytest.param("h[1-3]", ["h1", "h2", "h3"], id="a range"),
        pytest.param("h[08-11]", ["h08", "h09", "h10", "h11"], id="padded"),
        pytest.param("h[8-11]", ["h8", "h9", "h10", "h11"], id="not padded"),
        pytest.param("h[1,3,07]", ["h1", "h3", "h07"], id="a list"),
        pytest.param("h[1-2,5]-ib", ["h1-ib", "h2-ib", "h5-ib"], id="a suffix"),
        pytest.param("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"], id="two brackets"),
        pytest.param("h[1-9/4]", ["h1", "h5", "h9"], id="a step"),
        pytest.param("h1,h1", ["h1"], id="once"),
        pytest.param("h[3]", ["h3"], id="one in brackets"),
        pytest.param("", [], id="none"),
    ],
)
def test_names_are_spelled_out(text: str, names: list[str]) -> None:
    assert expand_hostlist(text) == names


@pytest.mark.parametrize(
    "text",
    ["h[1-", "h1-3]", "h[[1]]", "h[]", "h[a-b]", "h[3-1]", "h[1-2-3]", "h[1-9/0]"],
)
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(HostlistError):
        expand_hostlist(text)


@pytest.mark.parametrize("text", ["h[0-99999999999]", "h[1-2000]n[1-2000]"])
def test_a_list_without_an_end_is_refused(text: str) -> None:
    with pytest.raises(HostlistError, match="more than 1,000,000 names"):
        expand_hostlist(text)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        pytest.param(["h1"], "h1", id="one"),
        pytest.param(["h02", "h01", "h03"], "h[01-03]", id="a range"),
        pytest.param(["h1", "h3", "h4"], "h[1,3-4]", id="gaps"),
        pytest.param(["h9", "h10"], "h9,h10", id="widths"),
        pytest.param(["login", "h1", "h1"], "h1,login", id="a word"),
        pytest.param(["h[1]", "x y1"], "h[1],x y1", id="odd ones stay whole"),
        pytest.param([], "", id="none"),
    ],
)
def test_names_are_shortened(names: list[str], short: str) -> None:
    assert compress_hostlist(names) == short


def test_what_is_shortened_is_spelled_out_again() -> None:
    names = [f"n{k:04}" for k in (*range(3, 99), 200, 202, 9999)] + ["login"]

    assert set(expand_hostlist(compress_hostlist(names))) == set(names)


def test_a_number_is_only_a_number() -> None:
    wanted = parse_expected_nodes("3")

    assert wanted == ExpectedNodes(3)
    assert wanted.list_missing(["a"]) is None
    assert wanted.count_missing(["a"]) == 2
    assert wanted.count_missing(["a", "b", "c", "d"]) == 0


def test_names_are_missing_by_name() -> None:
    wanted = parse_expected_nodes("h[1-3]")

    assert wanted.list_missing(["h3", "other"]) == ("h1", "h2")
    assert wanted.count_missing(["h3"]) == 2


def test_a_name_stands_for_that_with_a_domain() -> None:
    assert parse_expected_nodes("h[1-2]").list_missing(["h1.cluster.local"]) == ("h2",)


def test_a_name_with_a_domain_stands_for_the_one_without_unless_two_begin_so() -> None:
    names = parse_expected_nodes("h1.a,h2.a,h2.b,h3.a")

    assert names.list_missing(["h1", "h2", "h2.b"]) == ("h2.a", "h3.a")


def test_a_file_wins_over_a_list_and_a_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("7").write_text("# all of them\nh[1-2]\n\nlogin  # one more\n")
    Path("h1").write_text("other")

    assert parse_expected_nodes("7").names == ("h1", "h2", "login")
    assert parse_expected_nodes("h1").names == ("other",)


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"\xff\xfe", b"h[1"])
def test_a_file_that_names_nobody_is_an_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "nodes"
    file.write_bytes(content)

    with pytest.raises(ExpectedNodesError, match=str(file)):
        parse_expected_nodes(str(file))


@pytest.mark.parametrize("text", ["", ",", "h[", "99999999999"])
def test_what_says_nothing_is_an_error(text: str) -> None:
    with pytest.raises(ExpectedNodesError, match="--expect"):
        parse_expected_nodes(text)
