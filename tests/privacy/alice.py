"""Alice, her machine, and what is said of it without her name."""

from pipedoctor.facts import (
    Facts,
)
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor

ALICE = UserIdentity(
    users=("alice",), hosts=("wonder-01.lab.example.org",), homes=("/data/hq/alice",)
)


def said(text: str, who: UserIdentity = ALICE, level: RedactionLevel = RedactionLevel.ALL) -> str:
    """What becomes of a sentence that some collector wrote."""
    redactor = Redactor(level, who)
    return redactor.redact_facts(Facts(unknown={"gpu": text})).unknown["gpu"]
