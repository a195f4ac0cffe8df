"""Where packs of checks are found: entry points of distributions and eggs, ours first."""

from pathlib import Path

import pytest

from pipedoctor.engine.packs import Pack, find_packs

# --- which packs are installed


def distribution(folder: Path, name: str, entry_points: bytes) -> None:
    metadata = folder / name
    metadata.mkdir(parents=True)
    (metadata / "entry_points.txt").write_bytes(entry_points)


def test_our_own_pack_is_installed() -> None:
    assert find_packs()[0] == Pack("pipedoctor", "pipedoctor_checks")


def test_ours_comes_first_then_by_name(tmp_path: Path) -> None:
    for name in ("b_pack-1.dist-info", "a.pack-2.dist-info", "pipedoctor-3.dist-info"):
        distribution(tmp_path, name, b"[pipedoctor.checks]\nx = some.checks\n")

    assert [pack.label for pack in find_packs([str(tmp_path)])] == [
        "pipedoctor",
        "a-pack",
        "b-pack",
    ]


@pytest.mark.parametrize(
    ("text", "packages"),
    [
        pytest.param(b"", [], id="empty"),
        pytest.param(b"[console_scripts]\nx = y:z\n", [], id="another group"),
        pytest.param(
            b"[other]\nx=y\n[pipedoctor.checks]\n; c = d\n\na = b [extra]\nc=d.e\n",
            ["b", "d.e"],
            id="among others",
        ),
        pytest.param(b"[pipedoctor.checks]\na = b\n[later]\nc = d\n", ["b"], id="then another"),
        pytest.param(b"\xff\xfe[pipedoctor.checks]\n", [], id="not a text"),
        pytest.param(b"[pipedoctor.checks\nnonsense", [], id="not an ini file"),
    ],
)
def test_entry_points_are_read(tmp_path: Path, text: bytes, packages: list[str]) -> None:
    distribution(tmp_path, "x-1.dist-info", text)

    assert [pack.package for pack in find_packs([str(tmp_path)])] == packages


def test_the_first_of_a_name_on_the_path_counts(tmp_path: Path) -> None:
    for number in ("1", "2"):
        value = f"[pipedoctor.checks]\nx = checks{number}\n".encode()
        distribution(tmp_path / number, f"x_y-{number}.dist-info", value)

    folders = [str(tmp_path / "nowhere"), str(tmp_path / "1"), str(tmp_path / "2")]

    assert find_packs(folders) == [Pack("x-y", "checks1")]


def test_an_egg_counts_too(tmp_path: Path) -> None:
    distribution(tmp_path, "x.egg-info", b"[pipedoctor.checks]\nx = checks\n")

    assert find_packs([str(tmp_path)]) == [Pack("x", "checks")]


def test_a_distribution_without_entry_points(tmp_path: Path) -> None:
    (tmp_path / "x-1.dist-info").mkdir()

    assert find_packs([str(tmp_path)]) == []
