"""Which DataLoaders does a script make? Read as text, whatever it imports them as."""

import os
from pathlib import Path

import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.source.discover import files
from pipedoctor.source.discover.files import (
    SourceFile,
    find_python_files,
    require_paths,
)
from pipedoctor.source.resolve.literal_loader_calls import (
    LiteralLoaderCall,
    find_loader_calls,
    loader_calls_in_file,
)

IMPORT = "from torch.utils.data import DataLoader\n"
STATEFUL = "from torchdata.stateful_dataloader import StatefulDataLoader\n"


def calls(text: str | bytes) -> list[LiteralLoaderCall]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(loader_calls_in_file(SourceFile("train.py", raw)))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = 1\n", id="no loader"),
        pytest.param("from torch.utils.data import Dataset\n# DataLoader", id="a word"),
        pytest.param("DataLoader(x, num_workers=8)", id="imported from nowhere"),
        pytest.param("from mine import DataLoader\nDataLoader(x)", id="another's"),
        pytest.param("from . import DataLoader\nDataLoader(x)", id="our own"),
        pytest.param("from .utils.data import DataLoader\nDataLoader(x)", id="relative"),
        pytest.param("import data\ndata.DataLoader(x)", id="another module"),
        pytest.param("from mine import *\nDataLoader(x)", id="a star that is not ours"),
        pytest.param(f"{IMPORT}DataLoader", id="not called"),
        pytest.param(f"{IMPORT}f().DataLoader(x)", id="of a value"),
        pytest.param(f"{IMPORT}DataLoader(", id="broken syntax"),
        pytest.param(f"{IMPORT}DataLoader(x)\0", id="a null byte"),
        pytest.param(IMPORT + "(" * 100_000 + "DataLoader", id="nested too deep"),
        pytest.param(b"# coding: nonsense\nDataLoader(x)", id="unknown encoding"),
    ],
)
def test_silent(text: str | bytes) -> None:
    assert calls(text) == []


@pytest.mark.parametrize(
    "text",
    [
        f"{IMPORT}DataLoader(x, num_workers=3)",
        "from torch.utils.data import DataLoader as L\nL(x, num_workers=3)",
        "from torch.utils.data import *\nDataLoader(x, num_workers=3)",
        "from torch.utils.data.dataloader import *\nDataLoader(x, num_workers=3)",
        "import torch\ntorch.utils.data.DataLoader(x, num_workers=3)",
        "import torch.utils.data\ntorch.utils.data.DataLoader(x, num_workers=3)",
        "import torch.utils.data as data\ndata.DataLoader(x, num_workers=3)",
        "from torch.utils import data\ndata.DataLoader(x, num_workers=3)",
        "from torch import utils as u\nu.data.DataLoader(x, num_workers=3)",
        f"{STATEFUL}StatefulDataLoader(x, num_workers=3)",
        f"def f():\n    {IMPORT}    return DataLoader(x, num_workers=3)",
        f"{IMPORT}DataLoader(x, 32, True, None, None, 3)",
        f"{IMPORT}DataLoader[int](x)\nDataLoader(x, num_workers=3)",
    ],
)
def test_found_under_every_name(text: str) -> None:
    (call,) = calls(text)

    assert call.num_workers == 3
    assert call.line == text.count("\n") + 1


@pytest.mark.parametrize(
    ("arguments", "workers", "prefetch", "persistent"),
    [
        ("x", 0, None, False),
        ("x, num_workers=0", 0, None, False),
        ("x, 32, True, None, None", 0, None, False),
        ("x, num_workers=8, prefetch_factor=4", 8, 4, False),
        ("x, num_workers=8, persistent_workers=True", 8, None, True),
        ("x, num_workers=8, persistent_workers=flag", 8, None, False),
        ("x, num_workers=8, persistent_workers=1", 8, None, False),
        ("x, num_workers=args.workers", None, None, False),
        ("x, num_workers=-1", None, None, False),
        ("x, num_workers=True", None, None, False),
        ("x, num_workers='4'", None, None, False),
        ("x, num_workers=1048577", None, None, False),
        ("x, num_workers=1048576", 1 << 20, None, False),
        ("x, **options", None, None, False),
        ("x, num_workers=2, **options", 2, None, False),
        ("*parts", None, None, False),
        ("*parts, num_workers=2", 2, None, False),
        ("*parts, 1, 2, 3, 4, 5", None, None, False),
    ],
)
def test_only_literals_are_known(
    arguments: str, workers: int | None, prefetch: int | None, persistent: bool
) -> None:
    (call,) = calls(f"{IMPORT}DataLoader({arguments})")

    assert call == LiteralLoaderCall("train.py", 2, workers, prefetch, persistent)


def test_nothing_is_run_and_no_warning_escapes() -> None:
    (call,) = calls(f"{IMPORT}raise SystemExit('\\d')\nDataLoader(x)")

    assert call.num_workers == 0


def test_folders_are_walked_without_what_is_not_the_users(tmp_path: Path) -> None:
    for name in (
        "train.py",
        "deep/er/eval.py",
        "notes.txt",
        ".venv/lib/site.py",
        "x/site-packages/m.py",
        "__pycache__/c.py",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{IMPORT}DataLoader(x, num_workers=1)")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "again.py").symlink_to(tmp_path / "train.py")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")

    found = [Path(call.path) for call in find_loader_calls([str(tmp_path)])]

    assert found == [tmp_path / "again.py", tmp_path / "deep/er/eval.py"]


def test_given_paths_are_never_excluded(tmp_path: Path) -> None:
    file = tmp_path / ".venv" / "train"
    file.parent.mkdir()
    file.write_text(f"{IMPORT}DataLoader(x)")
    (file.parent / "more.py").write_text(f"{IMPORT}DataLoader(y)")

    assert len(find_loader_calls([str(file)])) == 1
    assert len(find_loader_calls([str(file.parent)])) == 1


def test_a_file_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(f"{IMPORT}DataLoader(x)")

    assert len(find_loader_calls([str(file), str(tmp_path), str(file)])) == 1


@pytest.mark.parametrize("name", ["nowhere", "pipe", "a\0b"])
def test_a_path_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = f"{tmp_path}/{name}"

    with pytest.raises(UnreadableError) as caught:
        require_paths([str(tmp_path), path])

    assert str(caught.value).startswith(f"{path}: ")


def test_the_walk_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (tmp_path / f"{number}.py").write_text("x" * 10)

    def count() -> int:
        return len(list(find_python_files([str(tmp_path)])))

    assert count() == 5
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 9)
    assert count() == 0
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 10)
    monkeypatch.setattr(files, "MAX_TOTAL_BYTES", 30)
    assert count() == 3
    monkeypatch.setattr(files, "MAX_FILES", 2)
    assert count() == 2


@pytest.mark.root
def test_what_fails_while_it_is_read_is_left_out() -> None:
    assert list(find_python_files(["/proc/self/mem"])) == []
