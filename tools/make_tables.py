"""
Make the tables about CUDA, torch, cards and Pythons from gathered facts.

Run it as ``python tools/make_tables.py FOLDER 2026-11-21``: the folder holds
cuda_driver.json, gpu_compute_capability.json, torch_builds.json and
torch_vision_audio.json; the date is the day on which they were checked. Rows that
they lack stand in torch_tables.json beside this script. With ``--check`` nothing is
written: it says whether the tables are what they would be.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.facts.record import WORLD_TABLES
from pipedoctor.facts.world import World
from pipedoctor.facts.world_cards import Card, GpuCapabilities
from pipedoctor.facts.world_torch import (
    CondaBuild,
    CudaDrivers,
    Family,
    Floor,
    Generation,
    Pair,
    PythonRelease,
    Pythons,
    Release,
    Toolkit,
    TorchBuilds,
    TorchPairs,
    Wheel,
)
from pipedoctor.versions import is_at_least, parse_version

TOOLS_FOLDER = Path(__file__).parent
WORLD_FOLDER = TOOLS_FOLDER.parent / "checks/pipedoctor_checks/world"
Json = dict[str, Any]


def main(folder: str, checked: str, *options: str) -> None:
    """Write every table, or with ``--check`` compare."""
    read = {path.stem: _read_json(path) for path in Path(folder).glob("*.json")}
    more = _read_json(TOOLS_FOLDER / "torch_tables.json")
    tables: list[World] = [
        _build_drivers(read["cuda_driver"], more, checked),
        _build_torch_builds(read["torch_builds"], more, checked),
        _build_pairs(read["torch_vision_audio"], more, checked),
        _build_cards(read["gpu_compute_capability"], more, checked),
        _build_pythons(more, checked),
    ]
    stale = [table.section for table in tables if not _write_table(table, options)]
    if stale:
        message = f"not what the facts say: {', '.join(stale)}"
        raise SystemExit(message)


def _read_json(path: Path) -> Json:
    content: Json = json.loads(path.read_text(encoding="utf-8"))
    return content


def _write_table(table: World, options: tuple[str, ...]) -> bool:
    text = msgspec.json.format(msgspec.json.encode(table), indent=1) + b"\n"
    if msgspec.json.decode(text, type=WORLD_TABLES[table.section]) != table:
        message = f"{table.section} does not survive JSON"
        raise SystemExit(message)
    path = WORLD_FOLDER / f"{table.section}.json"
    if "--check" in options:
        return path.is_file() and path.read_bytes() == text
    path.write_bytes(text)
    print(f"{path}: {len(text)} bytes")
    return True


def _build_drivers(read: Json, more: Json, checked: str) -> CudaDrivers:
    families = [
        Family(
            major=row["cuda_major"],
            linux=_find_version(row["min_driver_linux"]),
            windows=_find_version(row["windows_min"]),
            source=read["minor_version_compat_source"].split(" ")[0],
            checked=checked,
        )
        for row in read["minor_version_compat"]
    ]
    oldest: dict[str, Toolkit] = {}
    for row in read["toolkits"]:  # newest first: what comes last is the oldest
        oldest[row["cuda"]] = Toolkit(
            cuda=row["cuda"],
            linux=row["toolkit_driver_linux_x86_64"],
            windows=row["toolkit_driver_windows_x86_64"] or "",
            source=read["source"],
            checked=checked,
        )
    generations = [Generation(**row, checked=checked) for row in more["generations"]]
    return CudaDrivers(
        families=tuple(families),
        toolkits=tuple(oldest.values()),
        generations=tuple(generations),
    )


def _find_version(text: str) -> str:
    found = re.search(r"\d+(\.\d+)*", text)
    if found is None:
        message = f"no version in {text!r}"
        raise SystemExit(message)
    return found.group()


def _build_torch_builds(read: Json, more: Json, checked: str) -> TorchBuilds:
    conda = [
        CondaBuild(
            torch=row["torch"],
            cuda=row["cuda"],
            arch=tuple(row["arch"]),
            source=more["conda_source"],
            checked=checked,
        )
        for row in more["conda"]
    ]
    return TorchBuilds(
        releases=tuple(_build_release(row, more, checked) for row in read["releases"]),
        wheels=tuple(
            _build_wheel(release["torch"], row, checked)
            for release in read["releases"]
            for row in release["builds"]
        ),
        conda=tuple(conda),
        floors=tuple(Floor(**row, checked=checked) for row in more["floors"]),
    )


def _build_release(row: Json, more: Json, checked: str) -> Release:
    oldest, newest = row["python"].split(" ")[0].split("-")
    modern = is_at_least(row["torch"], more["glibc"]["from_torch"])
    return Release(
        torch=row["torch"],
        patches=tuple(row["patches"]),
        python_from=oldest,
        python_to=newest,
        glibc=more["glibc"]["glibc"] if modern else "",
        source=_find_address(row["python_source"]),
        checked=checked,
    )


def _build_wheel(torch: str, row: Json, checked: str) -> Wheel:
    return Wheel(
        torch=torch,
        tag=row["tag"],
        cuda=row["cuda"],
        stable=row["status"].startswith("stable") or "default" in row["status"],
        default=row["pypi_default"],
        arch=tuple(row["arch_linux_x86_64"] or ()),
        source=_find_address(row["source"]),
        checked=checked,
        confirmed="unconfirmed" not in row.get("note", ""),
    )


_RELEASE_PAGES = {
    "torch": "https://github.com/pytorch/pytorch/releases",
    "torchvision": "https://github.com/pytorch/vision/releases",
    "torchaudio": "https://github.com/pytorch/audio/releases",
    "torchcodec": "https://github.com/meta-pytorch/torchcodec/releases",
}
"""Where a project announces what the metadata of its wheels says."""


def _find_address(text: str) -> str:
    """Give the first address in the text, else the page of the project itself."""
    found = re.search(r"https://[^\s;)]+", text)
    return found.group() if found else _RELEASE_PAGES["torch"]


def _build_pairs(read: Json, more: Json, checked: str) -> TorchPairs:
    rows: list[Pair] = []
    for package in ("torchvision", "torchaudio", "torchcodec"):
        for row in read[package]:
            source = row["source"]
            default = _RELEASE_PAGES[package]
            version = row[package] if row[package].count(".") > 1 else f"{row[package]}.*"
            rows.append(
                Pair(
                    package=package,
                    version=version,
                    torch=row["torch"].split(" ")[0],
                    source=_find_address(source) if "https://" in source else default,
                    checked=checked,
                    confirmed="inferred" not in row["torch"],
                )
            )
        for version, torch in more["pairs"].get(package, {"rows": {}})["rows"].items():
            rows.append(
                Pair(
                    package=package,
                    version=version,
                    torch=torch,
                    source=more["pairs"][package]["source"],
                    checked=checked,
                )
            )
    rows += [Pair(**row, checked=checked) for row in more["extra_pairs"]]
    rows += [Pair(**row, checked=checked, confirmed=False) for row in more["unconfirmed_pairs"]]
    return TorchPairs(rows=tuple(rows))


def _build_cards(read: Json, more: Json, checked: str) -> GpuCapabilities:
    cards = {
        name: Card(
            name=name,
            capability=row["cc"],
            source=_find_address(row["source"]),
            checked=checked,
            confirmed="general knowledge" not in row["source"],
        )
        for row in read["capabilities"]
        for full in row["gpus"]
        for name in [re.sub(r" \((DGX|Pascal)[^)]*\)", "", full)]
    }
    for listed in more["cards_by_source"]:
        for capability, names in listed["capabilities"].items():
            for name in names:
                card = Card(
                    name=name,
                    capability=capability,
                    source=listed["source"],
                    checked=checked,
                )
                if cards.setdefault(name, card).capability != capability:
                    message = f"{name}: {cards[name].capability} or {capability}?"
                    raise SystemExit(message)
    return GpuCapabilities(cards=tuple(cards.values()))


def _build_pythons(more: Json, checked: str) -> Pythons:
    ends = more["pythons"]["ends"]
    return Pythons(
        rows=tuple(
            PythonRelease(
                python=python,
                ends=ends[python],
                source=more["pythons"]["source"],
                checked=checked,
            )
            for python in sorted(ends, key=parse_version)
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
