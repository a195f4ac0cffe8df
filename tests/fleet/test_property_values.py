"""What of a property's value is compared, how it is said, and to which findings it belongs."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.facts import SECTIONS
from pipedoctor.fleet.causes import CAUSES, SCALING_CAUSES, list_causes
from pipedoctor.fleet.probe import probe_node
from pipedoctor.fleet.properties import KNOWN_PROPERTIES, format_value, get_property
from pipedoctor.fleet.related_findings import list_related_checks
from pipedoctor.fleet.sections import list_properties


def compared(section: str, **values: Any) -> dict[str, Any]:
    return list_properties(msgspec.convert(values, SECTIONS[section]))


@pytest.mark.parametrize(
    ("section", "values", "absent"),
    [
        ("torch", {"version": "2", "known_backend": False}, "torch.cuda"),
        ("site", {"system": "linux", "place_known": False}, "site.container"),
        ("cpu", {"logical": 1, "quota_unknown": "why"}, "cpu.quota.cpus"),
        (
            "memory",
            {"total": 1, "available": 1, "group_unknown": "why"},
            "memory.group.limit",
        ),
        ("limits", {"nofile": {"soft": 1, "hard": 1}}, "limits.nproc.soft"),
        (
            "packages",
            {"entries": [{"name": "a", "version": "1"}], "complete": False},
            "packages.a",
        ),
        ("gpu", {"hang": {"doing": "x", "seconds": 1}}, "gpu.count"),
        ("paths", {"entries": [{"role": "cwd", "path": "/"}]}, "paths.cwd.hang"),
        (
            "paths",
            {"entries": [{"role": "cache", "path": "/"}]},
            "paths.cache.exists",
        ),
        ("variables", {"values": {"VIRTUAL_ENV": "x"}}, "variables.values.VIRTUAL_ENV"),
        ("datasets", {}, "datasets.hang"),
        ("cpu", {"logical": 1, "numa": [{"node": 0, "cpus": 1}]}, "cpu.numa.memory"),
    ],
)
def test_what_nobody_knows_and_what_is_its_own_is_not_compared(
    section: str, values: dict[str, Any], absent: str
) -> None:
    assert absent not in compared(section, **values)


def test_every_property_that_a_table_names_exists() -> None:
    named = ("packages.", "variables.", "conda.", "libraries.", "paths.", "image_stack.")
    names = {*KNOWN_PROPERTIES, *CAUSES, *SCALING_CAUSES}
    mentioned = names.union(
        *(list_causes(name) for name in names), *(SCALING_CAUSES.get(name, ()) for name in names)
    )

    assert [one for one in mentioned if one.partition(".")[0] not in SECTIONS] == []
    assert [
        one for one in mentioned if one not in KNOWN_PROPERTIES and not one.startswith(named)
    ] == []


@pytest.mark.parametrize(
    ("name", "kind", "severity"),
    [
        ("packages.numpy", "category", "risks"),
        ("paths.data.mount.options", "category", "note"),
        ("image_stack.pillow", "category", "slows"),
        ("paths.tmp.size", "number", "note"),
        ("paths.tmp.hang", "category", "breaks"),
        ("paths.tmp.later", "category", "risks"),
        ("threads.asked.OMP_NUM_THREADS", "category", "slows"),
        ("conda.packages.x", "category", "risks"),
        ("later.thing", "category", "note"),
    ],
)
def test_properties_with_names_in_them(name: str, kind: str, severity: str) -> None:
    about = get_property(name)

    assert (about.name, about.kind, about.severity) == (name, kind, severity)


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (None, "bytes", "none"),
        ("", "", "none"),
        (True, "", "yes"),
        (False, "", "no"),
        (1 << 30, "bytes", "1.0 GiB"),
        (0.5, "seconds", "0.50 s"),
        (1 << 21, "bytes/s", "2.0 MiB/s"),
        (2_100_000_000, "hertz", "2.10 GHz"),
        (0.123456, "", "0.1235"),
        ("x", "bytes", "x"),
    ],
)
def test_values_are_said_in_units(value: Any, unit: str, said: str) -> None:
    assert format_value(value, unit) == said


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("shm.size", "shm-too-small"),
        ("paths.tmp.hang", "path-unresponsive"),
        ("paths.cache.writable", "cache-dir-not-writable"),
        ("paths.tmp.mount.fstype", "tmpdir-on-network-fs"),
    ],
)
def test_findings_belong_to_properties(name: str, finding: str) -> None:
    assert finding in list_related_checks(name)
    assert list_related_checks("nothing.of.it") == ()


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo oops >&2; exit 3", "oops"),
        ("exit 3", "ended with 3"),
        ("sleep 60", "the probe did not end within 0.5 s"),
    ],
)
def test_a_probe_that_fails_says_why(tmp_path: Path, script: str, reason: str) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)

    found = probe_node(str(python), Machine(), timeout=0.5)

    assert found.unknown["decode_seconds"] == reason
    assert probe_node("/nowhere", Machine()).unknown["decode_seconds"].startswith("/nowhere")
