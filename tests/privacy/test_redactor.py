"""What is private leaves the facts, and nothing else changes."""

import pytest

from pipedoctor.facts import (
    Facts,
    Loader,
    Shm,
    Site,
    Slurm,
)
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.privacy.secrets.search import is_secret_name, mask_secrets
from tests.privacy.alice import ALICE, said


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("canonical_root", id="a word that holds a user's name"),
        pytest.param("/root/data", id="root is nobody's name"),
        pytest.param("/home/root/x and user=root", id="root, even in a home"),
        pytest.param("/home", id="the folder of homes itself"),
        pytest.param("/dev/shm", id="a mount point"),
        pytest.param("/usr/lib/python3.11/site-packages/alice", id="a library"),
        pytest.param("/opt/lib/python3.11/alice.py", id="a module"),
        pytest.param("malice, alicebob and Alices", id="parts of words"),
        pytest.param("driver 550.54.15.1", id="a version of four numbers"),
        pytest.param("version 1.2.3.4", id="a version that says so"),
        pytest.param("nccl==2.21.5.1", id="a pinned version"),
        pytest.param("libcudnn-9.1.0.70", id="a version in a file name"),
        pytest.param("1.2.3.4.5 and 300.1.1.1", id="no address at all"),
        pytest.param("127.0.0.1, 0.0.0.0, ::1 and ::", id="addresses of everybody"),
        pytest.param("0000:3b:00.0 at 12:30:59", id="a PCI address and a time"),
        pytest.param("torch::jit::script", id="C++"),
        pytest.param("TOKENIZERS_PARALLELISM=false", id="a setting, not a token"),
        pytest.param("KEYBOARD=us MONKEY=1 --keyring x", id="words with key in them"),
        pytest.param("https://download.pytorch.org/whl/cu126", id="a public address"),
        pytest.param("10 of 20 files ~ 5 GiB", id="a tilde that is none"),
        pytest.param("/home/<user-7>/<host-2>", id="aliases that stand already"),
    ],
)
def test_stays(text: str) -> None:
    assert said(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("/home/bob/x", "/home/<user-1>/x", id="a home"),
        pytest.param("/gpfs/home2/bob", "/gpfs/home2/<user-1>", id="a home elsewhere"),
        pytest.param("/Users/bob/x", "/Users/<user-1>/x", id="a Mac"),
        pytest.param(r"C:\Users\Bob Doe\x", r"C:\Users\<user-1>\x", id="Windows, with a space"),
        pytest.param(
            "/home/torch/lib/python3/site-packages/torch",
            "/home/<user-1>/lib/python3/site-packages/torch",
            id="a user called torch",
        ),
        pytest.param("of ~bob", "of ~<user-1>", id="a tilde"),
        pytest.param(
            "/home/bob, /home/Bob",
            "/home/<user-1>, /home/<user-2>",
            id="two users whose names differ in case",
        ),
        pytest.param(
            "https://bob:hunter2@example.org/x, ssh://bob@x.example.org",
            "https://<user-1>:<secret>@<host-1>/x, ssh://<user-1>@<host-2>",
            id="a user in a URL",
        ),
        pytest.param(
            "/home/bob: Permission denied",
            "/home/<user-1>: Permission denied",
            id="a home in a sentence",
        ),
        pytest.param(
            "/home/bob and /home/eve",
            "/home/<user-1> and /home/<user-2>",
            id="two homes in a sentence",
        ),
        pytest.param("10.1.2.3", "<ip-1>", id="IPv4"),
        pytest.param("at 10.1.2.3.", "at <ip-1>.", id="IPv4 at the end"),
        pytest.param("fe80::1%eth0", "<ip-1>%eth0", id="IPv6"),
        pytest.param("2001:DB8:0:0:0:0:0:1, 2001:db8::1", "<ip-1>, <ip-1>", id="IPv6, two ways"),
        pytest.param("00:1A:2b:33:44:55, 00-1a-2B-33-44-55", "<mac-1>, <mac-2>", id="MAC"),
        pytest.param(
            "GPU-12345678-1234-1234-1234-123456789ABC",
            "GPU-<uuid-1>",
            id="UUID of a GPU",
        ),
        pytest.param("0123456789abcdef" * 2, "<uuid-1>", id="machine id"),
        pytest.param("http://proxy.corp:3128", "http://<host-1>:3128", id="a host of a firm"),
    ],
)
def test_goes(text: str, expected: str) -> None:
    assert said(text, UserIdentity()) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hf_abcdefghijkl", "<secret>"),
        ("hf_abcdefgh", "<secret>"),
        ("hf-abcdefghijklmnopqrstuvwxyz0123 1.0", "<secret> 1.0"),
        ("hf-abcdefghijklmnopqrstuvwxyz012 1.0",) * 2,
        ("ghp-0123456789abcdefghijklmnopqrst", "<secret>"),
        ("at ghp_0123456789abcdefABCD now", "at <secret> now"),
        ("github_pat_0123456789abcdefABCD_x", "<secret>"),
        ("AKIAIOSFODNN7EXAMPLE", "<secret>"),
        ("xoxb-1234567890-abc", "<secret>"),
        ("sk-abcdefghijklmnop1234", "<secret>"),
        ("eyJhbGciOi.eyJzdWIiOi.c2lnbmF0", "<secret>"),
        ("https://bob:hunter2@example.org/x", "https://bob:<secret>@example.org/x"),
        ("WANDB_API_KEY=abc def", "WANDB_API_KEY=<secret> def"),
        ('password = "a b" c', "password = <secret> c"),
        ("--api-key abc --data x", "--api-key <secret> --data x"),
        ("Authorization: Bearer abcdefgh123", "Authorization: Bearer <secret>"),
        (
            "-H Authorization:abcdefgh123 https://x",
            "-H Authorization:<secret> https://x",
        ),
        ("Authorization: Custom abcdefgh123", "Authorization: Custom <secret>"),
        ("rw,password=x,uid=5", "rw,password=<secret>,uid=5"),
    ],
)
def test_secrets_are_masked_on_a_terminal_too(text: str, expected: str) -> None:
    assert said(text, level=RedactionLevel.SECRETS) == expected
    assert mask_secrets(expected) == expected


