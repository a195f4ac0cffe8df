"""
The other half of the corpus: lines composed from names, ways of writing and values.

No rule was tuned on these; each seed composes others.
"""

import random
from collections.abc import Callable, Iterator

from tests.privacy.corpus.corpus_lines import PlantedLine, draw_password, draw_secret

PASSWORD_NAMES = (
    *("password", "Password", "DB_PASSWORD", "SMTP_PASS", "rootPassword", "admin-password"),
    *("ftp_passwd", "POSTGRES_PASSWORD", "keystore.password", "sudo_pw", "MinioRootPassword"),
)
KEY_NAMES = (
    *("api_key", "X-API-Key", "HUGGINGFACE_HUB_TOKEN", "GITHUB_TOKEN", "clientSecret"),
    *("MLFLOW_TRACKING_TOKEN", "aws_session_token", "accessKey", "refresh_token", "SECRET"),
    *("NEPTUNE_API_TOKEN", "ANTHROPIC_API_KEY", "bot_token", "signing_secret", "kaggle_key"),
    *("deploy-token", "MINIO_SECRET_KEY", "azure_storage_key", "SLACK_BOT_TOKEN", "jwtSecret"),
)
LOOSE_NAMES = ("token", "auth", "key", "session", "TOKEN")
WRITINGS = (
    *("{n}={v}", "export {n}={v}", "{n}: {v}", '{n}: "{v}"', "{n} = '{v}'", '"{n}": "{v}"'),
    *("'{n}': '{v}', 'port': 5432", '{{"a": 1, "{n}":"{v}"}}', "  {n}:   {v}\n  x: 1"),
    *("2026-03-01T10:00:00Z DEBUG loaded {n}={v} from env", 'os.environ["{n}"] = "{v}"'),
    *('[2026-03-01 10:00:00] config {{"{n}": "{v}"}}', "Settings({n}='{v}', debug=False)"),
    *("docker run -e {n}={v} -p 80:80 image", "https://x.example.org/a?b=1&{n}={v}&c=2"),
    *('\\"{n}\\": \\"{v}\\"', "- name: {n}\n  value: {v}", 'ARG {n}="{v}"', "{n}: '{v}' # old"),
    *("INFO:root:{n} -> {v}", "env: {{{n}: '{v}', LANG: 'C'}}", "set {n}={v}&& python train.py"),
)
OPTIONS = ("--{n} {v}", "--{n}={v} --epochs 3", "train.py --{n} '{v}' --lr 0.1")
PROSE = (
    *("the password is {v}", "Password for train: {v}", "my passphrase is '{v}'"),
    *("logging in with password {v}", "new password: {v}.", "temporary password was {v}"),
    *("wrong password '{v}'", 'pass phrase "{v}"', "(password: {v})", "password={v}; retry"),
)
COMMANDS = (
    *("mysql -h db -utrain -p{v} -e 'show tables'", "sshpass -p '{v}' scp a b:"),
    *("curl -sS -u train:{v} https://x.example.org", "curl --user 'train:{v}' -O https://a.b/c"),
    *("docker login registry.example.org -u bob -p {v}", "redis-cli -a {v} info"),
    *("echo '{v}' | sudo -S apt-get update", "7z a -p{v} out.7z data"),
    *("wget --user=train --password={v} https://x", "az login -u x -p {v}"),
    *("openssl rsa -passin pass:{v} -in k.pem", "smbclient //nas/x -U train%{v}"),
)
TOKENS: dict[str, tuple[str, ...]] = {
    "GitHub": ("ghp_", "b62", "36"),
    "Hugging Face": ("hf_", "b62", "34"),
    "GitLab": ("glpat-", "b62", "20"),
    "Slack": ("xoxb-2345678901-2345678901234-", "b62", "24"),
    "OpenAI": ("sk-proj-", "b62", "74"),
    "Databricks": ("dapi", "hex", "32"),
    "Vault": ("hvs.CAESI", "b62", "90"),
    "age": ("AGE-SECRET-KEY-1", "up", "58"),
    "Twilio": ("SK", "hex", "32"),
    "Google": ("AIzaSy", "b62", "33"),
    "AWS": ("AKIA", "up", "16"),
    "npm": ("npm_", "b62", "36"),
    "PyPI": ("pypi-AgEIcHlwaS5vcmcCJ", "b62", "120"),
    "Stripe": ("sk_live_", "b62", "24"),
    "SendGrid": ("SG.Zq8LwT3xKp0RvYd5NcJ1uA.", "b62", "43"),
    "DigitalOcean": ("dop_v1_", "hex", "64"),
    "Replicate": ("r8_", "b62", "37"),
    "Groq": ("gsk_", "b62", "52"),
    "NVIDIA": ("nvapi-", "b62", "60"),
    "Docker": ("dckr_pat_", "b62", "27"),
}
TOKEN_CARRIERS = (
    *("{v}", "using {v}", "run_{v}", "warning: {v} is about to expire", "[{v}]", "x={v};"),
    *(
        "  File \"a.py\", line 3\n    hub.login('{v}')",
        "/tmp/cache_{v}/x",
        "git+https://{v}@github.com/a/b",
    ),
)
PEOPLE = ("marguerite", "oswaldo", "xiaoling", "thorvald")
PLACES: dict[str, tuple[str, ...]] = {
    "home of a user": ("/home/{p}/.cache/x", "/Users/{p}/work", "C:\\Users\\{p}\\x", "~{p}/data"),
    "scratch": ("/scratch/{p}/run1", "/lustre/scratch/{p}/ckpt", "/localscratch/{p}.123/x"),
    "user in a setting": ("USER={p}", "username: {p}", '"user": "{p}"', "SLURM_JOB_USER={p}"),
    "mail": ("{p}@firm.example", "Author: X <{p}@firm.example>"),
    "internal host": ("{p}01.corp.internal", "http://{p}.lan:80/x", "{p}-7.rack2.intranet up"),
    "host": ("MASTER_ADDR={p}-07", "hostname: {p}-07", "tcp://{p}07:29500", "SLURMD_NODENAME={p}9"),
}
HEADERS = (
    *("Cookie: sid={v}; lang=de", "Set-Cookie: _session={v}; Path=/", "X-CSRF-Token: {v}"),
    *("Authorization: Bearer {v}", "authorization: token {v}", "csrfToken={v}", "X-Api-Key: {v}"),
    *("Proxy-Authorization: Basic {v}", '"cookies": {{"sessionid": "{v}"}}', "xsrf: '{v}'"),
)
URLS = (
    *("postgres://train:{v}@db/x", "https://:{v}@x.example.org", "redis://default:{v}@r:6379"),
    *("https://x.example.org/?sig={v}", "https://x.example.org/dl?access_token={v}#top"),
    *("https://hooks.slack.com/services/T0/B0/{v}", "https://conda.x.org/t/{v}/main"),
)
LOGINS = (
    "wandb login {v}",
    "wandb login --cloud {v}",
    "vault login {v}",
    "hf auth login --token {v}",
)


