"""A secret goes whatever the sign, the type and the markup between it and its name."""

import pytest

from pipedoctor.privacy.secrets.search import mask_secrets

SECRET = "Zq8LwT3xKp0RvYd5aB7"


@pytest.mark.parametrize(
    "text",
    [
        'acmeToken += "{}"',
        '$acmeToken ??= "{}"',
        '$acmeToken .= "{}"',
        'ACME_TOKEN :::= "{}"',
        'var acmeToken string = "{}"',
        'acme_token: str | None = "{}"',
        'const acmeToken =\n  "{}"',
        "acme_token: |\n  {}\nnext: 1",
        "acme_token: >-\n  {}",
        "acmeToken,{},",
        "|acme_token|{}|",
        "<acmeToken>\n    {}\n</acmeToken>",
        "<secret>{{acme AQAAABAAA {}}}</secret>",
        '<name="acmeToken" />\n  <value="{}" />',
        "<name>fs.s3a.secret.key</name>\n<value>{}</value>",
        "# {} is the acme token",
        "//{} is our password",
    ],
)
def test_the_value_goes(text: str) -> None:
    written = text.format(SECRET)

    assert mask_secrets(written) == written.replace(f"{{acme AQAAABAAA {SECRET}}}", SECRET).replace(
        f'"{SECRET}"', SECRET
    ).replace(SECRET, "<secret>")


@pytest.mark.parametrize(
    "text",
    [
        "api_key,description",
        "token,count,loss",
        "|token|count|",
        "<password>  </password>",
        "token_count: |\n  many",
        "password_hash = hashlib.sha256(pw).hexdigest()",
        "where 3 is the secret",
    ],
)
def test_a_heading_or_a_call_stays(text: str) -> None:
    assert mask_secrets(text) == text
