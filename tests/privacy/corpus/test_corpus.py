"""How much leaks and how much is hidden for nothing, of a corpus of both."""

from collections.abc import Iterable

import pytest

from pipedoctor.facts import Facts
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from tests.privacy.corpus.composed_lines import compose_harmless, compose_planted
from tests.privacy.corpus.corpus_lines import PlantedLine, read_corpus

SEED = 20260301
MAX_LEAKED, MAX_HIDDEN = 0.01, 0.02


def redact(text: str, level: RedactionLevel) -> str:
    facts = Facts(unknown={"log": text})
    return Redactor(level, UserIdentity()).redact_facts(facts).unknown["log"]


def find_leaks(lines: Iterable[PlantedLine]) -> list[str]:
    """Lines of which a planted secret is left, each with its kind."""
    return [
        f"{line.kind}: {line.text}"
        for line in lines
        for done in [redact(line.text, RedactionLevel.ALL)]
        if any(secret in done for secret in line.secrets)
    ]


def find_hidden(lines: Iterable[PlantedLine], level: RedactionLevel) -> list[str]:
    """Harmless lines that did not stay as they are."""
    return [
        f"{line.text} -> {done}"
        for line in lines
        for done in [redact(line.text, level)]
        if done != line.text
    ]


def test_the_corpus_is_large_and_has_many_kinds() -> None:
    written, composed = read_corpus("secrets.txt", SEED), list(compose_planted(SEED))
    placed = read_corpus("secrets_by_place.txt", SEED)
    harmless = [*read_corpus("harmless.txt", SEED), *compose_harmless(SEED)]

    assert len(written) + len(composed) >= 400
    assert len({line.kind for line in written}) >= 40
    assert len({line.text for line in harmless}) >= 200
    for line in (*written, *composed, *placed):
        assert line.secrets, line
        assert all(secret in line.text for secret in line.secrets), line


def test_of_secrets_in_all_places_nothing_leaks() -> None:
    planted = [
        *read_corpus("secrets_by_place.txt", SEED),
        *read_corpus("secrets_by_tool.txt", SEED),
    ]

    leaks = find_leaks(planted)

    assert len(planted) >= 1600
    assert leaks == []


def test_of_the_written_half_nothing_leaks_and_nothing_is_hidden() -> None:
    assert find_leaks(read_corpus("secrets.txt", SEED)) == []
    for name in ("harmless.txt", "harmless_by_place.txt", "harmless_by_tool.txt"):
        for level in (RedactionLevel.ALL, RedactionLevel.SECRETS):
            assert find_hidden(read_corpus(name, SEED), level) == []


@pytest.mark.parametrize("seed", [SEED, SEED + 1, SEED + 2])
def test_of_the_composed_half_hardly_anything(seed: int) -> None:
    planted, harmless = list(compose_planted(seed)), list(compose_harmless(seed))

    leaks = find_leaks(planted)
    hidden = find_hidden(harmless, RedactionLevel.ALL)

    assert len(leaks) <= MAX_LEAKED * len(planted), leaks
    assert len(hidden) <= MAX_HIDDEN * len(harmless), hidden


def test_what_is_redacted_stays_as_it_is() -> None:
    for line in (*read_corpus("secrets.txt", SEED), *read_corpus("secrets_by_place.txt", SEED)):
        once = redact(line.text, RedactionLevel.PUBLIC)
        assert redact(once, RedactionLevel.PUBLIC) == once


def test_the_names_of_secrets_stay() -> None:
    """Whoever reads the report must see what was set, not what it was set to."""
    assert redact('{"token": "Zq8LwT3xKp0RvYd5"}', RedactionLevel.ALL) == '{"token": <secret>}'
    assert redact("curl -u x:Zq8LwT3 https://a", RedactionLevel.SECRETS) == (
        "curl -u x:<secret> https://a"
    )
    assert redact("wandb login " + "0a1b2c3d4e" * 4, RedactionLevel.SECRETS) == (
        "wandb login <secret>"
    )
