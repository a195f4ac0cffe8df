"""Private names put into every fact are found nowhere, and a second time changes nothing."""

import json
from typing import Any

from pipedoctor.facts import (
    Facts,
    Mount,
    PathFact,
    Paths,
    Site,
)
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from tests.privacy.alice import ALICE


def test_redacting_again_changes_nothing() -> None:
    once = Redactor(RedactionLevel.ALL, ALICE).redact_facts(canaries())

    again = Redactor(RedactionLevel.ALL, UserIdentity(users=("mallory",))).redact_facts(once)

    assert again.to_record() == once.to_record()


def test_canaries_are_found_nowhere() -> None:
    text = json.dumps(Redactor(RedactionLevel.ALL, ALICE).redact_facts(canaries()).to_record())

    for canary in CANARIES:
        assert canary.lower() not in text.lower(), canary


CANARIES = (
    "alice",
    "wonder-01",
    "lab.example.org",
    "carol",
    "nas01",
    "10.9.8.7",
    "fe80::dead:beef",
    "00:1a:2b:3c:4d:5e",
    "12345678-1234-1234-1234-123456789abc",
    "hf_canarycanary",
    "hunter2",
)


def canaries() -> Facts:
    """Facts with a private value in each kind of place."""
    sentence = (
        "alice on wonder-01.lab.example.org ~carol 10.9.8.7 fe80::dead:beef"
        " 00:1a:2b:3c:4d:5e GPU-12345678-1234-1234-1234-123456789abc"
        " HF_TOKEN=hf_canarycanary https://carol:hunter2@nas01.corp/x"
    )
    mount: dict[str, Any] = {
        "point": "/home/alice/mnt",
        "fstype": "cifs",
        "source": "//nas01/carol",
        "options": ("addr=10.9.8.7", "username=carol", "password=hunter2"),
    }
    return Facts(
        Paths(
            entries=(
                PathFact(
                    role="data",
                    path="/scratch/alice/wonder-01/x",
                    error=sentence,
                    mount=Mount(**mount),
                ),
                PathFact(role="home", path="/data/hq/alice"),
            )
        ),
        Site(system="linux", evidence=(sentence, "/home/carol")),
        unknown={"gpu": sentence},
    )
