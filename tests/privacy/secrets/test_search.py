"""Names by their words, values by their shape, and texts that want to take for ever."""

import random
import string
import sys
import time

import pytest

from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.privacy.secrets.randomness import MIN_RANDOM_LENGTH, is_random
from pipedoctor.privacy.secrets.search import mask_secrets
from pipedoctor.privacy.secrets.secret_names import NameStrength, judge_name
from pipedoctor.privacy.secrets.secret_values import is_path, looks_drawn
from pipedoctor.privacy.secrets.token_forms import TOKEN_FORMS


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("password", NameStrength.PASSWORD),
        ("PGPASSWORD", NameStrength.STRONG),
        ("DB_PASS", NameStrength.PASSWORD),
        ("pass", NameStrength.STRONG),
        ("forward_pass", NameStrength.NONE),
        ("HF_TOKEN", NameStrength.STRONG),
        ("accessToken", NameStrength.STRONG),
        ("token", NameStrength.WEAK),
        ("tokens", NameStrength.NONE),
        ("pad_token_id", NameStrength.NONE),
        ("pad_token", NameStrength.NONE),
        ("token_count", NameStrength.NONE),
        ("num_key_value_heads", NameStrength.NONE),
        ("TOKENIZERS_PARALLELISM", NameStrength.NONE),
        ("key", NameStrength.WEAK),
        ("AWS_SECRET_ACCESS_KEY", NameStrength.STRONG),
        ("primary_key", NameStrength.NONE),
        ("key_file", NameStrength.NONE),
        ("session_id", NameStrength.WEAK),
        ("author", NameStrength.NONE),
        ("keyboard", NameStrength.NONE),
    ],
)
def test_what_a_name_means(name: str, strength: NameStrength) -> None:
    assert judge_name(name) is strength


def test_words_in_front_of_a_name_belong_to_it() -> None:
    assert judge_name("token", "the pad") is NameStrength.NONE
    assert judge_name("token", "your API") is NameStrength.STRONG


@pytest.mark.parametrize("value", ["hunter2pw", "AbCdEfGhIjKl", "9f8e7d6c5b4a3928"])
def test_values_that_somebody_drew(value: str) -> None:
    assert looks_drawn(value)


@pytest.mark.parametrize(
    "value",
    ["layer12", "conv1", "TensorFlow", "hello", "layer1.conv2.weight", "1.2.3", "99", "a1b2"],
)
def test_values_that_somebody_named(value: str) -> None:
    assert not looks_drawn(value)


def test_paths_are_no_keys() -> None:
    assert is_path("/run/secrets/db_password")
    assert is_path("C:\\keys\\x")
    assert not is_path("/x7Qz")
    assert not is_path("/aB3dE5fG/7hJ9kL1mN3pQ5rS7tU9/vW1xY3zA5")


def test_of_drawn_strings_two_in_a_hundred_are_missed() -> None:
    drawn = random.Random(7)
    letters = string.ascii_letters + string.digits
    strings = ["".join(drawn.choices(letters, k=MIN_RANDOM_LENGTH)) for _ in range(2000)]

    assert sum(map(is_random, strings)) > 0.97 * len(strings)


@pytest.mark.parametrize(
    "text",
    [
        "DistributedDataParallelKwargsHandlerFactory2",
        "NVIDIA-GeForce-RTX-3090-Turbo-Edition-24GB",
        "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE",
        "4f2a9c1e8b7d6a5f3c2e1d0b9a8f7e6d5c4b3a29",
        "a" * 40,
    ],
)
def test_names_are_not_drawn(text: str) -> None:
    assert not is_random(text)