def test_a_terminal_shows_real_paths() -> None:
    assert said("/home/alice on wonder-01", level=RedactionLevel.SECRETS) == (
        "/home/alice on wonder-01"
    )


def test_nothing_is_taken_out_where_that_is_asked_for() -> None:
    assert said("hf_abcdefghijkl of /home/alice", level=RedactionLevel.NOTHING) == (
        "hf_abcdefghijkl of /home/alice"
    )


@pytest.mark.parametrize("name", ["HF_TOKEN", "wandb_api_key", "PASSWORD", "key"])
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["TOKENIZERS_PARALLELISM", "keyboard", "HOME", ""])
def test_names_of_no_secrets(name: str) -> None:
    assert not is_secret_name(name)


def test_terms_stay_whoever_is_called_so() -> None:
    who = UserIdentity(users=("kvm", "nfs4"), hosts=("x86_64",))
    site = Site(system="linux", machine="x86_64", virtual="kvm")

    assert Redactor(RedactionLevel.ALL, who).redact_facts(Facts(site)).get(Site) == site


def test_keys_and_numbers_stay() -> None:
    facts = Facts(
        Loader(num_workers=8, origin={"alice": "train.py:12"}),
        Shm(size=64 << 20),
        Site(system="linux", slurm=Slurm(job_id="4711"), evidence=("alice",)),
    )

    known = Redactor(RedactionLevel.ALL, ALICE).redact_facts(facts)

    loader, site = known.get(Loader), known.get(Site)
    assert loader is not None
    assert site is not None
    assert loader.origin == {"alice": "train.py:12"}
    assert known.get(Shm) == facts.get(Shm)
    assert site.evidence == ("<user-1>",)


def test_bytes_that_are_no_text_are_written_out_at_every_level() -> None:
    for level in RedactionLevel:
        assert said("/data/\udcff\udc41é", level=level) == "/data/\\xff\\udc41é"


def test_a_long_hostile_value_takes_no_time() -> None:
    for text in (
        "a_" * 50_000 + "=",
        "key-" * 50_000,
        "/home/ " * 20_000,
        ":" * 50_000,
    ):
        assert len(said(text)) > 1000


@pytest.mark.parametrize(("keeps_node", "name"), [(True, "h100-0417"), (False, "<host-1>")])
def test_the_node_of_a_fleets_report_is_redacted_elsewhere(keeps_node: bool, name: str) -> None:
    record = {"known": {"node": {"name": "h100-0417"}}, "unknown": {"gpu": "no GPU on h100-0417"}}

    redactor = Redactor(RedactionLevel.ALL, keeps_node=keeps_node)
    done = redactor.redact_facts(Facts.from_record(record)).to_record()

    assert done["known"]["node"]["name"] == name
    assert done["unknown"]["gpu"] == "no GPU on <host-1>"
