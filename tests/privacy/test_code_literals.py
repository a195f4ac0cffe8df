"""What a user wrote between quotes stays with him; the words of libraries do not."""

import pytest

from pipedoctor.facts import Facts, Source
from pipedoctor.facts.source import Argument, Event, LoaderCall, Spot
from pipedoctor.privacy.code_literals import mask_literals
from pipedoctor.privacy.redactor import RedactionLevel, Redactor

AT = Spot(path="train.py", line=3)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("lambda b: log('hunter two') or b", "lambda b: log('...') or b"),
        ("open(f'/data/{name}/x', 'rb')", "open(f'...', 'rb')"),
        ('torch.load("a \\" b" + str(i))', 'torch.load("..." + str(i))'),
        ("x['acme'][\"b'c\"]", "x['...'][\"...\"]"),
        ("f('cut off by the lim...", "f('...'"),
        ("f('''a\nb''', b'')", "f('''...''', b'')"),
        ("device.type == 'cuda'", "device.type == 'cuda'"),
        ('{"_file": None, "_file_pid": None}', '{"_file": None, "_file_pid": None}'),
        ("a - b", "a - b"),
        ("x['...']", "x['...']"),
    ],
)
def test_strings_of_an_expression(code: str, expected: str) -> None:
    assert mask_literals(code) == expected
    assert mask_literals(expected) == expected


def build_source() -> Source:
    collate = Argument(how="inferred", form="lambda", text="lambda b: send(b, 'acme-42')")
    method = Argument(how="literal", value="spawn", text="'spawn'")
    bucket = Argument(how="literal", value="acme-42", text="'acme-42'")
    return Source(
        loaders=(
            LoaderCall(
                at=AT,
                name="torch.utils.data.DataLoader",
                rebuilt="for f in glob('acme-42/*')",
                arguments={"collate_fn": collate, "context": method, "generator": bucket},
            ),
        ),
        events=(
            Event(
                kind="open",
                at=AT,
                guards=("mode == 'acme-42'",),
                recorded={"given": "f('acme-42')"},
            ),
        ),
    )


@pytest.mark.parametrize("level", [RedactionLevel.ALL, RedactionLevel.PUBLIC])
def test_no_string_of_code_is_in_what_is_sent(level: RedactionLevel) -> None:
    done = Redactor(level).redact_facts(Facts(build_source())).get(Source)

    assert done is not None
    assert "acme-42" not in str(done)
    arguments = done.loaders[0].arguments
    assert arguments["collate_fn"].text == "lambda b: send(b, '...')"
    assert arguments["context"].value == "spawn"
    assert arguments["generator"].value == "..."
    assert done.events[0].guards == ("mode == '...'",)


def test_a_terminal_shows_code_as_it_is() -> None:
    facts = Facts(build_source())

    assert Redactor(RedactionLevel.SECRETS).redact_facts(facts).get(Source) == facts.get(Source)


def test_the_same_text_outside_of_code_keeps_its_quotes() -> None:
    facts = Facts(build_source(), unknown={"gpu": "mode == 'acme-42'"})

    assert Redactor(RedactionLevel.ALL).redact_facts(facts).unknown["gpu"] == "mode == 'acme-42'"
