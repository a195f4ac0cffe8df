"""A pack of somebody else, really installed, stands beside ours."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PACKS = Path(__file__).parents[1] / "packs"


@pytest.fixture(scope="session")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the pack."""
    target = tmp_path_factory.mktemp("site")
    sources = tmp_path_factory.mktemp("acme")
    for file in PACKS.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            copy = sources / file.relative_to(PACKS)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(file.read_bytes())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    offline = ("--no-build-isolation", "--no-deps", "--no-index", "--target")
    subprocess.run([*pip, *offline, str(target), str(sources)], check=True, capture_output=True)
    return target


def doctor(site: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pipedoctor", *options],
        env=os.environ | {"PYTHONPATH": str(site)},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def report(site: Path, *options: str) -> dict[str, Any]:
    done = doctor(site, "check", "--quick", "--format", "json", *options)
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def test_it_is_listed_and_explained(acme: Path) -> None:
    listed = doctor(acme, "list").stdout

    assert "ACM001" in listed
    assert "acme-shm-rule" in listed
    assert "PDR701" in listed
    assert "The operators will ask." in doctor(acme, "explain", "acm001").stdout


@pytest.mark.extended
def test_it_is_judged_beside_ours(acme: Path) -> None:
    read = report(acme)

    assert "ACM001" in read["healthy"]
    assert read["broken"] == []


def test_it_is_selected_by_code_and_by_name(acme: Path) -> None:
    for name in ("ACM", "acme-shm-rule"):
        read = report(acme, "--select", name)
        assert read["healthy"] == ["ACM001"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        pytest.param("import nowhere_to_be_found", id="import error"),
        pytest.param("raise SystemExit(7)", id="exits"),
        pytest.param("def (", id="syntax error"),
        pytest.param("print('noise on stdout'); ill = 7", id="wrong object"),
    ],
)
def test_a_broken_pack_is_reported_and_stops_nobody(
    acme: Path, tmp_path: Path, source: str
) -> None:
    metadata = tmp_path / "ill_pack-1.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("[pipedoctor.checks]\nx = ill_checks\n")
    (tmp_path / "ill_checks").mkdir()
    (tmp_path / "ill_checks" / "__init__.py").touch()
    (tmp_path / "ill_checks" / "ill.py").write_text(source)
    site = Path(os.pathsep.join([str(acme), str(tmp_path)]))

    read = report(site)
    text = doctor(site, "check", "--quick")

    assert "ACM001" in read["healthy"]
    assert [entry["pack"] for entry in read["broken"]] == ["ill-pack"]
    assert read["broken"][0]["reason"].startswith("ill_checks.ill: ")
    assert text.returncode in {0, 1}
    assert "ill-pack" in text.stdout + text.stderr
