"""Patterns that are looked for only around their marks find what they find in the whole."""

import re

import pytest

from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.marked_lines import replace_near_marks
from pipedoctor.privacy.redactor import RedactionLevel, Redactor

FILLER = "Epoch 3 step 120 loss 0.6931 throughput 18422.7 samples per second\n" * 60


def find_digits(pattern: str, text: str) -> str:
    return replace_near_marks(pattern, ("mark",), lambda match: f"[{match[1]}]", text)


@pytest.mark.parametrize("before", ["", FILLER])
@pytest.mark.parametrize("after", ["", FILLER])
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"mark (\d+)", "a mark 12 and mark 13\n"),
        (r"mark\s+(\d+)", "mark\n\n12\n"),
        (r"(\w+)\n+mark", "first\n\nmark\n"),
        (r"(?m)^mark (\d+)$", "no mark 12\nmark 13\n"),
        (r"(?<=\nmark) (\d+)", "x\nmark 12\n"),
    ],
)
def test_the_same_as_in_the_whole_text(before: str, after: str, pattern: str, text: str) -> None:
    whole = before + text + after

    assert find_digits(pattern, whole) == re.sub(pattern, r"[\1]", whole)
    assert "[" in find_digits(pattern, whole)


def test_a_text_full_of_marks_is_searched_as_a_whole() -> None:
    text = "mark 12\n" * 2000

    assert find_digits(r"mark (\d+)", text) == "[12]\n" * 2000


def test_lines_of_a_long_log_are_redacted_as_alone() -> None:
    lines = [
        "curl -u svc7:Zq8LwT3xKp0 https://example.com/x",
        "sudo:   kbergstrom : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/ls",
        "psql -h db -U exporter9 meta",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----",
        "arn:aws:iam::718146327780:role/SageMakerExecution",
    ]
    alone = [redact(line) for line in lines]

    log = redact("".join(f"{FILLER}{line}\n" for line in lines))

    assert log.replace(FILLER, "") == "".join(f"{line}\n" for line in alone)


def redact(text: str) -> str:
    done = Redactor(RedactionLevel.ALL, UserIdentity()).redact_text(text)
    return re.sub(r"-\d+>", ">", done)