def test_every_form_has_a_source_and_a_mark() -> None:
    for form in TOKEN_FORMS:
        assert form.source.startswith("https://"), form.kind
        assert form.marks, form.kind
    assert len({form.kind for form in TOKEN_FORMS}) == len(TOKEN_FORMS) >= 60


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"token":"Zq8LwT3xKp0RvYd5"}', '{"token":<secret>}'),
        ("password=password, token=token", "password=password, token=token"),
        ("if token == 'Zq8LwT3xKp0R':", "if token == <secret>:"),
        ("keyring==25.0", "keyring==25.0"),
        ("Cookie: a=Zq8; b=c", "Cookie: <secret>"),
        ('api_keys = ["Zq8LwT3xKp0R", "Yd5NcJ1uA7Ws"]', "api_keys = [<secret>]"),
        ("password: Zq8;x, next: 1", "password: <secret>, next: 1"),
        ("passphrase: seven quiet otters", "passphrase: <secret>"),
        ("<secret>abcDEF123</secret>", "<secret><secret></secret>"),
        ("İ password=hunter2", "İ password=<secret>"),
        ("AUTH_TOKEN=Zq8LwT3xKp0R&b=1", "AUTH_TOKEN=<secret>&b=1"),
    ],
)
def test_where_a_value_ends(text: str, expected: str) -> None:
    assert mask_secrets(text) == expected


HOSTILE = (
    *("key", "key-", "a_", "token=", "token: ", 'password="', "password for a b c ", "pass "),
    *("curl -u ", "login ", " -p", "echo a ", "-----BEGIN PRIVATE KEY", "://a:", "eyJ", "eyJ."),
    *(
        "AAAA",
        "sk-a",
        "aB3",
        "aB3/",
        "AKIA",
        ".a.internal",
        "1.",
        "ab:",
        "a.",
        "/scratch/",
        "host=",
    ),
    *("user: ", "JOB 1 ON ", "Cookie: ", "token\\", "key'", "session ", "SLURM", "@", "<secret>"),
    *("MTAx.", "1:A", "'", "((", "[", "password,", "auth> ", "\u0130key="),
    *(
        '", "',
        "', '",
        "' '",
        '" a1="',
        "- a\n",
        "a\0",
        '\\"',
        "db:5432:a:b:",
        "login a/",
        "url: /a",
    ),
    *("\u5bc6\u7801\u662f", "Passwort ist ", "wandb ", "secret aB3$", "%3a%2f%2fa", "[a1:"),
)


@pytest.mark.parametrize("part", HOSTILE)
def test_hostile_lines_take_no_time(part: str) -> None:
    text = part * (60_000 // len(part))  # squared, this takes minutes
    began = time.process_time()

    Redactor(RedactionLevel.PUBLIC).redact_text(text)

    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("begin", "part", "end"),
    [
        ("", "http://a@", ""),
        ("\n", "1:2:\\nsk-", "@"),
        ("user: ", "A11:2:${A}", "@"),
        ("", "-pkey=", ""),
        ("USER=", "(sk-a:b", " "),
        ("", "a $a/a\n/home/", ""),
    ],
)
def test_one_long_word_takes_no_time(begin: str, part: str, end: str) -> None:
    text = begin + part * (100_000 // len(part)) + end  # squared, this takes 3 to 20 s
    began = time.process_time()

    Redactor(RedactionLevel.PUBLIC).redact_text(text)

    assert time.process_time() - began < 1.5


@pytest.mark.parametrize(("part", "told"), [("/", " is the password"), ("<", "<<< x")])
def test_hostile_lines_with_a_mark_take_no_time(part: str, told: str) -> None:
    text = f"{told} {part * 20_000}{told} -p "
    began = time.process_time()

    Redactor(RedactionLevel.SECRETS).redact_text(text)

    assert time.process_time() - began < 1


def test_a_long_run_of_letters_costs_few_calls() -> None:
    """Marks of tokens stand at each of its letters, and none of these begins a token."""
    size = 50_000
    text = "A" * size
    calls = 0
    mask_secrets(text)  # compiles the patterns

    def count(_frame: object, event: str, _function: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        masked = mask_secrets(text)
    finally:
        sys.setprofile(None)

    assert masked == text
    assert calls < size // 10


def test_a_token_behind_a_run_of_its_mark_is_masked() -> None:
    token = "AKIA" + "Q3EGRIDRQ5ZD2PZK"
    for before in ("AKIAAKIA ", "AAAA=", "xAKIA,AKIA-", "AKIA\u00e9"):
        assert token not in mask_secrets(f"{before}{token}")
