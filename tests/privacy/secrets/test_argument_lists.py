"""What a command takes as a secret goes wherever its arguments stand in a list."""

from collections.abc import Callable, Sequence

import pytest

from pipedoctor.privacy.secrets.search import mask_secrets

SECRET = "q7Rk2mVx9bTz"
COMMANDS = (
    f"curl -u ml:{SECRET} https://x",
    f"docker login -u ml -p {SECRET} registry",
    f"mysql -u root -p{SECRET} runs",
    f"wandb login {SECRET}",
    f"mc alias set m http://x trainer {SECRET}",
    f"train.py --wandb-key {SECRET} --epochs 3",
)
WAYS: dict[str, Callable[[Sequence[str]], str]] = {
    "Python": str,
    "JSON": lambda words: "[" + ",".join(f'"{word}"' for word in words) + "]",
    "JSON in JSON": lambda words: "[" + ", ".join(f'\\"{word}\\"' for word in words) + "]",
    "audit log": lambda words: " ".join(f'a{n}="{word}"' for n, word in enumerate(words)),
    "trace of a shell": lambda words: "+ " + " ".join(f"'{word}'" for word in words),
    "YAML": lambda words: "args:\n" + "".join(f"  - {word}\n" for word in words),
    "quoted YAML": lambda words: "\n".join(f'- "{word}"' for word in words),
    "cmdline": "\0".join,
    "exception": lambda words: f"CalledProcessError: Command '{words}' returned 1",
}


@pytest.mark.parametrize("way", WAYS)
def test_arguments_are_read_as_the_line_that_they_are(way: str) -> None:
    for command in COMMANDS:
        words = command.split()

        masked = mask_secrets(WAYS[way](words))

        assert SECRET not in masked, command
        assert words[0] in masked
        assert words[-1] in masked or SECRET in words[-1]


def test_what_an_argument_holds_beside_the_secret_stays() -> None:
    masked = mask_secrets(
        f"['curl', '-H', 'X-Api-Key: {SECRET}', '-u', 'ml:{SECRET}', 'https://x']"
    )

    assert masked == "['curl', '-H', 'X-Api-Key: <secret>', '-u', 'ml:<secret>', 'https://x']"


@pytest.mark.parametrize(
    "text",
    [
        "['train.py', '--lr', '0.1', '-p', '8080', '--tokens', '4096']",
        'keys: ["image", "label", "token", "layer1.conv2"]',
        "- key\n- value\n- token\n- layer1\n",
        "missing_keys=['password', 'is', 'required']",
        'ENTRYPOINT ["python", "-m", "pipedoctor", "check", "--quick"]',
    ],
)
def test_other_lists_stay(text: str) -> None:
    assert mask_secrets(text) == text
