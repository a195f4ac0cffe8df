"""What is private leaves the facts, and nothing else changes."""

import json
from typing import Any

import pytest

from pipedoctor.facts import (
    Facts,
    Loader,
    Mount,
    PathFact,
    Paths,
    Shm,
    Site,
    Slurm,
)
from pipedoctor.privacy.identity import UserIdentity, read_identity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.privacy.secrets import is_secret_name, mask_secrets

ALICE = UserIdentity(
    users=("alice",), hosts=("wonder-01.lab.example.org",), homes=("/data/hq/alice",)
)


def said(text: str, who: UserIdentity = ALICE, level: RedactionLevel = RedactionLevel.ALL) -> str:
    """What becomes of a sentence that some collector wrote."""
    redactor = Redactor(level, who)
    return redactor.redact_facts(Facts(unknown={"gpu": text})).unknown["gpu"]


def path(text: str, who: UserIdentity = ALICE) -> str:
    """What becomes of a path that some collector looked at."""
    places = Paths(entries=(PathFact(role="data", path=text),))
    found = Redactor(RedactionLevel.ALL, who).redact_facts(Facts(places)).get(Paths)
    assert found is not None
    return found.entries[0].path


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
        pytest.param("run as alice", "run as <user-1>", id="in a sentence"),
        pytest.param("/tmp/alice_run-2", "/tmp/<user-1>_run-2", id="part of a name"),
        pytest.param("/data/hq/alice/x", "/data/hq/<user-1>/x", id="an odd home"),
        pytest.param("/data/hq", "/data/hq", id="above that home"),
        pytest.param("Wonder-01", "<host-1>", id="the host, in any case"),
        pytest.param("wonder-01.lab.example.org", "<host-1>", id="the host with its domain"),
        pytest.param("wonder-01.log", "<host-1>.log", id="a file named after it"),
        pytest.param("wonder-012", "wonder-012", id="another host"),
    ],
)
def test_known_names_go_wherever_they_stand(text: str, expected: str) -> None:
    assert said(text) == expected


def test_short_names_go_and_shorter_ones_stay_in_sentences() -> None:
    who = UserIdentity(users=("bob", "al"))

    assert said("bob or al at /home/al", who) == "<user-1> or al at /home/<user-2>"


def test_a_folder_with_a_dot_is_nobody() -> None:
    site = Redactor(RedactionLevel.ALL).redact_text("/x/home/.cache/torch is full")

    assert site == "/x/home/.cache/torch is full"


def test_a_home_with_an_ordinary_name() -> None:
    who = UserIdentity(homes=("/data/hq/train",))

    assert path("/data/hq/train", who) == "/data/hq/<user-1>"
    assert path("/data/hq/train/x", who) == "/data/hq/<user-1>/x"
    assert path("/data/hq/training", who) == "/data/hq/training"


def test_servers_are_the_same_in_any_case() -> None:
    mounts = [
        Mount(point="/a", fstype="cifs", source=source) for source in ("//NAS01/x", "//nas01/y")
    ]
    places = Paths(entries=tuple(PathFact(role="data", path="/a", mount=m) for m in mounts))

    known = Redactor(RedactionLevel.ALL).redact_facts(Facts(places)).get(Paths)

    assert known is not None
    assert [e.mount.source for e in known.entries if e.mount] == [
        "//<host-1>/x",
        "//<host-1>/y",
    ]


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


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("nas01.corp:/export/alice", "<host-2>:/export/<user-1>"),
        ("bob@nas01:/x", "<user-2>@<host-2>:/x"),
        ("//nas01/share", "//<host-2>/share"),
        ("10.0.0.7:6789,10.0.0.8:6789:/", "<ip-1>:6789,<ip-2>:6789:/"),
        ("10.0.0.7@tcp:/scratch", "<ip-1>@tcp:/scratch"),
        ("mds1@tcp:/scratch", "<host-2>@tcp:/scratch"),
        ("/dev/nvme0n1p2", "/dev/nvme0n1p2"),
        ("overlay", "overlay"),
        ("server:/x", "server:/x"),
    ],
)
def test_servers_of_mounts(source: str, expected: str) -> None:
    mount = Mount(point="/mnt/x", fstype="nfs4", source=source, options=("username=bob",))
    places = Paths(entries=(PathFact(role="data", path="/mnt/x", mount=mount),))

    known = Redactor(RedactionLevel.ALL, ALICE).redact_facts(Facts(places)).get(Paths)

    assert known is not None
    seen = known.entries[0].mount
    assert seen is not None
    assert (seen.point, seen.fstype, seen.source) == ("/mnt/x", "nfs4", expected)
    assert seen.options == ("username=<user-2>",)