def compose_planted(seed: int) -> Iterator[PlantedLine]:  # noqa: C901  (one loop for each way to write)
    """Some 330 lines of 45 kinds, each with one secret."""
    drawn = random.Random(f"planted {seed}")

    def plant(kind: str, form: str, value: str, name: str = "") -> PlantedLine:
        return PlantedLine(kind, form.format(n=name, v=value, p=value), (value,))

    draws: tuple[tuple[tuple[str, ...], str, Callable[[], str]], ...]
    for form in WRITINGS:
        draws = (
            (PASSWORD_NAMES, "password", lambda: draw_password(drawn, drawn.randint(9, 16))),
            (KEY_NAMES, "key", lambda: draw_secret(drawn, "b62", drawn.randint(18, 44))),
            (LOOSE_NAMES, "token", lambda: draw_secret(drawn, drawn.choice(["b62", "hex"]), 32)),
        )
        for names, kind, draw in draws:
            yield plant(f"{kind}: {form[:12]}", form, draw(), drawn.choice(names))
    yield from (
        plant(
            f"option {form}",
            form,
            draw_secret(drawn, "b62", 24),
            drawn.choice(["token", "api-key", "hf_token", "secret-key"]),
        )
        for form in OPTIONS
        for _ in range(3)
    )

    def draw_plain_password() -> str:
        return draw_password(drawn, drawn.randint(9, 15)).replace("%", "+")

    for kind, forms in (("prose", PROSE), ("command", COMMANDS)):
        yield from (plant(kind, form, draw_plain_password()) for form in forms for _ in range(2))
    for kind, carriers in (("header", HEADERS), ("address", URLS)):
        yield from (
            plant(kind, form, draw_secret(drawn, "b62", 26)) for form in carriers for _ in range(2)
        )
    yield from (plant("login", form, draw_secret(drawn, "hex", 40)) for form in LOGINS)
    for kind, (prefix, alphabet, length) in TOKENS.items():
        for form in drawn.sample(TOKEN_CARRIERS, 4):
            yield plant(kind, form, prefix + draw_secret(drawn, alphabet, int(length)))
    for kind, places in PLACES.items():
        yield from (plant(kind, form, drawn.choice(PEOPLE)) for form in places)
    for _ in range(6):
        yield plant("bare key", "{v}", draw_secret(drawn, "b64slash", 40))
        yield plant("bare token", "got {v} back", draw_secret(drawn, "b62", 43))
        address = f"10.{drawn.randrange(256)}.{drawn.randrange(256)}.{drawn.randrange(1, 255)}"
        yield plant("address of a machine", "connected to {v}:29500", address)
        digits = draw_secret(drawn, "hex", 10)
        dotted = f"a1{digits[:2]}.{digits[2:6]}.{digits[6:]}"
        yield plant("address of a card", "learned {v} on port 3", dotted)


