"""The script that makes the tables, on a handful of rows."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "make_tables.py"
FACTS: dict[str, dict[str, Any]] = {
    "cuda_driver": {
        "source": "https://example.org/toolkits",
        "minor_version_compat_source": "https://example.org/minor and Table 2",
        "minor_version_compat": [
            {
                "cuda_major": 13,
                "min_driver_linux": "580.65.06 (GA)",
                "windows_min": ">= 580 (branch)",
            }
        ],
        "toolkits": [
            {
                "cuda": "13.0",
                "toolkit_driver_linux_x86_64": driver,
                "toolkit_driver_windows_x86_64": None,
            }
            for driver in ("580.95.05", "580.65.06")
        ],
    },
    "torch_builds": {
        "releases": [
            {
                "torch": "2.6",
                "patches": ["2.6.0"],
                "python": "3.9-3.13 (3.13t experimental)",
                "python_source": "METADATA",
                "builds": [],
            },
            {
                "torch": "2.15",
                "patches": ["2.15.0"],
                "python": "3.11-3.15",
                "python_source": "https://example.org/release ; METADATA",
                "builds": [
                    {
                        "tag": "cu132",
                        "cuda": "13.2",
                        "status": "experimental",
                        "pypi_default": True,
                        "arch_linux_x86_64": None,
                        "source": "METADATA",
                        "note": "arch list unconfirmed",
                    }
                ],
            },
        ]
    },
    "torch_vision_audio": {
        "torchvision": [{"torchvision": "0.29.2", "torch": ">=2.14.0", "source": "METADATA"}],
        "torchaudio": [],
        "torchcodec": [
            {
                "torchcodec": "0.17",
                "torch": ">=2.11 (inferred from 0.16)",
                "source": "https://example.org/codec ; README",
            }
        ],
    },
    "gpu_compute_capability": {
        "capabilities": [
            {"cc": "9.0", "gpus": ["H100"], "source": "https://example.org/gpus"},
            {
                "cc": "12.1",
                "gpus": ["GB10 (DGX Spark)"],
                "source": "https://example.org/gpus, the rest from general knowledge",
            },
        ]
    },
}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_tables", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "WORLD_FOLDER", tmp_path / "world")
    (tmp_path / "world").mkdir()
    return module


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name, content in FACTS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return str(tmp_path)


def table(script: ModuleType, section: str) -> dict[str, Any]:
    text = (script.WORLD_FOLDER / f"{section}.json").read_text()
    read: dict[str, Any] = json.loads(text)
    return read


def test_rows_become_tables(script: ModuleType, folder: str) -> None:
    script.main(folder, "2026-11-21")

    drivers = table(script, "cuda_drivers")
    assert [row["linux"] for row in drivers["toolkits"]] == ["580.65.06"]
    (family,) = drivers["families"]
    assert (family["linux"], family["windows"]) == ("580.65.06", "580")
    assert family["source"] == "https://example.org/minor"
    builds = table(script, "torch_builds")
    old, new = builds["releases"]
    assert (old["python_from"], old["python_to"], old["glibc"]) == ("3.9", "3.13", "")
    assert (new["glibc"], new["source"]) == ("2.28", "https://example.org/release")
    (wheel,) = builds["wheels"]
    assert (wheel["stable"], wheel["confirmed"], wheel["arch"]) == (False, False, [])
    assert wheel["checked"] == "2026-11-21"
    pairs = table(script, "torch_pairs")["rows"]
    codec = next(row for row in pairs if row["package"] == "torchcodec")
    assert (codec["version"], codec["torch"]) == ("0.17.*", ">=2.11")
    assert not codec["confirmed"]
    cards = {row["name"]: row for row in table(script, "gpu_capabilities")["cards"]}
    assert cards["H100"]["confirmed"]
    assert not cards["GB10"]["confirmed"]
    assert table(script, "pythons")["rows"][0]["python"] == "2.6"


def test_the_check_says_what_is_stale(script: ModuleType, folder: str) -> None:
    with pytest.raises(SystemExit, match="not what the facts say: cuda_drivers"):
        script.main(folder, "2026-11-21", "--check")
    script.main(folder, "2026-11-21")
    script.main(folder, "2026-11-21", "--check")
    with pytest.raises(SystemExit, match="not what the facts say: "):
        script.main(folder, "2026-11-22", "--check")


def test_two_capabilities_of_one_card_are_refused(script: ModuleType, folder: str) -> None:
    other = {"cc": "9.9", "gpus": ["Tesla K40c"], "source": "https://example.org/gpus"}
    path = Path(folder) / "gpu_compute_capability.json"
    path.write_text(json.dumps({"capabilities": [other]}))

    with pytest.raises(SystemExit, match=r"Tesla K40c: 9\.9 or 3\.5"):
        script.main(folder, "2026-11-21")


def test_a_version_that_is_none_is_refused(script: ModuleType, folder: str) -> None:
    broken = FACTS["cuda_driver"] | {
        "minor_version_compat": [
            {"cuda_major": 13, "min_driver_linux": "any", "windows_min": "any"}
        ]
    }
    (Path(folder) / "cuda_driver.json").write_text(json.dumps(broken))

    with pytest.raises(SystemExit, match="no version in 'any'"):
        script.main(folder, "2026-11-21")