def test_a_server_that_is_named_once_is_known_everywhere() -> None:
    mount = Mount(point="/mnt/x", fstype="nfs", source="nas01:/x")
    places = Paths(entries=(PathFact(role="data", path="/mnt/x", mount=mount),))

    facts = Redactor(RedactionLevel.ALL, ALICE).redact_facts(
        Facts(places, unknown={"gpu": "nas01 does not answer"})
    )

    assert facts.unknown["gpu"] == "<host-2> does not answer"


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


def test_equal_names_get_equal_aliases() -> None:
    redactor = Redactor(RedactionLevel.ALL, UserIdentity())

    assert redactor.redact_text("/home/bob/a") == "/home/<user-1>/a"
    assert redactor.redact_text("/home/eve/a") == "/home/<user-2>/a"
    assert redactor.redact_text("/home/bob/b") == "/home/<user-1>/b"


def test_redacting_again_changes_nothing() -> None:
    once = Redactor(RedactionLevel.ALL, ALICE).redact_facts(canaries())

    again = Redactor(RedactionLevel.ALL, UserIdentity(users=("mallory",))).redact_facts(once)

    assert again.to_record() == once.to_record()


def test_new_names_beside_old_aliases_get_new_numbers() -> None:
    facts = Facts(unknown={"gpu": "/home/<user-3>/x", "cpu": "/home/bob/x"})

    known = Redactor(RedactionLevel.ALL, UserIdentity()).redact_facts(facts)

    assert known.unknown == {"gpu": "/home/<user-3>/x", "cpu": "/home/<user-4>/x"}


def test_canaries_are_found_nowhere() -> None:
    text = json.dumps(Redactor(RedactionLevel.ALL, ALICE).redact_facts(canaries()).to_record())

    for canary in CANARIES:
        assert canary.lower() not in text.lower(), canary


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


def test_who_am_i() -> None:
    environ = {
        "USER": "alice",
        "LOGNAME": "alice",
        "SUDO_USER": "bob",
        "HOME": "/data/hq/alice/",
        "HOSTNAME": "pod-1",
    }

    assert read_identity(environ, "wonder-01", "al") == UserIdentity(
        users=("alice", "bob", "al"),
        hosts=("wonder-01", "pod-1"),
        homes=("/data/hq/alice",),
    )


@pytest.mark.parametrize("home", ["", "/", "/root", "relative"])
def test_a_home_at_the_top_names_nobody(home: str) -> None:
    assert read_identity({"HOME": home}, "").homes == ()


CANARIES = (
    "alice",
    "wonder-01",
    "lab.example.org",
    "carol",
    "nas01",
    "10.9.8.7",
    "fe80::dead:beef",
    "00:1a:2b:3c:4d:5e",
    "12345678-1234-1234-1234-123456789abc",
    "hf_canarycanary",
    "hunter2",
)


def canaries() -> Facts:
    """Facts with a private value in each kind of place."""
    sentence = (
        "alice on wonder-01.lab.example.org ~carol 10.9.8.7 fe80::dead:beef"
        " 00:1a:2b:3c:4d:5e GPU-12345678-1234-1234-1234-123456789abc"
        " HF_TOKEN=hf_canarycanary https://carol:hunter2@nas01.corp/x"
    )
    mount: dict[str, Any] = {
        "point": "/home/alice/mnt",
        "fstype": "cifs",
        "source": "//nas01/carol",
        "options": ("addr=10.9.8.7", "username=carol", "password=hunter2"),
    }
    return Facts(
        Paths(
            entries=(
                PathFact(
                    role="data",
                    path="/scratch/alice/wonder-01/x",
                    error=sentence,
                    mount=Mount(**mount),
                ),
                PathFact(role="home", path="/data/hq/alice"),
            )
        ),
        Site(system="linux", evidence=(sentence, "/home/carol")),
        unknown={"gpu": sentence},
    )
