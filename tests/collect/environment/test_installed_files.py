"""Installed files are compared with their records, whatever stands in these."""

import base64
import hashlib
import os
from pathlib import Path

import pytest

from pipedoctor.collect.environment.installed_files import installed_files
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import InstalledFiles, ModifiedDistribution


@pytest.fixture
def site(site_packages: Path) -> Path:
    return site_packages


def look(site: Path, seconds: float = 60.0) -> InstalledFiles:
    chosen = EnvironmentChoice(env=str(site.parents[2]))
    return installed_files(Machine(environ={}), chosen, seconds, lambda _: None)


def row(path: str, content: bytes, algorithm: str = "sha256") -> str:
    digest = base64.urlsafe_b64encode(hashlib.new(algorithm, content).digest())
    return f"{path},{algorithm}={digest.decode().rstrip('=')},{len(content)}"


def install(site: Path, name: str, files: dict[str, bytes], *more: str) -> None:
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    for path, content in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(content)
    rows = [row(path, content) for path, content in files.items()]
    lines = [*rows, f"{info.name}/RECORD,,", *more]
    (info / "RECORD").write_text("\n".join(lines))


def test_whole(site: Path) -> None:
    pyc = "pkg/__pycache__/a.cpython-311.pyc,,"
    written = row("pkg-1.0.dist-info/INSTALLER", b"pip")
    comma = row('"pkg/b,c.py"', b"b")
    install(site, "pkg", {"pkg/a.py": b"a"}, pyc, written, comma)
    (site / "pkg/b,c.py").write_bytes(b"b")

    assert look(site) == InstalledFiles(compared=2)


@pytest.mark.parametrize("algorithm", ["sha256", "sha384", "sha512"])
def test_every_allowed_checksum(site: Path, algorithm: str) -> None:
    install(site, "pkg", {}, row("a.py", b"a", algorithm), row("b.py", b"b", algorithm))
    (site / "a.py").write_bytes(b"a")
    (site / "b.py").write_bytes(b"c")

    assert look(site) == InstalledFiles(
        compared=2,
        entries=(
            ModifiedDistribution(name="pkg", version="1.0", changed=("b.py",), changed_count=1),
        ),
    )


def test_changed_and_missing(site: Path) -> None:
    install(site, "Big_Pkg", {"p/a.py": b"a", "p/b.py": b"b", "p/c.py": b"c"})
    (site / "p/a.py").write_bytes(b"x")  # as long as before
    (site / "p/b.py").write_bytes(b"longer")
    (site / "p/c.py").unlink()

    assert look(site).entries == (
        ModifiedDistribution(
            name="big-pkg",
            version="1.0",
            changed=("p/a.py", "p/b.py"),
            missing=("p/c.py",),
            changed_count=2,
            missing_count=1,
        ),
    )


def test_no_more_than_twenty_names(site: Path) -> None:
    install(site, "pkg", {f"p/{n:02}.py": b"a" for n in range(30)})
    for n in range(25):
        (site / f"p/{n:02}.py").unlink()

    (entry,) = look(site).entries

    assert entry.missing == tuple(f"p/{n:02}.py" for n in range(20))
    assert entry.missing_count == 25


def test_nobody_recorded_anything(site: Path) -> None:
    install(site, "pkg", {}, "p/a.py,,", "p/b.py,md5=abc,1")
    (site / "old-2.0.egg-info").mkdir()

    assert look(site) == InstalledFiles(unrecorded=("old", "pkg"))


def test_what_is_no_file_is_changed(site: Path) -> None:
    """A pipe that nobody writes to is not waited for."""
    install(site, "pkg", {}, row("a.py", b"a"), row("b.py", b""), row("c.py/d", b"d"))
    os.mkfifo(site / "a.py")
    (site / "b.py").mkdir()
    (site / "c.py").write_bytes(b"")

    (entry,) = look(site).entries

    assert entry.changed == ("b.py", "a.py")
    assert entry.missing == ("c.py/d",)


def test_hostile_records(site: Path) -> None:
    """Zero bytes, a quote without end, a link into itself, no number for a size."""
    odd = ("x\0y,sha256=abc,1", '"x\0y",sha256=abc,1', '"x', f'"{"x" * 200_000}",,')
    install(site, "pkg", {"a.py": b"a"}, *odd, row("loop", b"l"), row('"b,y"', b"b"))
    (site / "loop").symlink_to("loop")
    record = site / "pkg-1.0.dist-info/RECORD"
    record.write_text(record.read_text().replace(",1\n", ",one\n", 1))

    seen = look(site)

    assert (seen.compared, seen.unread) == (2, 1)
    assert [entry.changed for entry in seen.entries] == [("a.py",)]
    assert [entry.missing for entry in seen.entries] == [("b,y",)]


def test_no_time(site: Path) -> None:
    install(site, "pkg", {"a.py": b"a", "b.py": b"b"})

    assert look(site, seconds=0.0) == InstalledFiles(unread=2)


def test_time_runs_out_inside_a_file(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is asked before a file and after each part of it."""
    install(site, "pkg", {"a.py": b"a"})
    ticks = iter([0.0, 0.5, 2.0])
    monkeypatch.setattr("time.monotonic", lambda: next(ticks, 2.0))

    assert look(site, seconds=1.0) == InstalledFiles(unread=1)