WORDS = ("loss", "encoder", "layers", "warmup", "decay", "batch", "epoch", "hidden", "proj")
LIBRARIES = (
    "cudnn",
    "nvidia-cublas-cu12",
    "tensorrt",
    "opencv-python",
    "nvidia-nccl-cu12",
    "cuFFT",
)
TOKEN_SETTINGS = (
    *("pad_token_id={i}", "num_tokens: {i}", "max_new_tokens={i}", '"eos_token_id": {i}'),
    *("tokens_per_step = {i}", "n_key_value_heads={i}", "key_dim={i}", "token_dropout={f}"),
    *("image_token_id: {i}", "password_min_length={i}", "auth_timeout={i}", "session_count={i}"),
    *("token_embed_dim={i}", "author_id={i}", "keypoint_loss={f}", "tok/s={f}", "key_proj.lr={f}"),
    *("secret_count: {i}", "passes: {i}", "api_key_length={i}", "token_rate={f}/s"),
)
PLAIN_LINES = (
    *("step {i}: {w}_loss={f} {w}={i}", "{w}.{w}.{i}.weight", "/data/train/{w}/{i}.tar", "{i}:{i}"),
    *("commit {sha}", "wheel sha256={sha}{hex}", 'File "/usr/lib/python3/{w}.py", line {i}'),
    *("{lib}=={v4}", "{lib} {v4}", "{lib} version {v4}", "{lib}: {v4}", "Using {lib} v{v4}"),
    *(
        "0000:{b}:00.0",
        "GPU {i}: {f} GiB",
        "{w}-{i}b-instruct-v{i}",
        "model_{w}_{i}k.pt",
        "x[::{i}]",
    ),
    *("unexpected token at {i}", "KeyError: '{w}'", "missing key {w}", "the pass took {f} s"),
    *("token is missing", "password is too short", "auth failed", "cookie rejected", "no session"),
    *("token=None", "password: null", "api_key: ${{API_KEY}}", "HF_TOKEN=***", "secret=<none>"),
    *("password={{password}}", "token=args.token", "auth=config.auth", "key='{w}'", "key: {w}{i}"),
    *("tar -xpf {w}.tar", "ssh -p {i} localhost", "python -m pdb x.py -port {i}", "-pthread -O2"),
)


def compose_harmless(seed: int) -> Iterator[PlantedLine]:
    """Some 180 lines that must stay as they are."""
    drawn = random.Random(f"harmless {seed}")
    for form in (*TOKEN_SETTINGS, *PLAIN_LINES) * 3:
        first, *rest = (drawn.randint(0, 30) for _ in range(4))
        version = ".".join(map(str, (first + 1, *rest)))
        line = form.format(
            i=drawn.randint(2, 4096),
            f=round(drawn.random() * 10, 3),
            w=drawn.choice(WORDS),
            lib=drawn.choice(LIBRARIES),
            v4=version,
            sha=draw_secret(drawn, "hex", 40),
            hex=draw_secret(drawn, "hex", 24),
            b=draw_secret(drawn, "hex", 2),
        )
        yield PlantedLine(form, line)
