"""
Which names mean that a secret stands beside them: judged by whole words.

``hf_token`` names one, ``pad_token`` and ``token_count`` do not, and ``key`` alone may.
"""

import enum
import functools

from pipedoctor.lazy_pattern import compile_lazily


class NameStrength(enum.Enum):
    """What a name says of the value beside it."""

    NONE = "no secret"
    WEAK = "a secret if it looks like one"
    STRONG = "a secret unless it is plainly none"
    PASSWORD = "a secret even if it is a number or a word"  # noqa: S105  (a kind of name)


def _split_words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PASSWORD_WORDS = _split_words(
    "password passwords passwd passphrase passcode passwort pwd pswd psw pw otp totp pincode"
    " mnemonic requirepass masterauth authtok psk kennwort senha contrasena wachtwoord haslo heslo"
    " salasana"
)
_STRONG_WORDS = _split_words(
    "secret credential credentials creds jwt cookie cookies csrf xsrf csrftoken xsrftoken"
    " sessionid phpsessid jsessionid passkey authtoken apitoken accesstoken"
    " secretkey apikey accesskey accountkey privatekey authkey apisecret clientsecret"
)
_WEAK_WORDS = _split_words(
    "token tokens key keys keyid pass auth sig signature sid session pat secrets"
    " apikeys ticket login relogin seed"
)
_SUFFIXES = (
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "accountkey",
    "secretkey",
    "secret",
)
"""Ends of words that mean a secret: ``PGPASSWORD``."""
_PASS_HEADS = _split_words(
    "ssh db my sql mysql mongo pg root user ldap bind smtp mail ftp http proxy redis admin sudo"
    " become key store keystore truststore vnc rdp wifi login basic auth"
)
"""What stands before *pass* or *pw* in one word: ``SSHPASS``, but not ``bypass``."""
_VENDORS = _split_words(
    "hf hub huggingface github gh gitlab gl git bitbucket wandb comet neptune clearml mlflow"
    " openai anthropic cohere mistral replicate groq gemini together pinecone langchain"
    " langsmith nvidia ngc nvapi azure aws gcp google s3 minio kaggle roboflow databricks vault"
    " consul nomad slack discord telegram tg twilio sendgrid stripe sentry datadog dd newrelic"
    " grafana ngrok tailscale npm pypi twine conda anaconda docker dockerhub quay registry"
    " digitalocean do linode heroku cloudflare cf fastly snowflake redis mongo postgres pg mysql"
    " db database smtp mail ldap ray prefect dagster airflow jupyter runpod lambda modal vast"
    " circle circleci travis codecov sonar jira atlassian notion airtable linear figma lightning"
)
_KEY_HEADS = _VENDORS | _split_words(
    "api access secret private account auth encryption encrypt decryption signing master storage"
    " shared service ssh deploy license ingest read write subscription app application client"
    " wifi wpa wlan luks bitlocker vpn"
    " consumer admin root user session cipher aes rsa pem tls ssl gpg pgp wireguard host hmac jwt"
)
_STORES = _split_words("redis s3 minio mongo postgres pg mysql db database consul nomad kaggle")
"""Whose keys are as often names of what lies in them: ``s3 key: train/0001.tar``."""
_TOKEN_HEADS = _VENDORS | _split_words(
    "api access refresh auth oauth oauth2 bearer session csrf xsrf security personal deploy bot"
    " user jwt service login private secret read write id upload identity sas push pull runner"
    " registration verification provider reset invite app client admin root webhook xoxb pat server"
    " notebook hub cluster join agent worker"
)
_SINGLE_MEANINGS = _split_words(
    # of tokens that a model reads
    "pad eos bos unk cls sep mask masked special image audio video text next new first last stop"
    " start end prev previous input output prompt decoder encoder num n max min total avg mean per"
    " each vocab word sub begin assistant system generated completion context current kept"
    " dropped expert target source src tgt batch visual vision query think patch every"
    " additional extra bad good same mot tok of sampled draft byte char"
    # of keys that look something up
    " primary foreign sort partition cache public label dict hot map join group index lookup"
    " missing unexpected unknown state data hash feature id ids row column col metric monitor value"
    " attention attn k q v layer head registry_key rng prng random random_seed sample json yaml"
    " dataset field object item kwargs config setting arrow press pressed"
    # of passes over data
    " forward backward second single multi one two dry all third epoch eval train"
)
_OTHER_THINGS = _split_words(
    "id ids count counts counter len length lengths size sizes dim dims num number type types name"
    " names path paths file files filename dir directory folder url uri endpoint host port limit"
    " limits max min ratio rate heads head per index idx indices mask embedding embeddings emb"
    " embed expires expiry expiration expire expired ttl timeout age prefix suffix format env var"
    " method mode provider backend scope scopes state status enabled required valid validity"
    " version policy cache usage error errors class field column padding projection proj weight"
    " weights bias states bytes kwargs fn func function budget loss acc accuracy logits dropout"
    " norm gb mb seconds sec ms parallelism classifier classification manager helper store storage"
    " ring board word words map mapping frozen lock locked exists missing found present rotation"
    " level strength hint hints label labels position positions pos shape dtype order freq"
    " frequency probs prob throughput speed latency time times second level api source sources"
    " rounds iterations iters algorithm algo regex pattern retries attempts hasher lifetime"
    " interval"
    " callback handler minlength maxlength"
    " ref domain header headers jar httponly secure samesite model module modules server service"
)
_WORDS = compile_lazily(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_MAX_NAME = 120
_PUBLIC_KEYS = (["gpg", "key"],)
"""Images of Python name the fingerprint of a public one so."""
_SPECIAL = compile_lazily(r"__\w+__")
"""What a language or a format names, as WebDataset its samples: ``__key__``."""


@functools.lru_cache(maxsize=4096)
def judge_name(name: str, preceding: str = "") -> NameStrength:
    """
    What a name says of its value; `preceding` are the words in front of it.

    Those count where the name is the last word of several: *API key*, *pad token*.
    """
    words = split_name(name)
    place = next((n for n in range(len(words) - 1, -1, -1) if _rate_word(words[n])), None)
    if place is None or words in _PUBLIC_KEYS or _SPECIAL.fullmatch(name):
        return NameStrength.NONE
    if words[place] == "pass" and words[place + 1 : place + 2] in (["phrase"], ["word"], ["code"]):
        return NameStrength.PASSWORD
    if words[place] in {"session", "key", "secret"} and words[place + 1 :] == ["id"]:
        half = words[place - 1 : place] == ["access"]  # of a pair that opens an account
        return NameStrength.STRONG if half else NameStrength.WEAK  # a number, or a person
    tail = [word for word in words[place + 1 :] if not word.isdigit()]
    if words[place] == "pw" and tail:
        return NameStrength.NONE  # pointwise: `pw_conv`
    if any(word in _OTHER_THINGS for word in tail):
        return NameStrength.NONE
    heads = words[:place] or [word.lower() for word in preceding.split()]
    return _weigh_heads(words[place], heads, alone=len(words) == 1)


def split_name(name: str) -> list[str]:
    """The words of a name, in small letters: ``hfToken_2`` has three."""
    return [word.lower() for word in _WORDS.findall(name[-_MAX_NAME:])]


def _rate_word(word: str) -> NameStrength | None:
    if word in _PASSWORD_WORDS or _is_compound(word):
        return NameStrength.PASSWORD
    if word in _STRONG_WORDS or word.endswith(_SUFFIXES) or word.startswith("csrf"):
        return NameStrength.STRONG
    return NameStrength.WEAK if word in _WEAK_WORDS or word.endswith("token") else None


def _is_compound(word: str) -> bool:
    return any(
        word.endswith(end) and word[: -len(end)] in _PASS_HEADS for end in ("pass", "pw", "pwd")
    )


def _weigh_heads(word: str, heads: list[str], *, alone: bool) -> NameStrength:
    """The same word means one thing after *api* and another after *pad*."""
    strength = _rate_word(word) or NameStrength.NONE
    if strength is not NameStrength.WEAK:
        return strength
    near = heads[-1] if heads else ""
    if word == "pass":
        return _judge_pass(near, alone=alone)
    if word in {"tokens", "keys"}:
        known = near in (_TOKEN_HEADS if word == "tokens" else _KEY_HEADS)
        return NameStrength.WEAK if known else NameStrength.NONE
    strong = (word == "key" and near in _KEY_HEADS - _STORES) or (
        word == "token" and near in _TOKEN_HEADS
    )
    if strong or (near and _rate_word(near) in {NameStrength.STRONG, NameStrength.PASSWORD}):
        return NameStrength.STRONG
    return NameStrength.NONE if near in _SINGLE_MEANINGS else NameStrength.WEAK


def _judge_pass(near: str, *, alone: bool) -> NameStrength:
    """``DB_PASS`` is one word of many; *forward pass* is none at all."""
    if near in _SINGLE_MEANINGS:
        return NameStrength.NONE
    return NameStrength.STRONG if alone or not near else NameStrength.PASSWORD
