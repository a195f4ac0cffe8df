"""An ill machine confirms the cause of a log, a well one rules it out."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.model import SuspectedCause
from pipedoctor.facts import Distribution, Facts, Packages

MACHINES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("machines.json").read_text("utf-8")
)

every_cause = pytest.mark.parametrize("cause", MACHINES)


def first(cause: str, state: str) -> SuspectedCause:
    row = MACHINES[cause]
    facts = Facts.from_record({"known": row[state], "unknown": {}})
    log = io.BytesIO(row["log"].encode())

    return explain(log, facts=lambda _: facts).causes[0]


@every_cause
def test_confirmed_on_the_ill_machine(cause: str) -> None:
    found = first(cause, "ill")

    assert (found.cause, found.here) == (cause, "confirmed")
    assert found.why_here
    assert found.remedies


@every_cause
def test_ruled_out_by_what_was_measured_on_the_well_one(cause: str) -> None:
    found = first(cause, "well")

    assert (found.cause, found.here) == (cause, "ruled-out")
    assert MACHINES[cause]["said"] in found.why_here
    assert found.remedies
    assert not any(remedy.automatic for remedy in found.remedies)


def test_enough_causes_have_an_example() -> None:
    assert len(MACHINES) >= 40


def test_what_else_its_check_may_find_leaves_it_open(snapshot: SnapshotAssertion) -> None:
    """One check tells three of CUDA's errors: another one confirms nothing."""
    log = io.BytesIO(MACHINES["cuda_forward_compat_unsupported"]["log"].encode())
    other = MACHINES["fabric_manager_not_running"]["ill"]
    facts = Facts.from_record({"known": other, "unknown": {}})

    found = explain(log, facts=lambda _: facts).causes[0]

    assert (found.cause, found.here) == ("cuda_forward_compat_unsupported", "unknown")
    assert found.why_here == snapshot
    assert "(Error 802)" in found.why_here
    assert not any("fabric" in remedy.title for remedy in found.remedies)


@pytest.mark.parametrize(
    ("name", "version", "here"),
    [
        ("PILLOW_VERSION", "7.0.0", "confirmed"),
        ("PILLOW_VERSION", "8.4.0", "ruled-out"),
        ("PILLOW_VERSION", "9.0.0", "confirmed"),
        ("Resampling", "9.0.1", "confirmed"),
        ("Resampling", "12.0.0", "ruled-out"),
        ("ANTIALIAS", "unknown", "unknown"),
        ("anything", "12.0.0", "unknown"),
    ],
)
def test_the_installed_version_tells(name: str, version: str, here: str) -> None:
    log = f"AttributeError: module 'PIL.Image' has no attribute '{name}'"
    packages = Packages(entries=(Distribution(name="pillow", version=version),))

    found = explain(io.BytesIO(log.encode()), facts=lambda _: Facts(packages)).causes[0]

    assert (found.cause, found.here) == ("pillow_api_removed", here)


@pytest.mark.parametrize(
    ("versions", "here"),
    [
        ({"torch": "1.6.0"}, "ruled-out"),
        ({"torch": "1.8.1"}, "unknown"),
        ({"torch": "1.9.0"}, "ruled-out"),
        ({}, "unknown"),
    ],
)
def test_between_two_versions_nobody_is_sure(versions: dict[str, str], here: str) -> None:
    log = MACHINES["pin_memory_persistent_workers_bug_1_7"]["log"].encode()
    entries = tuple(Distribution(name=n, version=v) for n, v in versions.items())
    facts = Facts(Packages(entries=entries))

    assert explain(io.BytesIO(log), facts=lambda _: facts).causes[0].here == here


def test_two_pillows_at_once_decide_nothing() -> None:
    log = MACHINES["pillow_api_removed"]["log"].encode()
    names = ("pillow", "pillow-simd")
    entries = tuple(Distribution(name=n, version="9.5.0") for n in names)
    facts = Facts(Packages(entries=entries))

    assert explain(io.BytesIO(log), facts=lambda _: facts).causes[0].here == "unknown"


@pytest.mark.parametrize(("torchvision", "here"), [("0.20.1", "confirmed"), ("0.19.0", "unknown")])
def test_a_check_that_knows_one_reason_of_several(torchvision: str, here: str) -> None:
    """Versions that fit do not say that libjpeg is there."""
    log = b"UserWarning: Failed to load image Python extension: libjpeg.so.9"
    names = {"torch": "2.4.0", "torchvision": torchvision}
    entries = tuple(Distribution(name=n, version=v) for n, v in names.items())
    facts = Facts(Packages(entries=entries))

    found = explain(io.BytesIO(log), facts=lambda _: facts).causes[0]

    assert (found.cause, found.here) == ("torchvision_image_ext_broken", here)
